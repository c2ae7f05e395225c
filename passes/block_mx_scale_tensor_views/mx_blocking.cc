#include "passes/block_mx_scale_tensor_views/mx_blocking.h"

#include <array>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/check.h"
#include "ir/expr.h"
#include "ir/rule_error.h"

namespace mxtile {
namespace {

struct Part {
  absl::string_view name;
  int axis;
  int64_t multiple;
};

std::array<Part, 2> PartsOf(MxAxes axes) {
  return {Part{"block", axes.block, kMxBlock},
          Part{"group", axes.group, kMxGroup}};
}

}  // namespace

MxAxes MxAxesOf(ir::TensorLayout layout) {
  MX_CHECK(ir::IsMx(layout));
  return layout == ir::TensorLayout::kMxAZZ ? MxAxes{0, 1} : MxAxes{1, 0};
}

absl::Status CheckBlockable(absl::string_view what, MxAxes axes,
                            ir::Dims dims) {
  if (dims.size() != 2) {
    return ir::RuleError(
        "MX-BLOCK-1",
        absl::StrCat(what, " must have rank 2, not ", dims.size()));
  }
  for (const Part& part : PartsOf(axes)) {
    if (ir::AsConstInt(dims[part.axis]) == nullptr) {
      return ir::RuleError(
          "MX-BLOCK-2",
          absl::StrCat(what, " needs a static ", part.name, " dim (axis ",
                       part.axis, "); a dynamic one is not supported"));
    }
  }
  for (const Part& part : PartsOf(axes)) {
    const int64_t value = ir::AsConstInt(dims[part.axis])->value;
    if (value <= 0 || value % part.multiple != 0) {
      return ir::RuleError(
          "MX-BLOCK-3",
          absl::StrCat(what, ": ", part.name, " dim (axis ", part.axis,
                       ") must be a positive multiple of ", part.multiple,
                       ", got ", value));
    }
  }
  return absl::OkStatus();
}

std::array<int64_t, 5> BlockedShape(MxAxes axes, ir::Dims dims) {
  return {1, ir::AsConstInt(dims[axes.block])->value / kMxBlock,
          ir::AsConstInt(dims[axes.group])->value / kMxGroup, kMxBlock,
          kMxGroup};
}

}  // namespace mxtile
