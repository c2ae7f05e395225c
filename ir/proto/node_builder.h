#ifndef IR_PROTO_NODE_BUILDER_H_
#define IR_PROTO_NODE_BUILDER_H_

// Builds a program from rows that ir/proto/node_checker.h has found good, in
// order.
//
//   NodeBuilder builder(source, &context);
//   MX_RETURN_IF_ERROR(source.ForEachNode(
//       [&](uint32_t number, const v1::Node& node) {
//         builder.AddNode(number, node);
//         return absl::OkStatus();
//       }));
//   const Program* program = builder.Finish();

#include <cstdint>
#include <deque>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "google/protobuf/repeated_field.h"
#include "ir/context.h"
#include "ir/program.h"
#include "ir/proto/ir.pb.h"
#include "ir/proto/program_source.h"

namespace mxtile::ir {

class NodeBuilder {
 public:
  // Both must outlive the builder.
  NodeBuilder(const ProgramSource& source, Context* context);

  void AddNode(uint32_t number, const v1::Node& node);
  const Program* Finish();

 private:
  using Numbers = google::protobuf::RepeatedField<uint32_t>;

  absl::string_view String(uint32_t number);
  // Names of variables are hints that nobody looks up: one copy, but not into
  // the context's table of strings, which would cost a third of all reading
  // when a million of them differ.
  absl::string_view VarName(uint32_t number);
  SourceSpan Span(uint32_t number);
  absl::Span<const absl::string_view> Comments(const v1::Comments& comments);

  const Type* TypeAt(uint32_t number) const {
    return static_cast<const Type*>(built_[number]);
  }
  // Of an ASSIGN, its variable.
  const Expr* ExprAt(uint32_t number) const;
  const Expr* OptionalExpr(uint32_t number) const {
    return number == 0 ? nullptr : ExprAt(number);
  }
  const Var* VarAt(uint32_t number) const {
    return static_cast<const Var*>(ExprAt(number));
  }
  const AttrValue& AttrValueAt(uint32_t number) const {
    return *static_cast<const AttrValue*>(built_[number]);
  }
  Attrs AttrsAt(uint32_t number) const {
    return number == 0 ? Attrs() : *static_cast<const Attrs*>(built_[number]);
  }
  Exprs ExprList(const Numbers& numbers);
  Vars VarList(const Numbers& numbers);
  absl::Span<const IterArg* const> IterArgList(const Numbers& numbers);
  Block BlockOf(const Numbers& numbers);
  const Callee* CalleeOf(const v1::Node& node);

  const Type* BuildType(const v1::Node& node);
  MemRef BuildMemRef(const v1::MemRef& proto);
  const Type* BuildTensorType(const v1::Node& node);
  const Type* BuildTileType(const v1::TypeDef& def);
  const Expr* BuildExpr(const v1::Node& node);
  const Expr* BuildUnary(const v1::Node& node);
  const Expr* BuildSubmit(const v1::Node& node);
  const Call* BuildCall(const v1::Node& node, const Type* type, uint32_t span);
  AttrValue BuildAttrValue(const v1::Node& node);
  Attrs BuildAttrs(const v1::AttrList& list);
  const Stmt* BuildStmt(const v1::Node& node);
  const Stmt* BuildAssign(const v1::Node& node);
  const Stmt* BuildFor(const v1::Node& node);
  const Function* BuildFunction(const v1::Function& proto);
  // A node with what every expression, or statement, has.
  template <typename T>
  T StartExpr(ExprKind kind, const v1::Node& node);
  template <typename T>
  T StartStmt(StmtKind kind, const v1::Node& node);

  const ProgramSource& source_;
  Context& context_;
  // In the context, empty before their first use.
  std::vector<absl::string_view> strings_;
  // Of each node, what it has become: a Type, Expr, Stmt, AttrValue or Attrs.
  std::vector<const void*> built_;
  // Whether it is an ASSIGN, whose Stmt stands for its variable too.
  std::vector<bool> is_assign_;
  std::deque<AttrValue> attr_values_;
  std::deque<Attrs> attrs_;
  absl::flat_hash_map<uint32_t, const Callee*> ops_;
  // For lists while they grow.
  std::vector<const Expr*> exprs_;
};

}  // namespace mxtile::ir

#endif  // IR_PROTO_NODE_BUILDER_H_
