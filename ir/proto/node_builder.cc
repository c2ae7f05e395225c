#include "ir/proto/node_builder.h"

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/proto/node_kind.h"
#include "ir/proto/proto_enums.h"
#include "ir/stmt.h"
#include "ir/type.h"

namespace mxtile::ir {
namespace {

using N = v1::Node;

}  // namespace

NodeBuilder::NodeBuilder(const ProgramSource& source, Context* context)
    : source_(source), context_(*context), strings_(source.strings().size()) {
  built_.reserve(source.node_count());
  is_assign_.reserve(source.node_count());
}

// ---- What rows refer to

absl::string_view NodeBuilder::String(uint32_t number) {
  absl::string_view& text = strings_[number];
  if (text.data() == nullptr) text = context_.Intern(source_.strings()[number]);
  return text;
}

absl::string_view NodeBuilder::VarName(uint32_t number) {
  absl::string_view& text = strings_[number];
  if (text.data() == nullptr) {
    const absl::string_view name = source_.strings()[number];
    text = absl::string_view(
        context_.List(absl::MakeConstSpan(name.data(), name.size())).data(),
        name.size());
  }
  return text;
}

SourceSpan NodeBuilder::Span(uint32_t number) {
  SourceSpan span;
  if (number == 0) return span;
  const v1::SpanTable& table = source_.rest().spans();
  span.file = String(table.file(number));
  span.line = table.line(number);
  span.column = table.column(number);
  span.end_line = span.line + table.more_lines(number);
  span.end_column = table.end_column(number);
  return span;
}

absl::Span<const absl::string_view> NodeBuilder::Comments(
    const v1::Comments& comments) {
  std::vector<absl::string_view> lines;
  for (const std::string& line : comments.lines()) {
    lines.push_back(context_.Intern(line));
  }
  return context_.List(lines);
}

const Expr* NodeBuilder::ExprAt(uint32_t number) const {
  return is_assign_[number] ? static_cast<const Assign*>(
                                  static_cast<const Stmt*>(built_[number]))
                                  ->var
                            : static_cast<const Expr*>(built_[number]);
}

Exprs NodeBuilder::ExprList(const Numbers& numbers) {
  exprs_.clear();
  for (const uint32_t number : numbers) exprs_.push_back(ExprAt(number));
  return context_.List(exprs_);
}

Vars NodeBuilder::VarList(const Numbers& numbers) {
  std::vector<const Var*> vars;
  for (const uint32_t number : numbers) vars.push_back(VarAt(number));
  return context_.List(vars);
}

absl::Span<const IterArg* const> NodeBuilder::IterArgList(
    const Numbers& numbers) {
  std::vector<const IterArg*> args;
  for (const uint32_t number : numbers) {
    args.push_back(CheckedCast<IterArg>(ExprAt(number)));
  }
  return context_.List(args);
}

Block NodeBuilder::BlockOf(const Numbers& numbers) {
  std::vector<const Stmt*> stmts;
  stmts.reserve(numbers.size());
  for (const uint32_t number : numbers) {
    stmts.push_back(static_cast<const Stmt*>(built_[number]));
  }
  return context_.List(stmts);
}

const Callee* NodeBuilder::CalleeOf(const v1::Node& node) {
  if (node.op() == 0) return context_.GetFunction(String(node.function()));
  const Callee*& callee = ops_[node.op()];
  if (callee == nullptr) callee = context_.GetOp(String(node.op()));
  return callee;
}

void NodeBuilder::AddNode(uint32_t number, const v1::Node& node) {
  const void* built = nullptr;
  const uint16_t uses = number == 0 ? 0 : FindNodeKind(node.kind())->uses;
  if ((uses & kUseStmt) != 0) {
    built = BuildStmt(node);
  } else if ((uses & kUseExpr) != 0) {
    built = BuildExpr(node);
  } else if ((uses & kUseType) != 0) {
    built = BuildType(node);
  } else if ((uses & kUseAttrValue) != 0) {
    built = &attr_values_.emplace_back(BuildAttrValue(node));
  } else if ((uses & kUseAttrs) != 0) {
    built = &attrs_.emplace_back(BuildAttrs(node.attr_list()));
  }
  built_.push_back(built);
  is_assign_.push_back(node.kind() == N::ASSIGN);
}

// ---- Types

MemRef NodeBuilder::BuildMemRef(const v1::MemRef& proto) {
  MemRef memref;
  memref.base = VarAt(proto.base());
  memref.byte_offset = OptionalExpr(proto.byte_offset());
  memref.size_bytes = static_cast<int64_t>(proto.size_bytes());
  memref.slot_count = static_cast<int64_t>(proto.slot_count());
  memref.slot_index = OptionalExpr(proto.slot_index());
  return memref;
}

const Type* NodeBuilder::BuildTensorType(const v1::Node& node) {
  const v1::TypeDef& def = node.type_def();
  TensorType type;
  type.kind = node.kind() == N::TENSOR_TYPE ? TypeKind::kTensor
                                            : TypeKind::kDistributedTensor;
  type.shape = ExprList(def.shape());
  type.dtype = *EnumFromProto(def.dtype());
  MemRef memref;
  if (def.has_memref()) {
    memref = BuildMemRef(def.memref());
    type.memref = &memref;
  }
  TensorView view;
  if (def.has_tensor_view()) {
    view.stride = ExprList(def.tensor_view().stride());
    view.layout = *EnumFromProto(def.tensor_view().layout());
    view.valid_shape = ExprList(def.tensor_view().valid_shape());
    view.pad = *EnumFromProto(def.tensor_view().pad());
    type.view = &view;
  }
  return context_.GetTensorType(type);
}

const Type* NodeBuilder::BuildTileType(const v1::TypeDef& def) {
  TileType type;
  type.shape = ExprList(def.shape());
  type.dtype = *EnumFromProto(def.dtype());
  type.space = EnumFromProto(def.memory_space());
  MemRef memref;
  if (def.has_memref()) {
    memref = BuildMemRef(def.memref());
    type.memref = &memref;
  }
  TileView view;
  if (def.has_tile_view()) {
    const v1::TileView& proto = def.tile_view();
    view.valid_shape = ExprList(proto.valid_shape());
    view.stride = ExprList(proto.stride());
    view.start_offset = OptionalExpr(proto.start_offset());
    view.blayout = *EnumFromProto(proto.blayout());
    view.slayout = *EnumFromProto(proto.slayout());
    view.fractal = static_cast<int64_t>(proto.fractal());
    view.pad = *EnumFromProto(proto.pad());
    view.compact = *EnumFromProto(proto.compact());
    type.view = &view;
  }
  return context_.GetTileType(type);
}

const Type* NodeBuilder::BuildType(const v1::Node& node) {
  const v1::TypeDef& def = node.type_def();
  switch (node.kind()) {
    case N::SCALAR_TYPE:
      return context_.GetScalarType(*EnumFromProto(def.dtype()));
    case N::TENSOR_TYPE:
    case N::DISTRIBUTED_TENSOR_TYPE:
      return BuildTensorType(node);
    case N::TILE_TYPE:
      return BuildTileType(def);
    case N::ARRAY_TYPE:
      return context_.GetArrayType(def.extent(), *EnumFromProto(def.dtype()));
    case N::TUPLE_TYPE: {
      std::vector<const Type*> elements;
      for (const uint32_t number : def.elements()) {
        elements.push_back(TypeAt(number));
      }
      return context_.GetTupleType(elements);
    }
    default:
      return context_.GetMarkerType(MarkerOfNodeKind(node.kind()));
  }
}

// ---- Expressions

template <typename T>
T NodeBuilder::StartExpr(ExprKind kind, const v1::Node& node) {
  T expr;
  expr.kind = kind;
  expr.type = TypeAt(node.type());
  expr.span = Span(node.span());
  return expr;
}

const Call* NodeBuilder::BuildCall(const v1::Node& node, const Type* type,
                                   uint32_t span) {
  Call call;
  call.kind = ExprKind::kCall;
  call.type = type;
  call.span = Span(span);
  call.callee = CalleeOf(node);
  call.args = ExprList(node.args());
  call.kwargs = AttrsAt(node.kwargs());
  call.attrs = AttrsAt(node.attrs());
  return context_.New(call);
}

const Expr* NodeBuilder::BuildSubmit(const v1::Node& node) {
  const v1::Submit& proto = node.submit();
  auto submit = StartExpr<Submit>(ExprKind::kSubmit, node);
  submit.callee = CalleeOf(node);
  submit.args = ExprList(node.args());
  submit.deps = ExprList(proto.deps());
  submit.core_num = OptionalExpr(proto.core_num());
  submit.sync_start = proto.sync_start();
  submit.allow_early_resolve = proto.allow_early_resolve();
  submit.predicate = OptionalExpr(proto.predicate());
  submit.kwargs = AttrsAt(node.kwargs());
  submit.attrs = AttrsAt(node.attrs());
  return context_.New(submit);
}

// The negative of a constant is a constant, here as everywhere.
const Expr* NodeBuilder::BuildUnary(const v1::Node& node) {
  const Expr* operand = ExprAt(node.args(0));
  const UnaryOp op = *EnumFromProto(node.unary_op());
  if (op == UnaryOp::kNeg &&
      (Isa<ConstInt>(operand) || Isa<ConstFloat>(operand))) {
    return context_.NewUnary(op, operand, Span(node.span()));
  }
  auto unary = StartExpr<Unary>(ExprKind::kUnary, node);
  unary.op = op;
  unary.operand = operand;
  return context_.New(unary);
}

const Expr* NodeBuilder::BuildExpr(const v1::Node& node) {
  switch (node.kind()) {
    case N::VAR: {
      auto var = StartExpr<Var>(ExprKind::kVar, node);
      var.name = VarName(node.name());
      return context_.New(var);
    }
    case N::ITER_ARG: {
      auto arg = StartExpr<IterArg>(ExprKind::kIterArg, node);
      arg.name = VarName(node.name());
      arg.init = ExprAt(node.value());
      return context_.New(arg);
    }
    case N::CONST_INT:
      return context_.Int(
          node.int_value(),
          static_cast<const ScalarType*>(TypeAt(node.type()))->dtype);
    case N::CONST_FLOAT:
      return context_.Float(
          node.float_value(),
          static_cast<const ScalarType*>(TypeAt(node.type()))->dtype);
    case N::CONST_BOOL:
      return context_.Bool(node.bool_value());
    case N::CALL:
      return BuildCall(node, TypeAt(node.type()), node.span());
    case N::SUBMIT:
      return BuildSubmit(node);
    case N::TUPLE: {
      auto tuple = StartExpr<Tuple>(ExprKind::kTuple, node);
      tuple.elements = ExprList(node.args());
      return context_.New(tuple);
    }
    case N::TUPLE_ITEM: {
      auto item = StartExpr<TupleItem>(ExprKind::kTupleItem, node);
      item.tuple = ExprAt(node.args(0));
      item.index = node.int_value();
      return context_.New(item);
    }
    case N::BINARY: {
      auto binary = StartExpr<Binary>(ExprKind::kBinary, node);
      binary.op = *EnumFromProto(node.binary_op());
      binary.lhs = ExprAt(node.args(0));
      binary.rhs = ExprAt(node.args(1));
      return context_.New(binary);
    }
    case N::UNARY:
      return BuildUnary(node);
    default: {
      auto cast = StartExpr<Cast>(ExprKind::kCast, node);
      cast.operand = ExprAt(node.args(0));
      return context_.New(cast);
    }
  }
}

// ---- Attributes

AttrValue NodeBuilder::BuildAttrValue(const v1::Node& node) {
  switch (node.kind()) {
    case N::ATTR_INT:
      return AttrValue::Int(node.int_value());
    case N::ATTR_FLOAT:
      return AttrValue::Float(node.float_value());
    case N::ATTR_BOOL:
      return AttrValue::Bool(node.bool_value());
    case N::ATTR_STRING:
      return AttrValue::String(String(node.name()));
    case N::ATTR_ENUM:
      return AttrValue::Enum(String(node.enumerator().enum_class()),
                             String(node.enumerator().member()));
    case N::ATTR_DATA_TYPE:
      return AttrValue::Of(*EnumFromProto(node.dtype()));
    case N::ATTR_EXPR:
      return AttrValue::Of(ExprAt(node.value()));
    default: {
      std::vector<AttrValue> items;
      for (const uint32_t number : node.args()) {
        items.push_back(AttrValueAt(number));
      }
      AttrValue list;
      list.kind = AttrValue::Kind::kList;
      list.list = context_.List(items);
      return list;
    }
  }
}

Attrs NodeBuilder::BuildAttrs(const v1::AttrList& list) {
  std::vector<Attr> attrs;
  for (int i = 0; i < list.names_size(); ++i) {
    attrs.push_back({String(list.names(i)), AttrValueAt(list.values(i))});
  }
  return context_.List(attrs);
}

// ---- Statements

template <typename T>
T NodeBuilder::StartStmt(StmtKind kind, const v1::Node& node) {
  T stmt;
  stmt.kind = kind;
  stmt.span = Span(node.span());
  if (node.has_comments()) stmt.comments = Comments(node.comments());
  return stmt;
}

const Stmt* NodeBuilder::BuildAssign(const v1::Node& node) {
  auto assign = StartStmt<Assign>(StmtKind::kAssign, node);
  const Type* type = node.var() == 0 ? TypeAt(node.type()) : nullptr;
  if (node.value() != 0) {
    assign.value = ExprAt(node.value());
  } else {
    assign.value = BuildCall(
        node, node.value_type() == 0 ? type : TypeAt(node.value_type()),
        node.value_span());
  }
  if (node.var() != 0) {
    assign.var = VarAt(node.var());
    return context_.New(assign);
  }
  Var var;
  var.kind = ExprKind::kVar;
  var.type = type;
  var.span = Span(node.var_span());
  var.name = VarName(node.name());
  assign.var = context_.New(var);
  return context_.New(assign);
}

const Stmt* NodeBuilder::BuildFor(const v1::Node& node) {
  const v1::For& proto = node.for_stmt();
  auto loop = StartStmt<For>(StmtKind::kFor, node);
  loop.loop_kind = *EnumFromProto(proto.kind());
  loop.loop_var = VarAt(proto.loop_var());
  loop.start = ExprAt(proto.start());
  loop.stop = ExprAt(proto.stop());
  loop.step = ExprAt(proto.step());
  loop.iter_args = IterArgList(proto.iter_args());
  loop.body = BlockOf(proto.body());
  loop.return_vars = VarList(proto.return_vars());
  loop.attrs = AttrsAt(proto.attrs());
  return context_.New(loop);
}

const Stmt* NodeBuilder::BuildStmt(const v1::Node& node) {
  switch (node.kind()) {
    case N::ASSIGN:
      return BuildAssign(node);
    case N::EVAL: {
      auto eval = StartStmt<Eval>(StmtKind::kEval, node);
      eval.expr = node.value() != 0
                      ? ExprAt(node.value())
                      : BuildCall(node, TypeAt(node.type()), node.value_span());
      return context_.New(eval);
    }
    case N::IF: {
      const v1::If& proto = node.if_stmt();
      auto branch = StartStmt<If>(StmtKind::kIf, node);
      branch.condition = ExprAt(proto.condition());
      branch.then_body = BlockOf(proto.then_body());
      branch.else_body = BlockOf(proto.else_body());
      branch.return_vars = VarList(proto.return_vars());
      return context_.New(branch);
    }
    case N::FOR:
      return BuildFor(node);
    case N::WHILE: {
      const v1::While& proto = node.while_stmt();
      auto loop = StartStmt<While>(StmtKind::kWhile, node);
      loop.condition = ExprAt(proto.condition());
      loop.iter_args = IterArgList(proto.iter_args());
      loop.body = BlockOf(proto.body());
      loop.return_vars = VarList(proto.return_vars());
      return context_.New(loop);
    }
    case N::YIELD: {
      auto yield = StartStmt<Yield>(StmtKind::kYield, node);
      yield.values = ExprList(node.args());
      return context_.New(yield);
    }
    case N::RETURN: {
      auto stmt = StartStmt<Return>(StmtKind::kReturn, node);
      stmt.values = ExprList(node.args());
      return context_.New(stmt);
    }
    case N::SCOPE: {
      const v1::Scope& proto = node.scope();
      auto scope = StartStmt<Scope>(StmtKind::kScope, node);
      scope.scope_kind = *EnumFromProto(proto.kind());
      scope.args = AttrsAt(proto.args());
      if (proto.index() != 0) scope.index = VarAt(proto.index());
      if (proto.task_id() != 0) scope.task_id = VarAt(proto.task_id());
      scope.body = BlockOf(proto.body());
      return context_.New(scope);
    }
    default:
      return context_.New(StartStmt<Stmt>(
          node.kind() == N::BREAK ? StmtKind::kBreak : StmtKind::kContinue,
          node));
  }
}

// ---- Functions and the program

const Function* NodeBuilder::BuildFunction(const v1::Function& proto) {
  Function function;
  function.name = context_.Intern(proto.name());
  function.params = VarList(proto.params());
  std::vector<ParamDirection> directions;
  for (int i = 0; i < proto.directions_size(); ++i) {
    directions.push_back(*EnumFromProto(proto.directions(i)));
  }
  function.directions = context_.List(directions);
  std::vector<const Type*> return_types;
  for (const uint32_t number : proto.return_types()) {
    return_types.push_back(TypeAt(number));
  }
  function.return_types = context_.List(return_types);
  function.body = BlockOf(proto.body());
  function.function_type = *EnumFromProto(proto.type());
  function.level = EnumFromProto(proto.level());
  if (!function.level) function.level = DerivedLevel(function.function_type);
  function.role = EnumFromProto(proto.role());
  if (!function.role) function.role = DerivedRole(function.function_type);
  function.attrs = AttrsAt(proto.attrs());
  function.span = Span(proto.span());
  function.comments = Comments(proto.comments());
  return context_.New(function);
}

const Program* NodeBuilder::Finish() {
  const v1::ProgramProto& rest = source_.rest();
  std::vector<const Function*> functions;
  for (const v1::Function& proto : rest.functions()) {
    functions.push_back(BuildFunction(proto));
  }
  Program program;
  program.name = context_.Intern(rest.name());
  program.functions = context_.List(functions);
  program.dynamic_dims = VarList(rest.dynamic_dims());
  program.comments = Comments(rest.comments());
  return context_.New(program);
}

}  // namespace mxtile::ir
