#ifndef TOOLS_QUANTIZE_COPY_BYTES_H_
#define TOOLS_QUANTIZE_COPY_BYTES_H_

// Ranges of large files, through a buffer of kCopyBytes: copied, or as a
// digest.
//
//   MX_RETURN_IF_ERROR(CopyBytes(in, 100, size, out, 0, progress));
//   MX_ASSIGN_OR_RETURN(const std::string hex, DigestOf(in, 0, in.size()));

#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/positioned_file.h"

namespace mxtile {

inline constexpr int64_t kCopyBytes = int64_t{1} << 22;

// `progress` is told the bytes of each part.
absl::Status CopyBytes(const InputFile& in, int64_t offset, int64_t size,
                       const OutputFile& out, int64_t out_offset,
                       const std::function<void(int64_t)>& progress);

// Sha256Hex of the range.
absl::StatusOr<std::string> DigestOf(const InputFile& file, int64_t offset,
                                     int64_t size);
absl::StatusOr<std::string> DigestOf(const OutputFile& file, int64_t offset,
                                     int64_t size);

}  // namespace mxtile

#endif  // TOOLS_QUANTIZE_COPY_BYTES_H_
