#include "exec/reference/mx_quantize.h"

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "kernels/group_axis.h"
#include "kernels/reference/quantize.h"
#include "numerics/element_format.h"
#include "numerics/overflow.h"
#include "numerics/scale_rule.h"

namespace mxtile::exec {
namespace {

std::vector<double> DecodeAll(ElementFormat format,
                              const std::vector<uint8_t>& codes) {
  std::vector<double> values;
  values.reserve(codes.size());
  for (const uint8_t code : codes) values.push_back(Decode(format, code));
  return values;
}

}  // namespace

absl::StatusOr<MxValues> QuantizeValues(absl::Span<const double> values,
                                        int64_t rows, int64_t cols,
                                        ElementFormat source, GroupAxis axis) {
  std::vector<float> rounded;
  rounded.reserve(values.size());
  for (const double value : values) {
    rounded.push_back(Decode(
        source, Encode(source, static_cast<float>(value), Overflow::kSpecial)));
  }
  MX_ASSIGN_OR_RETURN(const QuantizedMatrix matrix,
                      Quantize(rounded, rows, cols, axis,
                               ElementFormat::kF8E4M3FN, ScaleRule::kOcp));
  return MxValues{DecodeAll(ElementFormat::kF8E4M3FN, matrix.codes),
                  DecodeAll(ElementFormat::kF8E8M0FNU, matrix.scales)};
}

}  // namespace mxtile::exec
