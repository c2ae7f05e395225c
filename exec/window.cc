#include "exec/window.h"

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "ir/rule_error.h"

namespace mxtile::exec {
namespace {

std::string List(const std::vector<int64_t>& values) {
  return absl::StrCat("[", absl::StrJoin(values, ", "), "]");
}

}  // namespace

std::vector<int64_t> Integers(const Value& tuple) {
  std::vector<int64_t> result;
  for (const Value& item : tuple.AsTuple()) result.push_back(item.AsInt());
  return result;
}

absl::Status CheckWindow(absl::string_view op,
                         const std::vector<int64_t>& shape,
                         const std::vector<int64_t>& offsets,
                         const std::vector<int64_t>& sizes) {
  bool inside = offsets.size() == shape.size() && sizes.size() == shape.size();
  for (size_t i = 0; inside && i < shape.size(); ++i) {
    inside = offsets[i] >= 0 && sizes[i] >= 0 && sizes[i] <= shape[i] &&
             offsets[i] <= shape[i] - sizes[i];
  }
  if (inside) return absl::OkStatus();
  return ir::RuleError(
      "MX-REF-2",
      absl::StrCat(op, ": window ", List(sizes), " at ", List(offsets),
                   " leaves the tensor ", List(shape)));
}

absl::Status CheckExtents(absl::string_view op,
                          const std::vector<int64_t>& sizes) {
  bool held = true;
  int64_t elements = 1;
  for (const int64_t size : sizes) {
    held &= size >= 0 && !__builtin_mul_overflow(elements, size, &elements) &&
            elements <= kMaxElements;
  }
  if (held) return absl::OkStatus();
  return ir::RuleError("MX-REF-2",
                       absl::StrCat(op, ": the extents ", List(sizes),
                                    " are negative or too large"));
}

bool StoreAdds(const ir::Call& store) {
  const ir::AttrValue* atomic = ir::FindAttr(store.kwargs, "atomic");
  if (atomic == nullptr) return false;
  return atomic->kind == ir::AttrValue::Kind::kInt ? atomic->int_value != 0
                                                   : atomic->text != "None_";
}

TileExtent FoldedExtent(const std::vector<int64_t>& sizes) {
  TileExtent extent{1, sizes.empty() ? 1 : sizes.back()};
  for (size_t i = 0; i + 1 < sizes.size(); ++i) extent.rows *= sizes[i];
  return extent;
}

}  // namespace mxtile::exec
