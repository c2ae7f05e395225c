#include "passes/resolve_backend_op_layouts/row_major_ops.h"

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"

namespace mxtile {
namespace {

using Walk = RowMajorOp::Walk;

constexpr absl::string_view kElementwise[] = {
    "tile.abs",      "tile.add",      "tile.adds",     "tile.addsc",
    "tile.and",      "tile.cast",     "tile.div",      "tile.divs",
    "tile.exp",      "tile.fmod",     "tile.fmods",    "tile.gatherb",
    "tile.log",      "tile.lrelu",    "tile.maximum",  "tile.maximums",
    "tile.minimum",  "tile.mul",      "tile.muls",     "tile.not",
    "tile.or",       "tile.part_add", "tile.part_max", "tile.part_min",
    "tile.part_mul", "tile.recip",    "tile.relu",     "tile.shl",
    "tile.shr",      "tile.sqrt",     "tile.sub",      "tile.subs",
    "tile.subsc",
};

constexpr RowMajorOp kOthers[] = {
    {"tile.prelu", Walk::kElements, /*scratch=*/2},
    {"tile.rem", Walk::kElements, /*scratch=*/2},
    {"tile.rsqrt", Walk::kElements, /*scratch=*/1},
    {"tile.xor", Walk::kElements, /*scratch=*/2},
    {"tile.mscatter", Walk::kElements, /*scratch=*/-1, /*result=*/false},
    {"tile.cmps", Walk::kRows},
    {"tile.mrgsort_format1", Walk::kRows},
    {"tile.mrgsort_format2", Walk::kRows},
    {"tile.sel", Walk::kRows, /*scratch=*/3},
    {"tile.sels", Walk::kRows, /*scratch=*/2},
    {"tile.sort32", Walk::kRows},
};

}  // namespace

const RowMajorOp* FindRowMajorOp(absl::string_view name) {
  static const auto* const ops = [] {
    auto* table = new absl::flat_hash_map<absl::string_view, RowMajorOp>;
    for (const absl::string_view op : kElementwise) {
      table->emplace(op, RowMajorOp{op, Walk::kElements});
    }
    for (const RowMajorOp& op : kOthers) table->emplace(op.name, op);
    return table;
  }();
  const auto it = ops->find(name);
  return it == ops->end() ? nullptr : &it->second;
}

}  // namespace mxtile
