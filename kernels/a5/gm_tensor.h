#ifndef KERNELS_A5_GM_TENSOR_H_
#define KERNELS_A5_GM_TENSOR_H_

// A tensor in global memory and a window of it.
//
//   // Rows 32..63 of a row-major [64, 128] matrix of bytes.
//   const GmTensor a = {address, ElementFormat::kF8E4M3FN, {64, 128}, {128,
//   1}}; const GmWindow rows = {/*offsets=*/{32, 0}, /*sizes=*/{32, 128}};
//   WindowAddress("TLOAD", a, rows);   // address + 32 * 128

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "numerics/element_format.h"

namespace mxtile {
namespace a5 {

// Element (i0, i1, ...) is at address + (i0 * strides[0] + ...) * element
// bytes; of two 4-bit elements in a byte the first has the low nibble.
struct GmTensor {
  uint64_t address;
  ElementFormat format;
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;  // elements, >= 0
};

struct GmWindow {
  std::vector<int64_t> offsets;  // elements, one a dimension
  std::vector<int64_t> sizes;
};

// The address of the window's first element. OutOfRange (A5-TILE-2) when the
// window leaves the tensor or is empty, InvalidArgument when the ranks differ
// or the first of two 4-bit elements in a byte is outside.
absl::StatusOr<uint64_t> WindowAddress(absl::string_view op,
                                       const GmTensor& tensor,
                                       const GmWindow& window);

// "f8E4M3FN [64, 128] strides [128, 1], window [32, 128] at [32, 0]".
std::string ToString(const GmTensor& tensor, const GmWindow& window);

}  // namespace a5
}  // namespace mxtile

#endif  // KERNELS_A5_GM_TENSOR_H_
