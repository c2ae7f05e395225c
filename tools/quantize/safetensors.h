#ifndef TOOLS_QUANTIZE_SAFETENSORS_H_
#define TOOLS_QUANTIZE_SAFETENSORS_H_

// The headers of .safetensors files, read strictly: what is accepted means one
// thing, and every tensor lies in the file.
//
//   MX_ASSIGN_OR_RETURN(const InputFile file, InputFile::Open(path));
//   MX_ASSIGN_OR_RETURN(const SafetensorsHeader header,
//                       ReadSafetensorsHeader(file));
//   for (const SafetensorsTensor& tensor : header.tensors) {
//     file.ReadAt(header.data_offset + tensor.begin, ...);
//   }
//
// A file is 8 bytes with the length N of the header, little endian; N bytes of
// JSON, an object that may end in spaces; and the data. The object has a member
// for each tensor
//
//   "model.w": {"dtype": "BF16", "shape": [4, 8], "data_offsets": [0, 64]}
//
// with offsets from the start of the data, and may have "__metadata__", an
// object of strings. Elements are little endian and in C order. Rank 0 and
// tensors without elements are legal.
//
// Errors (kInvalidArgument, with the name of the file):
//   MX-SAFETENSORS-1  N is at most kMaxHeaderBytes and the header lies in the
//                     file;
//   MX-SAFETENSORS-2  the header is JSON of the form above, no key twice and
//                     none but these, at most 64 extents;
//   MX-SAFETENSORS-3  a dtype is one of DtypeBits;
//   MX-SAFETENSORS-4  a tensor has the bytes that dtype and shape say, whole
//                     ones and fewer than 2^63;
//   MX-SAFETENSORS-5  the tensors cover the data: no gap, no overlap, none
//                     beyond the end of the file;
//   MX-SAFETENSORS-6  a name is not empty, is not "__metadata__" and has no
//                     control character, no backslash, no part "..", no "/" at
//                     its start: other tools make files of names.
//
// Source: the format's page and its reference reader (huggingface/safetensors),
// from which the limit of the header is.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "base/positioned_file.h"

namespace mxtile {

inline constexpr int64_t kMaxSafetensorsHeaderBytes = 100'000'000;

struct SafetensorsTensor {
  std::string name;
  std::string dtype;
  std::vector<int64_t> shape;
  // Bytes begin .. end - 1 of the data.
  int64_t begin = 0;
  int64_t end = 0;

  int64_t size_bytes() const { return end - begin; }
};

struct SafetensorsHeader {
  // By begin, then by name.
  std::vector<SafetensorsTensor> tensors;
  std::map<std::string, std::string> metadata;
  // Where the data starts in the file.
  int64_t data_offset = 0;
};

// Bits of an element: BOOL U8 I8 F8_E4M3 F8_E5M2 F8_E8M0 F8_E4M3FNUZ
// F8_E5M2FNUZ 8, F4 4, F6_E2M3 F6_E3M2 6, I16 U16 F16 BF16 16, I32 U32 F32 32,
// I64 U64 F64 C64 64; nothing for other names.
absl::optional<int> DtypeBits(absl::string_view dtype);

// MX-SAFETENSORS-3 and -4 of a dtype and a shape.
absl::StatusOr<int64_t> SafetensorsBytes(absl::string_view dtype,
                                         absl::Span<const int64_t> shape);

// MX-SAFETENSORS-6.
absl::Status CheckTensorName(absl::string_view name);

// The header of a file of `file_size` bytes; `json` is what follows the length.
absl::StatusOr<SafetensorsHeader> ParseSafetensorsHeader(
    absl::string_view json, int64_t file_size, absl::string_view file_name);

absl::StatusOr<SafetensorsHeader> ReadSafetensorsHeader(const InputFile& file);

// The start of a file with these tensors: length and JSON, spaces up to a
// multiple of 64 bytes, where the data starts. Metadata in the order of its
// keys, tensors in theirs. They are as a reader wants them (else a bug), but
// MX-SAFETENSORS-1 when the header is too long.
absl::StatusOr<std::string> SerializeSafetensorsHeader(
    absl::Span<const SafetensorsTensor> tensors,
    const std::map<std::string, std::string>& metadata);

}  // namespace mxtile

#endif  // TOOLS_QUANTIZE_SAFETENSORS_H_
