#ifndef IR_TEXT_EXPR_READER_H_
#define IR_TEXT_EXPR_READER_H_

// From the syntax of expressions to IR expressions: names are looked up, types
// deduced, front-end short forms (`pl.load`) completed.

#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ir/context.h"
#include "ir/diagnostic.h"
#include "ir/expr.h"
#include "ir/op_registry.h"
#include "ir/program.h"
#include "ir/stmt.h"
#include "ir/text/scope.h"
#include "ir/text/syntax.h"

namespace mxtile::ir::text {

// Whether a bound, dim or index may be of this type: an integer scalar, or what
// an operator that we do not know gives.
bool MayBeInteger(const Type& type);

// The names of `pl.a.b`, without pl.
using Path = absl::InlinedVector<absl::string_view, 4>;

// What a call of a function needs to know; bodies are read later.
struct Signature {
  Vars params;
  absl::Span<const Type* const> return_types;  // In terms of the parameters.
};

class ExprReader {
 public:
  // `file`: the name of the one that is read.
  ExprReader(absl::string_view file, Context* context, DiagnosticSink* sink);

  Context& context() { return *context_; }
  Scope& scope() { return scope_; }
  absl::flat_hash_map<absl::string_view, Signature>& signatures() {
    return signatures_;
  }
  // `pl` stands for pypto.language when it was imported under that name. Other
  // modules have nothing that a program may name.
  void AddModule(absl::string_view module, absl::string_view alias);

  // Gives the call the type that its operator deduces, else `annotation`.
  absl::StatusOr<const ir::Expr*> FinishOpCall(ir::Call call,
                                               const Type* annotation);

  // What a path behind pl may stand for.
  struct OpName {
    const Callee* exact = nullptr;  // The operator of that name.
    absl::Span<const OpRegistry::Candidate> short_forms;
  };
  // `spelling`: the path as it is written in the file, `pl.tile.add`; empty
  // when that is not in one piece.
  OpName FindOpName(absl::string_view spelling, const Path& path);

  // A name of the file for a number. Names of functions hide it.
  void AddConstant(absl::string_view name, const ir::Expr* value) {
    constants_[name] = value;
  }

  // The expression. `annotation`: the type that an assignment states for it, or
  // null; operators without deduction take it.
  absl::StatusOr<const ir::Expr*> Read(const Expr* expr,
                                       const Type* annotation = nullptr);
  absl::StatusOr<Exprs> ReadList(absl::Span<const Expr* const> exprs);
  absl::StatusOr<AttrValue> ReadAttrValue(const Expr* expr);
  // The whole after `target = value`, where the target is a[0:16, i] of a
  // tensor, tile or array.
  absl::StatusOr<const ir::Expr*> ReadWindowWrite(const Subscript& target,
                                                  const ir::Expr* value);
  // `{"name": value}`
  absl::StatusOr<Attrs> ReadAttrs(const Expr* expr);

  // The names behind `pl` in `pl.a.b`: {"a", "b"}; those of pld begin with
  // "pld". Empty for anything else.
  Path PlPath(const Expr* expr) const;
  // The name behind `self` in `self.f`; empty for anything else.
  static absl::string_view SelfName(const Expr* expr);
  absl::StatusOr<DataType> ReadDataType(const Expr* expr);
  // The enumerator of `pl.Class.NAME`.
  template <typename E>
  absl::StatusOr<E> ReadEnum(const Expr* expr);
  // An integer constant; what else stands there breaks `rule`.
  absl::StatusOr<int64_t> ReadInt(const Expr* expr, absl::string_view what,
                                  absl::string_view rule);

  // Reports, and returns what a reader returns then.
  absl::Status Error(absl::string_view rule, TextRange span,
                     absl::string_view message);
  // Reports an error of an operator's rule.
  absl::Status Error(TextRange span, const absl::Status& status);
  // The place in the file.
  SourceSpan At(const TextRange& range);

 private:
  absl::StatusOr<const ir::Expr*> ReadName(const Name& name);
  absl::StatusOr<const ir::Expr*> ReadUnary(const Unary& unary);
  absl::StatusOr<const ir::Expr*> ReadBinaryChain(const Binary& binary);
  absl::StatusOr<const ir::Expr*> ReadAttribute(const Expr* expr);
  // An operator, the stated type, and the types of its arguments.
  using DeducedKey = absl::InlinedVector<const void*, 8>;
  static bool MakeDeducedKey(const ir::Call& call, const Type* annotation,
                             DeducedKey* key);

  // In window_reader.cc.
  struct Window;
  absl::StatusOr<const ir::Expr*> ReadSubscript(const Subscript& subscript);
  absl::StatusOr<const ir::Expr*> ReadItem(const ir::Expr* tuple,
                                           const Subscript& subscript);
  absl::StatusOr<const ir::Expr*> ReadWindow(const ir::Expr* value,
                                             const Subscript& subscript);
  absl::StatusOr<Window> ReadWindowBounds(Dims shape,
                                          const Subscript& subscript);
  absl::Status AddSlice(const Slice& slice, const ir::Expr* size,
                        Window* window);
  absl::StatusOr<const ir::Expr*> LiftRank(const ir::Expr* value,
                                           const Window& window,
                                           const Subscript& target);
  // A call of an operator that stands behind other syntax.
  absl::StatusOr<const ir::Expr*> MakeOpCall(absl::string_view op,
                                             std::vector<const ir::Expr*> args,
                                             TextRange span);
  absl::StatusOr<const ir::Expr*> ReadCall(const Call& call,
                                           const Type* annotation);
  absl::StatusOr<const ir::Expr*> ReadConst(const Call& call);
  absl::StatusOr<const ir::Expr*> ReadFloat(const Call& call);
  absl::StatusOr<const ir::Expr*> ReadScalarCall(absl::string_view name,
                                                 const Call& call);
  absl::StatusOr<Exprs> ReadMarked(absl::Span<const Expr* const> arguments,
                                   Attrs* attrs);
  absl::StatusOr<const ir::Expr*> ReadFunctionCall(absl::string_view name,
                                                   const Call& call);
  absl::StatusOr<const ir::Expr*> ReadSubmit(const Call& call, bool spmd);
  absl::Status ReadSubmitKeyword(const KeywordArgument& keyword, Submit* submit,
                                 std::vector<Attr>* kwargs);
  absl::Status ReadDeps(const Expr* expr, Submit* submit);
  absl::StatusOr<const ir::Expr*> ReadOpCall(const Path& path, const Call& call,
                                             const Type* annotation);

  Context* context_;
  DiagnosticSink* sink_;
  Scope scope_;
  absl::string_view file_;  // Of the context.
  absl::flat_hash_map<absl::string_view, Signature> signatures_;
  struct Module {
    absl::string_view alias;
    bool is_distributed;
  };
  std::vector<Module> modules_;
  absl::flat_hash_map<absl::string_view, const ir::Expr*> constants_;
  absl::flat_hash_map<absl::string_view, OpName> op_names_;  // By spelling.
  absl::flat_hash_map<DeducedKey, const Type*> deduced_;
};

}  // namespace mxtile::ir::text

#endif  // IR_TEXT_EXPR_READER_H_
