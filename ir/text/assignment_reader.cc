// Assignments: to a name, to several, to a part of a tensor.

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "ir/text/body_reader.h"
#include "ir/text/reader_rules.h"

namespace mxtile::ir::text {
namespace {

// A literal has the type that the annotation states for it: what is written
// `n: pl.Scalar[pl.INT32] = 0`.
const ir::Expr* AsAnnotated(const ir::Expr* value, const Type* annotation,
                            Context& context) {
  const ScalarType* type = DynCast<ScalarType>(annotation);
  if (type == nullptr) return value;
  const ConstInt* integer = AsConstInt(value);
  if (integer != nullptr && integer->dtype() == DataType::kIndex) {
    if (IsInteger(type->dtype)) return context.Int(integer->value, type->dtype);
    if (IsFloat(type->dtype)) return context.Float(integer->value, type->dtype);
  }
  const ConstFloat* number = DynCast<ConstFloat>(value);
  const bool is_bare = number != nullptr && number->dtype() == DataType::kFP32;
  if (is_bare && IsFloat(type->dtype)) {
    return context.Float(number->value, type->dtype);
  }
  return value;
}

// A call has the type of the variable that it is assigned to: what is stated
// there is true of the call too. In an inner block that may be a variable of
// another type that agrees.
const ir::Expr* WithType(const ir::Expr* value, const Type* type,
                         Context& context) {
  const ir::Call* call = DynCast<ir::Call>(value);
  if (call == nullptr || call->type == type) return value;
  ir::Call copy = *call;
  copy.type = type;
  return context.New(copy);
}

}  // namespace

absl::Status BodyReader::ReadAssignment(const Stmt& stmt,
                                        std::vector<const ir::Stmt*>* out) {
  if (const AnnAssign* annotated = stmt.As<AnnAssign>()) {
    return ReadAnnotated(*annotated, out);
  }
  const Assign& assign = *stmt.As<Assign>();
  if (const Tuple* target = assign.target->As<Tuple>()) {
    return ReadUnpacking(assign, *target, out);
  }
  if (const Subscript* target = assign.target->As<Subscript>()) {
    return ReadWindowWrite(assign, *target, out);
  }
  MX_ASSIGN_OR_RETURN(const ir::Expr* value, exprs_.Read(assign.value));
  return AppendAssign(stmt, *assign.target->As<Name>(), value, out);
}

absl::Status BodyReader::AppendAssign(const Stmt& stmt, const Name& name,
                                      const ir::Expr* value,
                                      std::vector<const ir::Stmt*>* out) {
  auto node = Start<ir::Assign>(ir::StmtKind::kAssign, stmt, stmt.span);
  MX_ASSIGN_OR_RETURN(node.var, Define(name.name, value->type, name.span));
  node.value = WithType(value, node.var->type, exprs_.context());
  out->push_back(exprs_.context().New(node));
  return absl::OkStatus();
}

absl::StatusOr<const Type*> BodyReader::ReadAnnotation(const AnnAssign& stmt) {
  if (!stmt.annotation_names_nothing) return types_.Read(stmt.annotation);
  const Type*& type = annotations_[stmt.annotation];
  if (type == nullptr) {
    MX_ASSIGN_OR_RETURN(type, types_.Read(stmt.annotation));
  }
  return type;
}

absl::Status BodyReader::ReadAnnotated(const AnnAssign& stmt,
                                       std::vector<const ir::Stmt*>* out) {
  MX_ASSIGN_OR_RETURN(const Type* annotation, ReadAnnotation(stmt));
  auto node = Start<ir::Assign>(ir::StmtKind::kAssign, stmt, stmt.span);
  MX_ASSIGN_OR_RETURN(node.value, exprs_.Read(stmt.value, annotation));
  node.value = AsAnnotated(node.value, annotation, exprs_.context());
  MX_ASSIGN_OR_RETURN(
      const Type* type,
      types_.Merge(node.value->type, annotation, stmt.annotation_span));
  MX_ASSIGN_OR_RETURN(node.var,
                      Define(stmt.target->name, type, stmt.target->span));
  node.value = WithType(node.value, node.var->type, exprs_.context());
  out->push_back(exprs_.context().New(node));
  return absl::OkStatus();
}

// ---- Several targets

absl::Status BodyReader::ReadUnpacking(const Assign& stmt, const Tuple& target,
                                       std::vector<const ir::Stmt*>* out) {
  MX_ASSIGN_OR_RETURN(const ir::Expr* value, exprs_.Read(stmt.value));
  const TupleType* type = DynCast<TupleType>(value->type);
  if (type == nullptr) {
    return exprs_.Error(kFormRule, stmt.value->span,
                        "several names are given to what is no tuple");
  }
  // All outputs of a submit may be taken as one: (a, b), task = pl.submit(...).
  const size_t items = type->elements.size();
  const Tuple* outputs =
      target.elements.size() == 2 ? target.elements[0]->As<Tuple>() : nullptr;
  if (outputs == nullptr || !Isa<Submit>(value)) {
    return Unpack(target, value, stmt, out);
  }
  Tuple flat = *outputs;
  std::vector<const Expr*> names(outputs->elements.begin(),
                                 outputs->elements.end());
  names.push_back(target.elements[1]);
  if (names.size() != items) return Unpack(target, value, stmt, out);
  flat.elements = names;
  return Unpack(flat, value, stmt, out);
}

// The tuple gets a name of its own, so that it is computed once.
absl::Status BodyReader::Unpack(const Tuple& target, const ir::Expr* value,
                                const Assign& stmt,
                                std::vector<const ir::Stmt*>* out) {
  Context& context = exprs_.context();
  const TupleType* type = DynCast<TupleType>(value->type);
  const size_t items = type == nullptr ? 0 : type->elements.size();
  if (items != target.elements.size()) {
    return exprs_.Error(
        kFormRule, target.span,
        absl::StrCat(target.elements.size(), " names for ", items, " values"));
  }
  auto node = Start<ir::Assign>(ir::StmtKind::kAssign, stmt, stmt.span);
  node.value = value;
  node.var = context.NewVar("_tuple_tmp", type, exprs_.At(target.span));
  out->push_back(context.New(node));
  for (size_t i = 0; i < items; ++i) {
    const Name* name = target.elements[i]->As<Name>();
    const ir::Expr* item =
        context.NewTupleItem(node.var, i, exprs_.At(target.elements[i]->span));
    ir::Assign part;
    part.kind = ir::StmtKind::kAssign;
    part.span = node.span;
    part.value = item;
    if (name == nullptr) {
      MX_RETURN_IF_ERROR(
          Unpack(*target.elements[i]->As<Tuple>(), item, stmt, out));
      continue;
    }
    // Nobody reads `_`.
    if (name->name == "_") continue;
    MX_ASSIGN_OR_RETURN(part.var, Define(name->name, item->type, name->span));
    out->push_back(context.New(part));
  }
  return absl::OkStatus();
}

// ---- A part of a tensor, tile or array

absl::Status BodyReader::ReadWindowWrite(const Assign& stmt,
                                         const Subscript& target,
                                         std::vector<const ir::Stmt*>* out) {
  const Name* name = target.value->As<Name>();
  if (name == nullptr) {
    return exprs_.Error(kFormRule, target.value->span,
                        "a part is assigned to in a variable: a[0:16] = b");
  }
  MX_ASSIGN_OR_RETURN(const ir::Expr* value, exprs_.Read(stmt.value));
  MX_ASSIGN_OR_RETURN(const ir::Expr* whole,
                      exprs_.ReadWindowWrite(target, value));
  return AppendAssign(stmt, *name, whole, out);
}

}  // namespace mxtile::ir::text
