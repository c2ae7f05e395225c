#ifndef IR_TEXT_TERM_PRINTER_H_
#define IR_TEXT_TERM_PRINTER_H_

// Prints types and expressions; ir/text/printer.h prints what they stand in.
//
//   TermPrinter printer(&names);
//   printer.PrintType(type);
//   printer.PrintExpr(expr);
//   std::string text = printer.Take();

#include <cstddef>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/expr.h"
#include "ir/text/names.h"
#include "ir/type.h"

namespace mxtile::ir {

// Binding strength of Python's operators, weakest first.
enum Precedence {
  kLowest = 0,
  kOrPrecedence,
  kXorPrecedence,
  kAndPrecedence,
  kNotPrecedence,
  kComparePrecedence,
  kBitOrPrecedence,
  kBitXorPrecedence,
  kBitAndPrecedence,
  kShiftPrecedence,
  kAddPrecedence,
  kMulPrecedence,
  kUnaryPrecedence,
  kPowPrecedence,
  kAtomPrecedence,
};

class TermPrinter {
 public:
  // `names` must outlive the printer. What is printed goes behind `begin`.
  explicit TermPrinter(const VarNames* names, std::string begin = "")
      : names_(*names), out_(std::move(begin)) {}

  // What was printed so far, and `begin`.
  std::string Take() { return std::move(out_); }

  void PrintType(const Type* type);
  // In brackets where it binds weaker than `context`.
  void PrintExpr(const Expr* expr, Precedence context = kLowest);
  // Strings in these quotes.
  void PrintAttrValue(const AttrValue& value, char quote);

 protected:
  template <typename... Args>
  void Put(const Args&... args) {
    absl::StrAppend(&out_, args...);
  }
  // Calls print(item) for each item, with ", " between.
  template <typename List, typename Fn>
  void Join(const List& list, Fn&& print) {
    bool first = true;
    for (const auto& item : list) {
      if (!first) Put(", ");
      first = false;
      print(item);
    }
  }
  void Indent(int levels) { out_.append(4 * levels, ' '); }

  std::string NameOf(const Var* var) const { return names_.NameOf(var); }
  // In a signature, names that the body defines are quoted.
  void set_in_signature(bool value) { in_signature_ = value; }

  void PrintExprs(Exprs exprs) {
    Join(exprs, [this](const Expr* e) { PrintExpr(e); });
  }
  // "(a,)", "(a, b)"
  void PrintPyTuple(Exprs exprs);
  // {"name": value}
  void PrintAttrs(Attrs attrs);

 private:
  void PrintNewType(const Type* type);
  void PrintDim(const Expr* dim);
  void PrintDims(Dims dims);
  void PrintTensorType(const TensorType& type);
  void PrintTensorView(const TensorView& view);
  void PrintTileType(const TileType& type);
  void PrintTileView(const TileType& type);
  void PrintMemRef(const MemRef& memref);
  void PrintInfix(const Binary* binary);
  void PrintUnary(const Unary& unary);
  void PrintCall(const Call& call);
  void PrintSubmit(const Submit& submit);
  void PrintKwargs(Attrs kwargs, bool* first);

  const VarNames& names_;
  std::string out_;
  bool in_signature_ = false;
  bool in_dim_ = false;
  // Where types of the body were printed in out_: programs say the same few
  // again and again.
  struct Piece {
    size_t begin;
    size_t size;
  };
  absl::flat_hash_map<const Type*, Piece> printed_types_;
};

}  // namespace mxtile::ir

#endif  // IR_TEXT_TERM_PRINTER_H_
