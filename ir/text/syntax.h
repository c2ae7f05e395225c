#ifndef IR_TEXT_SYNTAX_H_
#define IR_TEXT_SYNTAX_H_

// The syntax tree of the text form: what was written, before any name, type or
// operator is looked up. ir/text/parser.h makes one.
//
//   if (const Call* call = expr->As<Call>()) {
//     for (const Expr* argument : call->arguments) { ... }
//   }
//
// A SyntaxTree owns every node, list and decoded string. Nodes point to each
// other with plain pointers and have no destructors, so that trees of any depth
// die at once. Names, number texts and comments point into the SourceFile,
// which must outlive the tree.
//
// Depth. A sum of 100,000 terms is a left spine of 100,000 Binary nodes: walk
// Binary::left with a loop, never by recursion. Recursion over everything else
// is safe: any way down has at most kMaxNesting other steps between expressions
// (Expr::height), and at most kMaxBlockNesting between statements.

#include <cstdint>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ir/arena.h"
#include "ir/source_span.h"

namespace mxtile::ir::text {

// Brackets, operators and steps of a chain such as `a.b[0](c)` that may stand
// inside each other, where a left operand is not inside of its operator.
inline constexpr int kMaxNesting = 200;

// Blocks that may stand inside each other. An `elif` counts as a block inside
// the `else` of its `if`.
inline constexpr int kMaxBlockNesting = 100;

// ---------------------------------------------------------------------------
// Expressions
// ---------------------------------------------------------------------------

enum class ExprKind : uint8_t {
  kName,
  kInt,
  kFloat,
  kString,
  kBool,
  kNone,
  kEllipsis,
  kAttribute,
  kSubscript,
  kCall,
  kUnary,
  kBinary,
  kList,
  kTuple,
  kDict,
  kSlice,
};

struct Expr {
  // This node as a T, null when it is of another kind.
  template <typename T>
  const T* As() const {
    return kind == T::kKind ? static_cast<const T*>(this) : nullptr;
  }

  const ExprKind kind;
  // The longest way down to a leaf, not counting steps to a Binary::left. At
  // most kMaxNesting.
  uint16_t height = 0;
  // Brackets around a node do not belong to its span, except for those that
  // make it: `[1]`, `f(x)`, `(a, b)`.
  TextRange span;

 protected:
  explicit Expr(ExprKind node_kind) : kind(node_kind) {}
};

template <ExprKind kNodeKind>
struct ExprOf : Expr {
  static constexpr ExprKind kKind = kNodeKind;
  ExprOf() : Expr(kNodeKind) {}
};

struct Name : ExprOf<ExprKind::kName> {
  absl::string_view name;
};

// Never negative, as `-1` is a Unary; except for the one value -2^63, whose
// digits alone would not fit.
struct Int : ExprOf<ExprKind::kInt> {
  int64_t value = 0;
  absl::string_view text;  // As written: `0x_ff`.
};

// Finite and not negative.
struct Float : ExprOf<ExprKind::kFloat> {
  double value = 0;
  absl::string_view text;  // As written: `1e-5`.
};

struct String : ExprOf<ExprKind::kString> {
  // Decoded: without quotes, escapes replaced, adjacent literals joined. Valid
  // UTF-8, possibly with NUL characters in it.
  absl::string_view value;
};

struct Bool : ExprOf<ExprKind::kBool> {
  bool value = false;
};

struct None : ExprOf<ExprKind::kNone> {};

struct Ellipsis : ExprOf<ExprKind::kEllipsis> {};

// `value.name`
struct Attribute : ExprOf<ExprKind::kAttribute> {
  TextRange name_span() const;

  const Expr* value = nullptr;
  absl::string_view name;
};

// `lower:upper` between the brackets of a Subscript, alone or in its Tuple, and
// nowhere else. Either end is null where it is not written.
struct Slice : ExprOf<ExprKind::kSlice> {
  const Expr* lower = nullptr;
  const Expr* upper = nullptr;
};

// `value[index]`. `x[a, b]` has a Tuple as its index, as `x[(a, b)]` has.
struct Subscript : ExprOf<ExprKind::kSubscript> {
  const Expr* value = nullptr;
  const Expr* index = nullptr;
};

// `name=value` in a call. Its names differ from each other.
struct KeywordArgument {
  absl::string_view name;
  TextRange name_span;
  const Expr* value = nullptr;
};

// `callee(arguments..., keywords...)`
struct Call : ExprOf<ExprKind::kCall> {
  TextRange callee_span() const;

  // A path like `pl.tile.add` may be shared with other calls, where its nodes
  // have their spans.
  const Expr* callee = nullptr;
  absl::Span<const Expr* const> arguments;
  absl::Span<const KeywordArgument> keywords;
};

// The text of `pl.tile.add` when it is a path of names without spaces, else
// empty.
absl::string_view PathText(const Expr* path);

enum class UnaryOp : uint8_t { kNegate, kPlus, kInvert, kNot };

struct Unary : ExprOf<ExprKind::kUnary> {
  UnaryOp op = UnaryOp::kNegate;
  const Expr* operand = nullptr;
};

// From loose to tight. `xor` is no Python; it stands between its relatives.
enum class BinaryOp : uint8_t {
  kOr,
  kXor,
  kAnd,
  // Comparisons; these do not chain.
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kBitOr,
  kBitXor,
  kBitAnd,
  kShiftLeft,
  kShiftRight,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kFloorDivide,
  kModulo,
  kPower,  // Right associative; tighter than a unary operator on its left.
};

struct Binary : ExprOf<ExprKind::kBinary> {
  TextRange op_span() const;

  BinaryOp op = BinaryOp::kAdd;
  int32_t op_line = 0;
  int32_t op_column = 0;
  const Expr* left = nullptr;
  const Expr* right = nullptr;
};

// As written in a program: "-", "not", "//", "xor".
absl::string_view UnaryOpText(UnaryOp op);
absl::string_view BinaryOpText(BinaryOp op);

// `[a, b]`
struct List : ExprOf<ExprKind::kList> {
  absl::Span<const Expr* const> elements;
};

// `(a, b)`, `(a,)`, `()`, or without brackets `a, b`.
struct Tuple : ExprOf<ExprKind::kTuple> {
  absl::Span<const Expr* const> elements;
};

struct DictEntry {
  const Expr* key = nullptr;
  const Expr* value = nullptr;
};

// `{key: value}`, in the written order. Keys may repeat.
struct Dict : ExprOf<ExprKind::kDict> {
  absl::Span<const DictEntry> entries;
};

// ---------------------------------------------------------------------------
// Statements
// ---------------------------------------------------------------------------

// One comment, from `#` to the end of its line without trailing white space.
struct Comment {
  absl::string_view text;
  TextRange span;
};

enum class StmtKind : uint8_t {
  kImport,
  kAssign,
  kAnnAssign,
  kExprStmt,
  kReturn,
  kPass,
  kBreak,
  kContinue,
  kIf,
  kFor,
  kWhile,
  kWith,
  kFunctionDef,
  kClassDef,
};

struct Stmt {
  // This node as a T, null when it is of another kind.
  template <typename T>
  const T* As() const {
    return kind == T::kKind ? static_cast<const T*>(this) : nullptr;
  }

  const StmtKind kind;
  // A statement with a block ends where the block ends.
  TextRange span;
  // The comments in front of the statement, whatever their indentation, then
  // those on its own lines (for a statement with a block: on its header). Of
  // several statements on a line the first has them all; those in front of an
  // `else` belong to the first statement behind it.
  absl::Span<const Comment> comments;

 protected:
  explicit Stmt(StmtKind node_kind) : kind(node_kind) {}
};

template <StmtKind kNodeKind>
struct StmtOf : Stmt {
  static constexpr StmtKind kKind = kNodeKind;
  StmtOf() : Stmt(kNodeKind) {}
};

// Never empty in a parsed program, except for a missing `else`.
using Block = absl::Span<const Stmt* const>;

struct ImportItem {
  absl::string_view module;  // `pypto.language`
  absl::string_view alias;   // After `as`; empty without.
  TextRange span;
};

// `import module as alias, ...`
struct Import : StmtOf<StmtKind::kImport> {
  absl::Span<const ImportItem> items;
};

// `target = value`. The target is a Name, a Subscript, or a Tuple, possibly
// nested, of Names.
struct Assign : StmtOf<StmtKind::kAssign> {
  const Expr* target = nullptr;
  const Expr* value = nullptr;
};

// `target: annotation = value`
struct AnnAssign : StmtOf<StmtKind::kAnnAssign> {
  const Name* target = nullptr;
  // One that names nothing, like `pl.Tile[[16, 64], pl.FP32]`, may be shared
  // with other statements, where its nodes have their spans.
  const Expr* annotation = nullptr;
  bool annotation_names_nothing = false;
  TextRange annotation_span;
  const Expr* value = nullptr;
};

// An expression that stands alone: a call, `...`, a docstring.
struct ExprStmt : StmtOf<StmtKind::kExprStmt> {
  const Expr* value = nullptr;
};

struct Return : StmtOf<StmtKind::kReturn> {
  const Expr* value = nullptr;  // Null for a bare `return`.
};

struct Pass : StmtOf<StmtKind::kPass> {};
struct Break : StmtOf<StmtKind::kBreak> {};
struct Continue : StmtOf<StmtKind::kContinue> {};

// An `elif` is an If alone in the else_body.
struct If : StmtOf<StmtKind::kIf> {
  const Expr* condition = nullptr;
  Block body;
  Block else_body;
};

// `for target in iterator:`. The target is a Name or a Tuple, possibly nested,
// of Names.
struct For : StmtOf<StmtKind::kFor> {
  const Expr* target = nullptr;
  const Expr* iterator = nullptr;
  Block body;
};

struct While : StmtOf<StmtKind::kWhile> {
  const Expr* condition = nullptr;
  Block body;
};

struct WithItem {
  const Expr* context = nullptr;
  const Name* target = nullptr;  // After `as`; null without.
};

// `with context as target, ...:`
struct With : StmtOf<StmtKind::kWith> {
  absl::Span<const WithItem> items;
  Block body;
};

struct Param {
  const Name* name = nullptr;
  const Expr* annotation = nullptr;  // Null without.
};

// Starts at its first decorator, or at `def`. Its Params' names differ from
// each other.
struct FunctionDef : StmtOf<StmtKind::kFunctionDef> {
  absl::Span<const Expr* const> decorators;  // Without the `@`.
  const Name* name = nullptr;
  absl::Span<const Param> params;
  const Expr* returns = nullptr;  // After `->`; null without.
  Block body;
};

// Starts at its first decorator, or at `class`. No base classes.
struct ClassDef : StmtOf<StmtKind::kClassDef> {
  absl::Span<const Expr* const> decorators;  // Without the `@`.
  const Name* name = nullptr;
  Block body;
};

// A whole file.
struct Module {
  Block body;  // Empty for a file without statements.
  absl::Span<const Comment> trailing_comments;  // After the last statement.
};

// ---------------------------------------------------------------------------
// The owner
// ---------------------------------------------------------------------------

// Owns what the nodes of one or more parsed files are made of.
class SyntaxTree {
 public:
  SyntaxTree() = default;
  SyntaxTree(const SyntaxTree&) = delete;
  SyntaxTree& operator=(const SyntaxTree&) = delete;

  // A new T, to be filled in by who makes it.
  template <typename T>
  T* New() {
    return arena_.Make<T>();
  }

  // A copy of `items` that lives as long as the tree.
  template <typename T>
  absl::Span<const T> Copy(absl::Span<const T> items) {
    return arena_.Copy(items);
  }

  absl::string_view CopyString(absl::string_view text) {
    return arena_.Copy(text);
  }

 private:
  Arena arena_;
};

}  // namespace mxtile::ir::text

#endif  // IR_TEXT_SYNTAX_H_
