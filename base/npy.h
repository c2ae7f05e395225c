#ifndef BASE_NPY_H_
#define BASE_NPY_H_

// NumPy's .npy files, as bytes.
//
//   MX_ASSIGN_OR_RETURN(const std::string bytes, ReadFile("a.npy"));
//   MX_ASSIGN_OR_RETURN(const NpyArray a, ParseNpy(bytes, "a.npy"));
//   // a.descr == "<f4", a.shape == {2, 3}, a.bytes.size() == 24
//   MX_RETURN_IF_ERROR(WriteFileAtomically("b.npy", SerializeNpy(a)));
//
// Supported: format versions 1.0 and 2.0, C order, little endian, and the types
//
//   "<f2" "<f4" "<f8"   floats
//   "|i1" "<i2" "<i4" "<i8"   signed integers
//   "|u1" "<u2" "<u4"   unsigned integers
//
// NumPy has no bf16, FP8 or FP4: their codes travel as "<u2" and "|u1".
//
// Format: numpy.lib.format, "Format Version 1.0" and "2.0".

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace mxtile {

struct NpyArray {
  // One of the types above, spelled as there.
  std::string descr;
  // Empty for a scalar.
  std::vector<int64_t> shape;
  // The elements in C order: (product of shape) * (bytes of an element).
  std::string bytes;
};

// `bytes` is a whole file, `name` is what errors call it. Every deviation from
// the format or from what is supported is a kInvalidArgument that says what is
// wrong; bytes after the array are one, too.
absl::StatusOr<NpyArray> ParseNpy(absl::string_view bytes,
                                  absl::string_view name);

// What a .npy file says before its data, for files that are read in parts.
struct NpyHeader {
  std::string descr;
  // Whether the first extent changes fastest.
  bool fortran_order = false;
  std::vector<int64_t> shape;
  // Bytes before the data, and of the data.
  int64_t data_offset = 0;
  int64_t data_size_bytes = 0;
};

// As ParseNpy of a file of `file_size` bytes of which these are the first ones:
// kMaxNpyHeaderBytes, or all. A header that is longer is an error. Fortran
// order is none.
inline constexpr int64_t kMaxNpyHeaderBytes = 1 << 20;
absl::StatusOr<NpyHeader> ParseNpyHeader(absl::string_view first_bytes,
                                         int64_t file_size,
                                         absl::string_view name);

// The start of the file of an array of this type and shape, up to the data.
std::string SerializeNpyHeader(absl::string_view descr,
                               absl::Span<const int64_t> shape);

// The file of an array, which is as described above (else a bug). Data starts
// at a multiple of 64 bytes. Version 1.0, for shapes of thousands of
// dimensions 2.0.
std::string SerializeNpy(const NpyArray& array);

}  // namespace mxtile

#endif  // BASE_NPY_H_
