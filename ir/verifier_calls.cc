#include <algorithm>
#include <cstddef>
#include <vector>

#include "absl/strings/str_cat.h"
#include "ir/data_type.h"
#include "ir/diagnostic.h"
#include "ir/expr.h"
#include "ir/expr_walk.h"
#include "ir/program.h"
#include "ir/source_span.h"
#include "ir/stmt.h"
#include "ir/stmt_walk.h"
#include "ir/text/printer.h"
#include "ir/type.h"
#include "ir/verifier.h"
#include "ir/verifier_walk.h"

namespace mxtile::ir {
namespace {

bool SameConstants(Dims a, Dims b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    const ConstInt* x = AsConstInt(a[i]);
    const ConstInt* y = AsConstInt(b[i]);
    if (x != nullptr && y != nullptr && x->value != y->value) return false;
  }
  return true;
}

// Whether a value of type `given` can stand where `wanted` is stated.
bool FitsType(const Type& given, const Type& wanted) {
  if (&given == &wanted || given.kind == TypeKind::kUnknown) return true;
  if (given.kind != wanted.kind) return false;
  if (const ScalarType* scalar = DynCast<ScalarType>(&given)) {
    return scalar->dtype == DynCast<ScalarType>(&wanted)->dtype;
  }
  if (const TensorType* tensor = DynCast<TensorType>(&given)) {
    const TensorType& other = *DynCast<TensorType>(&wanted);
    return tensor->dtype == other.dtype && tensor->layout() == other.layout() &&
           SameConstants(tensor->shape, other.shape);
  }
  if (const TileType* tile = DynCast<TileType>(&given)) {
    const TileType& other = *DynCast<TileType>(&wanted);
    return tile->dtype == other.dtype &&
           SameConstants(tile->shape, other.shape);
  }
  if (const TupleType* tuple = DynCast<TupleType>(&given)) {
    const TupleType& other = *DynCast<TupleType>(&wanted);
    if (tuple->elements.size() != other.elements.size()) return false;
    for (size_t i = 0; i < tuple->elements.size(); ++i) {
      if (!FitsType(*tuple->elements[i], *other.elements[i])) return false;
    }
  }
  return true;
}

bool FitsParameter(const Expr& arg, const Type& param) {
  if (FitsType(*arg.type, param)) return true;
  const ScalarType* scalar = DynCast<ScalarType>(&param);
  const ConstInt* literal = AsConstInt(&arg);
  return scalar != nullptr && literal != nullptr && IsInteger(scalar->dtype) &&
         literal->dtype() == DataType::kIndex;
}

class CallTypeChecker {
 public:
  explicit CallTypeChecker(DiagnosticSink* sink) : sink_(sink) {}

  void CheckFunction(const Program& program, const Function& function) {
    ForEachStmt(function.body, [&](const Stmt* stmt) {
      if (const Return* ret = DynCast<Return>(stmt)) {
        CheckReturn(*ret, function);
      }
      ForEachRootExpr(*stmt, [&](const Expr* root) {
        PostOrder(root, [&](const Expr* expr) {
          if (const Call* call = DynCast<Call>(expr)) {
            CheckArgs(program, call->callee, call->args, PlaceOf(call, *stmt));
          } else if (const Submit* submit = DynCast<Submit>(expr)) {
            CheckArgs(program, submit->callee, submit->args,
                      PlaceOf(submit, *stmt));
          }
        });
      });
    });
  }

 private:
  // Arguments behind what a launch leaves out are contexts, of one type all.
  void CheckArgs(const Program& program, const Callee* callee, Exprs args,
                 SourceSpan place) {
    const Function* function =
        callee->is_function ? program.Find(callee->name) : nullptr;
    if (function == nullptr) return;
    const size_t count = std::min(args.size(), function->params.size());
    for (size_t i = 0; i < count; ++i) {
      const Var* param = function->params[i];
      if (args[i]->type->kind == TypeKind::kCommCtx ||
          FitsParameter(*args[i], *param->type)) {
        continue;
      }
      sink_
          ->Error(
              "MX-CALL-1", place,
              absl::StrCat("argument ", i, " of '", callee->name, "' is ",
                           PrintType(args[i]->type), ", parameter ", "'",
                           param->name, "'", " is ", PrintType(param->type)))
          .AddNote(param->span, "the parameter");
    }
  }

  // A function that states no types returns what it likes.
  void CheckReturn(const Return& ret, const Function& function) {
    const auto stated = function.return_types;
    if (stated.empty()) return;
    std::vector<const Type*> types;
    for (const Expr* value : ret.values) types.push_back(value->type);
    // One tuple stands for its elements.
    const TupleType* tuple =
        types.size() == 1 ? DynCast<TupleType>(types[0]) : nullptr;
    if (tuple != nullptr && stated.size() > 1) {
      types.assign(tuple->elements.begin(), tuple->elements.end());
    }
    if (types.size() != stated.size()) {
      sink_->Error("MX-CALL-2", ret.span,
                   absl::StrCat("'", function.name, "' states ", stated.size(),
                                " returned values and returns ", types.size()));
      return;
    }
    for (size_t i = 0; i < stated.size(); ++i) {
      if (FitsType(*types[i], *stated[i])) continue;
      sink_->Error(
          "MX-CALL-2", ret.span,
          absl::StrCat("'", function.name, "' returns ", PrintType(types[i]),
                       " as value ", i, ", it states ", PrintType(stated[i])));
    }
  }

  DiagnosticSink* sink_;
};

}  // namespace

void VerifyCallTypes(const Program& program, DiagnosticSink* sink) {
  CallTypeChecker checker(sink);
  for (const Function* function : program.functions) {
    checker.CheckFunction(program, *function);
  }
}

}  // namespace mxtile::ir
