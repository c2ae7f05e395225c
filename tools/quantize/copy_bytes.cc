#include "tools/quantize/copy_bytes.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "base/positioned_file.h"
#include "base/sha256.h"
#include "base/status_macros.h"

namespace mxtile {
namespace {

template <typename File, typename Function>
absl::Status ForEachPart(const File& file, int64_t offset, int64_t size,
                         Function function) {
  std::vector<uint8_t> buffer(std::min(size, kCopyBytes));
  for (int64_t done = 0; done < size;) {
    const auto part = absl::MakeSpan(buffer).subspan(
        0, std::min<int64_t>(kCopyBytes, size - done));
    MX_RETURN_IF_ERROR(file.ReadAt(offset + done, part));
    MX_RETURN_IF_ERROR(function(done, part));
    done += part.size();
  }
  return absl::OkStatus();
}

template <typename File>
absl::StatusOr<std::string> Digest(const File& file, int64_t offset,
                                   int64_t size) {
  Sha256 sha;
  MX_RETURN_IF_ERROR(ForEachPart(file, offset, size,
                                 [&](int64_t, absl::Span<const uint8_t> part) {
                                   sha.Update(part);
                                   return absl::OkStatus();
                                 }));
  return sha.FinishHex();
}

}  // namespace

absl::Status CopyBytes(const InputFile& in, int64_t offset, int64_t size,
                       const OutputFile& out, int64_t out_offset,
                       const std::function<void(int64_t)>& progress) {
  return ForEachPart(in, offset, size,
                     [&](int64_t done, absl::Span<const uint8_t> part) {
                       if (progress) progress(part.size());
                       return out.WriteAt(out_offset + done, part);
                     });
}

absl::StatusOr<std::string> DigestOf(const InputFile& file, int64_t offset,
                                     int64_t size) {
  return Digest(file, offset, size);
}

absl::StatusOr<std::string> DigestOf(const OutputFile& file, int64_t offset,
                                     int64_t size) {
  return Digest(file, offset, size);
}

}  // namespace mxtile
