#include "exec/specialize.h"

#include <cstdint>
#include <map>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "exec/scalar.h"
#include "exec/value.h"
#include "ir/expr.h"
#include "ir/rewriter.h"
#include "ir/rule_error.h"
#include "ir/type.h"

namespace mxtile::exec {
namespace {

// Puts constants in place of the dims and folds what they make constant.
class Specializer : public ir::Rewriter {
 public:
  Specializer(const ir::Program& program,
              const std::map<std::string, int64_t>& values,
              ir::Context* context)
      : Rewriter(context) {
    for (const ir::Var* dim : program.dynamic_dims) {
      constants_[dim] =
          this->context().Index(values.at(std::string(dim->name)));
    }
  }

 protected:
  const ir::Expr* RewriteNode(const ir::Expr* node) override {
    if (const ir::Var* var = ir::DynCast<ir::Var>(node)) {
      const auto it = constants_.find(var);
      return it != constants_.end() ? it->second : node;
    }
    const ir::Binary* binary = ir::DynCast<ir::Binary>(node);
    if (binary == nullptr) return node;
    const ir::ConstInt* lhs = ir::AsConstInt(binary->lhs);
    const ir::ConstInt* rhs = ir::AsConstInt(binary->rhs);
    if (lhs == nullptr || rhs == nullptr) return node;
    const absl::StatusOr<Value> value = EvalBinary(
        binary->op, Value(lhs->value), Value(rhs->value), lhs->dtype());
    // A division by zero stays, for whoever runs it to report.
    return value.ok() && value->is_int()
               ? context().Int(value->AsInt(), lhs->dtype())
               : node;
  }

 private:
  std::map<const ir::Var*, const ir::ConstInt*> constants_;
};

}  // namespace

absl::StatusOr<const ir::Program*> SpecializeDims(
    const ir::Program* program, const std::map<std::string, int64_t>& values,
    ir::Context* context) {
  if (program->dynamic_dims.empty()) return program;
  for (const ir::Var* dim : program->dynamic_dims) {
    const auto it = values.find(std::string(dim->name));
    if (it == values.end()) {
      return ir::RuleError(
          "MX-INPUT-6",
          absl::StrCat("dynamic dimension '", dim->name,
                       "' has no value; give --set ", dim->name, "=INT"));
    }
    if (it->second <= 0) {
      return ir::RuleError(
          "MX-INPUT-9", absl::StrCat("dynamic dimension '", dim->name,
                                     "' must be positive, not ", it->second));
    }
  }
  ir::Program copy =
      *Specializer(*program, values, context).RewriteProgram(program);
  copy.dynamic_dims = {};
  return context->New(copy);
}

}  // namespace mxtile::exec
