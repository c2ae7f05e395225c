#include "ir/proto/program_writer.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/check.h"
#include "google/protobuf/text_format.h"
#include "ir/expr_walk.h"
#include "ir/proto/node_kind.h"
#include "ir/proto/proto_enums.h"
#include "ir/proto/table_writer.h"
#include "ir/stmt_walk.h"
#include "ir/var_table.h"

namespace mxtile::ir {
namespace {

using Numbers = google::protobuf::RepeatedField<uint32_t>;

// Nodes to be filled in, empty and used again and again. Several are in use at
// once: that of an operand while that of its user is.
class SpareNodes {
 public:
  class Node {
   public:
    explicit Node(SpareNodes* from) : from_(*from) {
      if (from_.nodes_.empty()) {
        node_ = std::make_unique<v1::Node>();
      } else {
        node_ = std::move(from_.nodes_.back());
        from_.nodes_.pop_back();
      }
    }
    ~Node() {
      node_->Clear();
      from_.nodes_.push_back(std::move(node_));
    }
    Node(const Node&) = delete;
    Node& operator=(const Node&) = delete;

    v1::Node& operator*() { return *node_; }
    v1::Node* operator->() { return node_.get(); }

   private:
    SpareNodes& from_;
    std::unique_ptr<v1::Node> node_;
  };

 private:
  std::vector<std::unique_ptr<v1::Node>> nodes_;
};

class ProgramWriter {
 public:
  std::string Write(const Program& program);

 private:
  uint32_t String(absl::string_view text) { return tables_.String(text); }
  uint32_t Span(const SourceSpan& span) { return tables_.Span(span); }
  void AddComments(absl::Span<const absl::string_view> comments,
                   v1::Comments* proto);

  uint32_t TypeNumber(const Type* type);
  void FillDims(Dims dims, Numbers* numbers) { FillExprs(dims, numbers); }
  void FillTensor(const TensorType& type, v1::TypeDef* def);
  void FillTile(const TileType& type, v1::TypeDef* def);
  void FillMemRef(const MemRef& memref, v1::MemRef* proto);

  // The number of the node of an expression that has one, else 0.
  uint32_t KnownNumber(const Expr* expr) {
    if (const Var* var = DynCast<Var>(expr)) return var_numbers_[var];
    const auto it = numbers_.find(expr);
    return it == numbers_.end() ? 0 : it->second;
  }
  void Number(const Expr* expr, uint32_t number) {
    if (const Var* var = DynCast<Var>(expr)) {
      var_numbers_[var] = number;
    } else {
      numbers_[expr] = number;
    }
  }
  uint32_t ExprNumber(const Expr* expr);
  uint32_t OptionalExpr(const Expr* expr) {
    return expr == nullptr ? 0 : ExprNumber(expr);
  }
  template <typename List>
  void FillExprs(const List& exprs, Numbers* numbers) {
    for (const auto* expr : exprs) numbers->Add(ExprNumber(expr));
  }
  uint32_t AddExpr(const Expr* expr);
  void FillConstant(const Expr* expr, v1::Node* node);
  void FillCall(const Callee* callee, Exprs args, Attrs kwargs, Attrs attrs,
                v1::Node* node);
  uint32_t AddSubmit(const Submit& submit);
  uint32_t AttrsNumber(Attrs attrs);
  uint32_t AttrValueNumber(const AttrValue& value);

  // Notes the calls that stand at several places.
  void FindSharedCalls(const Function& function);
  // The call that is written as a part of the statement, or null.
  const Call* InlineCall(const Expr* value) const;
  void FillBlock(Block block, Numbers* numbers);
  uint32_t AddStmt(const Stmt* stmt);
  void FillAssign(const Assign& assign, v1::Node* node);
  void FillEval(const Eval& eval, v1::Node* node);
  void FillIf(const If& branch, v1::If* proto);
  void FillFor(const For& loop, v1::For* proto);
  void FillWhile(const While& loop, v1::While* proto);
  void FillScope(const Scope& scope, v1::Scope* proto);
  void AddFunction(const Function& function);

  TableWriter tables_;
  SpareNodes spare_;
  v1::ProgramProto rest_;  // What stands behind the tables.
  // Of what has a node.
  VarTable<uint32_t> var_numbers_;
  absl::flat_hash_map<const void*, uint32_t> numbers_;  // Types too.
  NodeTable<Call, bool> seen_calls_;
  absl::flat_hash_set<const Expr*> shared_calls_;
};

void ProgramWriter::AddComments(absl::Span<const absl::string_view> comments,
                                v1::Comments* proto) {
  for (const absl::string_view line : comments) {
    proto->add_lines(line.data(), line.size());
  }
}

// ---- Types

uint32_t ProgramWriter::TypeNumber(const Type* type) {
  const auto it = numbers_.find(type);
  if (it != numbers_.end()) return it->second;
  SpareNodes::Node node(&spare_);
  node->set_kind(NodeKindOfMarker(type->kind));
  switch (type->kind) {
    case TypeKind::kScalar:
      node->set_kind(v1::Node::SCALAR_TYPE);
      node->mutable_type_def()->set_dtype(
          EnumToProto(CheckedCast<ScalarType>(type)->dtype));
      break;
    case TypeKind::kTensor:
    case TypeKind::kDistributedTensor:
      node->set_kind(type->kind == TypeKind::kTensor
                         ? v1::Node::TENSOR_TYPE
                         : v1::Node::DISTRIBUTED_TENSOR_TYPE);
      FillTensor(*CheckedCast<TensorType>(type), node->mutable_type_def());
      break;
    case TypeKind::kTile:
      node->set_kind(v1::Node::TILE_TYPE);
      FillTile(*CheckedCast<TileType>(type), node->mutable_type_def());
      break;
    case TypeKind::kArray: {
      const ArrayType* array = CheckedCast<ArrayType>(type);
      node->set_kind(v1::Node::ARRAY_TYPE);
      node->mutable_type_def()->set_dtype(EnumToProto(array->dtype));
      node->mutable_type_def()->set_extent(array->extent);
      break;
    }
    case TypeKind::kTuple:
      node->set_kind(v1::Node::TUPLE_TYPE);
      node->mutable_type_def();
      for (const Type* element : CheckedCast<TupleType>(type)->elements) {
        node->mutable_type_def()->add_elements(TypeNumber(element));
      }
      break;
    default:
      break;
  }
  return numbers_[type] = tables_.AddOnce(*node);
}

void ProgramWriter::FillMemRef(const MemRef& memref, v1::MemRef* proto) {
  proto->set_base(ExprNumber(memref.base));
  proto->set_byte_offset(OptionalExpr(memref.byte_offset));
  proto->set_size_bytes(memref.size_bytes);
  proto->set_slot_count(memref.slot_count);
  proto->set_slot_index(OptionalExpr(memref.slot_index));
}

void ProgramWriter::FillTensor(const TensorType& type, v1::TypeDef* def) {
  def->set_dtype(EnumToProto(type.dtype));
  FillDims(type.shape, def->mutable_shape());
  if (type.memref != nullptr) FillMemRef(*type.memref, def->mutable_memref());
  if (type.view == nullptr) return;
  v1::TensorView* view = def->mutable_tensor_view();
  FillDims(type.view->stride, view->mutable_stride());
  view->set_layout(EnumToProto(type.view->layout));
  FillDims(type.view->valid_shape, view->mutable_valid_shape());
  view->set_pad(EnumToProto(type.view->pad));
}

void ProgramWriter::FillTile(const TileType& type, v1::TypeDef* def) {
  def->set_dtype(EnumToProto(type.dtype));
  FillDims(type.shape, def->mutable_shape());
  if (type.space.has_value()) def->set_memory_space(EnumToProto(*type.space));
  if (type.memref != nullptr) FillMemRef(*type.memref, def->mutable_memref());
  if (type.view == nullptr) return;
  v1::TileView* view = def->mutable_tile_view();
  FillDims(type.view->valid_shape, view->mutable_valid_shape());
  FillDims(type.view->stride, view->mutable_stride());
  view->set_start_offset(OptionalExpr(type.view->start_offset));
  view->set_blayout(EnumToProto(type.view->blayout));
  view->set_slayout(EnumToProto(type.view->slayout));
  view->set_fractal(type.view->fractal);
  view->set_pad(EnumToProto(type.view->pad));
  view->set_compact(EnumToProto(type.view->compact));
}

// ---- Expressions

// Operands get their numbers first, without recursion: a sum may have 100,000
// terms.
uint32_t ProgramWriter::ExprNumber(const Expr* root) {
  if (const uint32_t known = KnownNumber(root)) return known;
  struct Entry {
    const Expr* expr;
    bool expanded;
  };
  absl::InlinedVector<Entry, 16> stack = {{root, false}};
  absl::InlinedVector<const Expr*, 16> operands;
  while (!stack.empty()) {
    const Entry top = stack.back();
    if (KnownNumber(top.expr) != 0) {
      stack.pop_back();
      continue;
    }
    if (top.expanded) {
      stack.pop_back();
      // Its type may hold the expression itself, as an operand of a dim.
      TypeNumber(top.expr->type);
      if (KnownNumber(top.expr) == 0) {
        const uint32_t number = AddExpr(top.expr);
        Number(top.expr, number);
      }
      continue;
    }
    stack.back().expanded = true;
    operands.clear();
    if (const IterArg* arg = DynCast<IterArg>(top.expr)) {
      operands.push_back(arg->init);
    }
    ForEachOperand(*top.expr, [&](const Expr* e) { operands.push_back(e); });
    for (auto it = operands.rbegin(); it != operands.rend(); ++it) {
      stack.push_back({*it, false});
    }
  }
  return KnownNumber(root);
}

uint32_t ProgramWriter::AddExpr(const Expr* expr) {
  SpareNodes::Node node(&spare_);
  node->set_type(TypeNumber(expr->type));
  node->set_span(Span(expr->span));
  switch (expr->kind) {
    case ExprKind::kVar:
      node->set_kind(v1::Node::VAR);
      node->set_name(String(CheckedCast<Var>(expr)->name));
      return tables_.AddNode(*node);
    case ExprKind::kIterArg:
      node->set_kind(v1::Node::ITER_ARG);
      node->set_name(String(CheckedCast<Var>(expr)->name));
      node->set_value(ExprNumber(CheckedCast<IterArg>(expr)->init));
      return tables_.AddNode(*node);
    case ExprKind::kCall: {
      const Call* call = CheckedCast<Call>(expr);
      node->set_kind(v1::Node::CALL);
      FillCall(call->callee, call->args, call->kwargs, call->attrs, &*node);
      return tables_.AddNode(*node);
    }
    case ExprKind::kSubmit:
      return AddSubmit(*CheckedCast<Submit>(expr));
    case ExprKind::kConstInt:
    case ExprKind::kConstFloat:
    case ExprKind::kConstBool:
      FillConstant(expr, &*node);
      break;
    case ExprKind::kTuple:
      node->set_kind(v1::Node::TUPLE);
      FillExprs(CheckedCast<Tuple>(expr)->elements, node->mutable_args());
      break;
    case ExprKind::kTupleItem:
      node->set_kind(v1::Node::TUPLE_ITEM);
      node->add_args(ExprNumber(CheckedCast<TupleItem>(expr)->tuple));
      node->set_int_value(CheckedCast<TupleItem>(expr)->index);
      break;
    case ExprKind::kBinary:
      node->set_kind(v1::Node::BINARY);
      node->add_args(ExprNumber(CheckedCast<Binary>(expr)->lhs));
      node->add_args(ExprNumber(CheckedCast<Binary>(expr)->rhs));
      node->set_binary_op(EnumToProto(CheckedCast<Binary>(expr)->op));
      break;
    case ExprKind::kUnary:
      node->set_kind(v1::Node::UNARY);
      node->add_args(ExprNumber(CheckedCast<Unary>(expr)->operand));
      node->set_unary_op(EnumToProto(CheckedCast<Unary>(expr)->op));
      break;
    case ExprKind::kCast:
      node->set_kind(v1::Node::CAST);
      node->add_args(ExprNumber(CheckedCast<Cast>(expr)->operand));
      break;
  }
  return tables_.AddOnce(*node);
}

// Constants carry no span.
void ProgramWriter::FillConstant(const Expr* expr, v1::Node* node) {
  node->clear_span();
  if (const ConstInt* integer = AsConstInt(expr)) {
    node->set_kind(v1::Node::CONST_INT);
    node->set_int_value(integer->value);
  } else if (const ConstFloat* number = DynCast<ConstFloat>(expr)) {
    node->set_kind(v1::Node::CONST_FLOAT);
    node->set_float_value(number->value);
  } else {
    node->set_kind(v1::Node::CONST_BOOL);
    node->set_bool_value(CheckedCast<ConstBool>(expr)->value);
  }
}

void ProgramWriter::FillCall(const Callee* callee, Exprs args, Attrs kwargs,
                             Attrs attrs, v1::Node* node) {
  if (callee->is_function) {
    node->set_function(String(callee->name));
  } else {
    node->set_op(String(callee->name));
  }
  FillExprs(args, node->mutable_args());
  node->set_kwargs(AttrsNumber(kwargs));
  node->set_attrs(AttrsNumber(attrs));
}

uint32_t ProgramWriter::AddSubmit(const Submit& submit) {
  SpareNodes::Node node(&spare_);
  node->set_kind(v1::Node::SUBMIT);
  node->set_type(TypeNumber(submit.type));
  node->set_span(Span(submit.span));
  FillCall(submit.callee, submit.args, submit.kwargs, submit.attrs, &*node);
  v1::Submit* proto = node->mutable_submit();
  FillExprs(submit.deps, proto->mutable_deps());
  proto->set_core_num(OptionalExpr(submit.core_num));
  proto->set_sync_start(submit.sync_start);
  proto->set_allow_early_resolve(submit.allow_early_resolve);
  proto->set_predicate(OptionalExpr(submit.predicate));
  return tables_.AddNode(*node);
}

uint32_t ProgramWriter::AttrsNumber(Attrs attrs) {
  if (attrs.empty()) return 0;
  SpareNodes::Node node(&spare_);
  node->set_kind(v1::Node::ATTRS);
  for (const Attr& attr : attrs) {
    node->mutable_attr_list()->add_names(String(attr.name));
    node->mutable_attr_list()->add_values(AttrValueNumber(attr.value));
  }
  return tables_.AddOnce(*node);
}

uint32_t ProgramWriter::AttrValueNumber(const AttrValue& value) {
  SpareNodes::Node node(&spare_);
  switch (value.kind) {
    case AttrValue::Kind::kInt:
      node->set_kind(v1::Node::ATTR_INT);
      node->set_int_value(value.int_value);
      break;
    case AttrValue::Kind::kFloat:
      node->set_kind(v1::Node::ATTR_FLOAT);
      node->set_float_value(value.float_value);
      break;
    case AttrValue::Kind::kBool:
      node->set_kind(v1::Node::ATTR_BOOL);
      node->set_bool_value(value.bool_value);
      break;
    case AttrValue::Kind::kString:
      node->set_kind(v1::Node::ATTR_STRING);
      node->set_name(String(value.text));
      break;
    case AttrValue::Kind::kEnum:
      node->set_kind(v1::Node::ATTR_ENUM);
      node->mutable_enumerator()->set_enum_class(String(value.enum_class));
      node->mutable_enumerator()->set_member(String(value.text));
      break;
    case AttrValue::Kind::kDataType:
      node->set_kind(v1::Node::ATTR_DATA_TYPE);
      node->set_dtype(EnumToProto(value.data_type));
      break;
    case AttrValue::Kind::kExpr:
      node->set_kind(v1::Node::ATTR_EXPR);
      node->set_value(ExprNumber(value.expr));
      break;
    case AttrValue::Kind::kList:
      node->set_kind(v1::Node::ATTR_LIST);
      for (const AttrValue& item : value.list) {
        node->add_args(AttrValueNumber(item));
      }
      break;
  }
  return tables_.AddOnce(*node);
}

// ---- Statements

void ProgramWriter::FindSharedCalls(const Function& function) {
  ForEachStmt(function.body, [this](const Stmt* stmt) {
    ForEachRootExpr(*stmt, [this](const Expr* root) {
      PostOrder(root, [this](const Expr* expr) {
        const Call* call = DynCast<Call>(expr);
        if (call == nullptr) return;
        bool& seen = seen_calls_[call];
        if (seen) shared_calls_.insert(call);
        seen = true;
      });
    });
  });
}

const Call* ProgramWriter::InlineCall(const Expr* value) const {
  return shared_calls_.contains(value) ? nullptr : DynCast<Call>(value);
}

void ProgramWriter::FillBlock(Block block, Numbers* numbers) {
  for (const Stmt* stmt : block) numbers->Add(AddStmt(stmt));
}

uint32_t ProgramWriter::AddStmt(const Stmt* stmt) {
  SpareNodes::Node node(&spare_);
  if (!stmt->comments.empty()) {
    AddComments(stmt->comments, node->mutable_comments());
  }
  node->set_span(Span(stmt->span));
  const Var* defined = nullptr;
  switch (stmt->kind) {
    case StmtKind::kAssign: {
      const Assign& assign = static_cast<const Assign&>(*stmt);
      FillAssign(assign, &*node);
      if (node->var() == 0) defined = assign.var;
      break;
    }
    case StmtKind::kEval:
      FillEval(static_cast<const Eval&>(*stmt), &*node);
      break;
    case StmtKind::kIf:
      node->set_kind(v1::Node::IF);
      FillIf(static_cast<const If&>(*stmt), node->mutable_if_stmt());
      break;
    case StmtKind::kFor:
      node->set_kind(v1::Node::FOR);
      FillFor(static_cast<const For&>(*stmt), node->mutable_for_stmt());
      break;
    case StmtKind::kWhile:
      node->set_kind(v1::Node::WHILE);
      FillWhile(static_cast<const While&>(*stmt), node->mutable_while_stmt());
      break;
    case StmtKind::kYield:
      node->set_kind(v1::Node::YIELD);
      FillExprs(static_cast<const Yield&>(*stmt).values, node->mutable_args());
      break;
    case StmtKind::kReturn:
      node->set_kind(v1::Node::RETURN);
      FillExprs(static_cast<const Return&>(*stmt).values, node->mutable_args());
      break;
    case StmtKind::kBreak:
      node->set_kind(v1::Node::BREAK);
      break;
    case StmtKind::kContinue:
      node->set_kind(v1::Node::CONTINUE);
      break;
    case StmtKind::kScope:
      node->set_kind(v1::Node::SCOPE);
      FillScope(static_cast<const Scope&>(*stmt), node->mutable_scope());
      break;
  }
  const uint32_t number = tables_.AddNode(*node);
  if (defined != nullptr) Number(defined, number);
  return number;
}

void ProgramWriter::FillAssign(const Assign& assign, v1::Node* node) {
  node->set_kind(v1::Node::ASSIGN);
  const Type* type = assign.var->type;
  const uint32_t type_number = TypeNumber(type);
  if (const Call* call = InlineCall(assign.value)) {
    FillCall(call->callee, call->args, call->kwargs, call->attrs, node);
    const uint32_t value_type = TypeNumber(call->type);
    node->set_value_span(Span(call->span));
    // The variable may have got a node by now: its value may name it.
    const bool defines = KnownNumber(assign.var) == 0;
    if (!defines || value_type != type_number) node->set_value_type(value_type);
  } else {
    node->set_value(ExprNumber(assign.value));
  }
  if (const uint32_t known = KnownNumber(assign.var)) {
    node->set_var(known);
    return;
  }
  if (assign.var->kind == ExprKind::kIterArg) {
    node->set_var(ExprNumber(assign.var));
    if (node->value() == 0) {
      node->set_value_type(TypeNumber(assign.value->type));
    }
    return;
  }
  node->set_type(type_number);
  node->set_name(String(assign.var->name));
  node->set_var_span(Span(assign.var->span));
}

void ProgramWriter::FillEval(const Eval& eval, v1::Node* node) {
  node->set_kind(v1::Node::EVAL);
  const Call* call = InlineCall(eval.expr);
  if (call == nullptr) {
    node->set_value(ExprNumber(eval.expr));
    return;
  }
  node->set_type(TypeNumber(call->type));
  FillCall(call->callee, call->args, call->kwargs, call->attrs, node);
  node->set_value_span(Span(call->span));
}

void ProgramWriter::FillIf(const If& branch, v1::If* proto) {
  proto->set_condition(ExprNumber(branch.condition));
  FillBlock(branch.then_body, proto->mutable_then_body());
  FillBlock(branch.else_body, proto->mutable_else_body());
  FillExprs(branch.return_vars, proto->mutable_return_vars());
}

void ProgramWriter::FillFor(const For& loop, v1::For* proto) {
  proto->set_kind(EnumToProto(loop.loop_kind));
  proto->set_start(ExprNumber(loop.start));
  proto->set_stop(ExprNumber(loop.stop));
  proto->set_step(ExprNumber(loop.step));
  proto->set_attrs(AttrsNumber(loop.attrs));
  proto->set_loop_var(ExprNumber(loop.loop_var));
  FillExprs(loop.iter_args, proto->mutable_iter_args());
  FillBlock(loop.body, proto->mutable_body());
  FillExprs(loop.return_vars, proto->mutable_return_vars());
}

void ProgramWriter::FillWhile(const While& loop, v1::While* proto) {
  FillExprs(loop.iter_args, proto->mutable_iter_args());
  proto->set_condition(ExprNumber(loop.condition));
  FillBlock(loop.body, proto->mutable_body());
  FillExprs(loop.return_vars, proto->mutable_return_vars());
}

void ProgramWriter::FillScope(const Scope& scope, v1::Scope* proto) {
  proto->set_kind(EnumToProto(scope.scope_kind));
  proto->set_args(AttrsNumber(scope.args));
  proto->set_index(OptionalExpr(scope.index));
  FillBlock(scope.body, proto->mutable_body());
  proto->set_task_id(OptionalExpr(scope.task_id));
}

// ---- Functions and the program

void ProgramWriter::AddFunction(const Function& function) {
  v1::Function* proto = rest_.add_functions();
  proto->set_name(std::string(function.name));
  proto->set_type(EnumToProto(function.function_type));
  if (function.level) proto->set_level(EnumToProto(*function.level));
  if (function.role) proto->set_role(EnumToProto(*function.role));
  for (const ParamDirection direction : function.directions) {
    proto->add_directions(EnumToProto(direction));
  }
  FillExprs(function.params, proto->mutable_params());
  for (const Type* type : function.return_types) {
    proto->add_return_types(TypeNumber(type));
  }
  proto->set_attrs(AttrsNumber(function.attrs));
  proto->set_span(Span(function.span));
  if (!function.comments.empty()) {
    AddComments(function.comments, proto->mutable_comments());
  }
  FillBlock(function.body, proto->mutable_body());
}

std::string ProgramWriter::Write(const Program& program) {
  v1::ProgramProto head;
  head.set_format_version(kProtoFormatVersion);
  head.set_name(std::string(program.name));
  size_t statements = 0;
  for (const Function* function : program.functions) {
    statements += function->body.size();
  }
  tables_.Reserve(statements);
  for (const Function* function : program.functions) {
    FindSharedCalls(*function);
  }
  FillExprs(program.dynamic_dims, rest_.mutable_dynamic_dims());
  for (const Function* function : program.functions) AddFunction(*function);
  if (!program.comments.empty()) {
    AddComments(program.comments, rest_.mutable_comments());
  }
  return std::move(tables_).Finish(head, &rest_);
}

}  // namespace

std::string SerializeProgram(const Program& program) {
  return ProgramWriter().Write(program);
}

v1::ProgramProto ToProto(const Program& program) {
  v1::ProgramProto proto;
  MX_CHECK(proto.ParseFromString(SerializeProgram(program)));
  return proto;
}

std::string PrintTextProto(const Program& program) {
  v1::ProgramProto proto = ToProto(program);
  google::protobuf::TextFormat::Printer printer;
  printer.SetUseShortRepeatedPrimitives(true);
  printer.SetUseUtf8StringEscaping(true);
  printer.SetSingleLineMode(true);
  // One field at a time, to have line breaks and numbers where they help.
  std::string text =
      "# proto-file: ir/proto/ir.proto\n"
      "# proto-message: mxtile.ir.v1.ProgramProto\n";
  const auto put = [&](const v1::ProgramProto& part, absl::string_view behind) {
    std::string line;
    MX_CHECK(printer.PrintToString(part, &line)) << "a field does not print";
    if (!line.empty()) absl::StrAppend(&text, line, behind, "\n");
  };
  v1::ProgramProto head;
  head.set_format_version(proto.format_version());
  head.set_name(proto.name());
  put(head, "");
  for (int i = 0; i < proto.strings_size(); ++i) {
    v1::ProgramProto part;
    part.add_strings(std::move(*proto.mutable_strings(i)));
    put(part, absl::StrCat(" # ", i));
  }
  for (int i = 0; i < proto.nodes_size(); ++i) {
    v1::ProgramProto part;
    *part.add_nodes() = std::move(*proto.mutable_nodes(i));
    put(part, absl::StrCat(" # ", i));
  }
  for (v1::Function& function : *proto.mutable_functions()) {
    v1::ProgramProto part;
    *part.add_functions() = std::move(function);
    put(part, "");
  }
  for (const char* cleared : {"strings", "nodes", "functions"}) {
    proto.GetReflection()->ClearField(
        &proto, proto.GetDescriptor()->FindFieldByName(cleared));
  }
  proto.clear_format_version();
  proto.clear_name();
  put(proto, "");
  return text;
}

}  // namespace mxtile::ir
