#ifndef LAYOUTS_CONVERSION_H_
#define LAYOUTS_CONVERSION_H_

// From one layout of a matrix to another: the index map of the one, inverted,
// followed by that of the other.
//
//   MX_ASSIGN_OR_RETURN(const Conversion nd_to_zz,
//                       Conversion::Create(nd.map(), zz.map()));
//   nd_to_zz.Destination(2) == 32   // [32, 4]: ND byte 2, (0, 2), goes to 32
//   MX_ASSIGN_OR_RETURN(const std::vector<uint8_t> packed,
//                       nd_to_zz.Converted(/*element_bits=*/8, bytes));

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "layouts/index_map.h"

namespace mxtile {

// Bytes of `elements` of 4, 8, 16 or 32 bits; a last half byte counts as one.
int64_t BytesOfElements(int64_t elements, int element_bits);

class Conversion {
 public:
  // Error (kInvalidArgument) MX-CONVERT-1: the two hold matrices of
  // different shapes.
  static absl::StatusOr<Conversion> Create(IndexMap from, IndexMap to);

  const IndexMap& from() const { return from_; }
  const IndexMap& to() const { return to_; }

  // Where the element at an offset of `from` goes; nothing for padding.
  // 0 <= offset < from().size().
  std::optional<int64_t> Destination(int64_t offset) const;

  // Copies every element; the padding of `destination` becomes 0. Elements of 4
  // bits lie two to a byte, that of the even offset in the low nibble. Error
  // (kInvalidArgument) MX-CONVERT-2: a span has not the bytes of its map.
  // Elements have 4, 8, 16 or 32 bits; anything else is a bug.
  absl::Status Apply(int element_bits, absl::Span<const uint8_t> source,
                     absl::Span<uint8_t> destination) const;

  // The same into bytes of its own.
  absl::StatusOr<std::vector<uint8_t>> Converted(
      int element_bits, absl::Span<const uint8_t> source) const;

 private:
  Conversion(IndexMap from, IndexMap to);

  IndexMap from_;
  IndexMap to_;
};

}  // namespace mxtile

#endif  // LAYOUTS_CONVERSION_H_
