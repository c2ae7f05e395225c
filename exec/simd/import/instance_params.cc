#include "exec/simd/import/instance_params.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/data_type.h"
#include "ir/expr.h"
#include "ir/rule_error.h"
#include "ir/type.h"

namespace mxtile::exec::simd {
namespace {

constexpr int64_t kMaxInstances = int64_t{1} << 31;

absl::Status Misfit(const std::string& what) {
  return ir::RuleError("MX-SIMD-7", what);
}

}  // namespace

absl::Status CheckRequest(const ir::Function& function,
                          const ImportRequest& request) {
  if (request.params.size() != function.params.size()) {
    return Misfit(absl::StrCat("'", function.name, "' has ",
                               function.params.size(),
                               " parameters, the "
                               "request ",
                               request.params.size()));
  }
  int64_t instances = 1;
  for (const int64_t digit : request.digits) {
    if (digit >= 1 && instances <= kMaxInstances / digit) {
      instances *= digit;
      continue;
    }
    return Misfit(absl::StrCat("'", function.name,
                               "' needs digits of 1 and "
                               "more and at most 2^31 instances, got ",
                               digit));
  }
  const auto fits = [&](const InstanceScalar& scalar) {
    return scalar.steps.size() <= request.digits.size() &&
           (scalar.table.empty() ||
            static_cast<int64_t>(scalar.table.size()) == instances);
  };
  for (size_t i = 0; i < request.params.size(); ++i) {
    const ir::Var& param = *function.params[i];
    const bool is_tensor = ir::Isa<ir::TensorType>(param.type);
    if (is_tensor && request.params[i].buffer < 0) {
      return Misfit(absl::StrCat("'", param.name, "' has no buffer"));
    }
    if (!is_tensor && !fits(request.params[i].scalar)) {
      return Misfit(absl::StrCat("'", param.name,
                                 "' has more steps than there "
                                 "are digits, or a table that is not one entry "
                                 "an instance"));
    }
  }
  if (!fits(request.block_index) || request.block_count < 1) {
    return Misfit(absl::StrCat("'", function.name,
                               "' needs a block index for "
                               "each instance and a block count above 0"));
  }
  return absl::OkStatus();
}

int64_t InstanceCount(const ImportRequest& request) {
  int64_t instances = 1;
  for (const int64_t digit : request.digits) instances *= digit;
  return instances;
}

InstanceParams::InstanceParams(const ImportRequest& request,
                               TileProgramBuilder* builder, Scalars* scalars)
    : request_(request),
      b_(*builder),
      scalars_(*scalars),
      program_index_(builder->ProgramIndex()) {
  for (const ImportedParam& param : request.params) {
    next_buffer_ = std::max(next_buffer_, param.buffer + 1);
  }
}

Scalar InstanceParams::Digit(size_t digit) {
  const int64_t extent = request_.digits[digit];
  int64_t inner = 1;
  for (size_t i = digit + 1; i < request_.digits.size(); ++i) {
    inner *= request_.digits[i];
  }
  ValueId id = program_index_;
  if (inner != 1) {
    id = b_.Binary(BinaryKind::kFloorDiv, id, scalars_.Index(inner).id);
  }
  if (digit != 0) {
    id = b_.Binary(BinaryKind::kMod, id, scalars_.Index(extent).id);
  }
  return scalars_.Opaque(id, {Linear(0)}, {Linear(extent - 1)});
}

Scalar InstanceParams::FromTable(const InstanceScalar& scalar,
                                 absl::string_view name) {
  const auto [min, max] =
      std::minmax_element(scalar.table.begin(), scalar.table.end());
  const ViewId view = b_.AddView({absl::StrCat(name, " by instance"),
                                  ElementType::kIndex,
                                  {InstanceCount(request_)},
                                  next_buffer_});
  tables_.push_back({next_buffer_++, scalar.table});
  Window window;
  window.origins = {program_index_};
  window.axes = {kNoDim};
  return scalars_.Opaque(b_.Load(view, std::move(window)), {Linear(*min)},
                         {Linear(*max)});
}

Scalar InstanceParams::Make(const InstanceScalar& scalar,
                            absl::string_view name) {
  if (!scalar.table.empty()) return FromTable(scalar, name);
  constexpr ir::DataType kType = ir::DataType::kIndex;
  Scalar sum = scalars_.Index(scalar.base);
  bool is_first = scalar.base == 0;
  for (size_t i = 0; i < scalar.steps.size(); ++i) {
    if (scalar.steps[i] == 0 || request_.digits[i] == 1) continue;
    // Sums and products of indices are there.
    Scalar term = Digit(i);
    if (scalar.steps[i] != 1) {
      term = *scalars_.Binary(ir::BinaryOp::kMul, term,
                              scalars_.Index(scalar.steps[i]), kType);
    }
    sum = is_first ? term
                   : *scalars_.Binary(ir::BinaryOp::kAdd, sum, term, kType);
    is_first = false;
  }
  return sum;
}

}  // namespace mxtile::exec::simd
