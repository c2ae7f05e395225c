#include "exec/simd/buffer_span.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "exec/simd/element_type.h"
#include "exec/simd/tile_program.h"

namespace mxtile::exec::simd {
namespace {

// None where no memory could hold so many.
std::optional<int64_t> ElementsOf(const View& view) {
  // Below, BytesOf() does not overflow for any type.
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max() / 64;
  int64_t elements = 1;
  for (const int64_t extent : view.shape) {
    if (extent == 0) return 0;
    if (elements > kMost / extent) elements = kMost + 1;
    if (elements <= kMost) elements *= extent;
  }
  if (elements > kMost) return std::nullopt;
  return elements;
}

}  // namespace

absl::Status CheckBuffers(const TileProgram& program,
                          absl::Span<const BufferSpan> buffers) {
  for (const View& view : program.views) {
    if (view.buffer < 0 || view.buffer >= static_cast<int>(buffers.size())) {
      return absl::InvalidArgumentError(
          absl::StrCat("view ", view.name, " is in buffer ", view.buffer,
                       ", but there are ", buffers.size(), " buffers"));
    }
    const std::optional<int64_t> elements = ElementsOf(view);
    const int64_t bytes = buffers[view.buffer].bytes;
    if (!elements.has_value() || BytesOf(view.type, *elements) > bytes) {
      return absl::InvalidArgumentError(absl::StrCat(
          "view ", view.name, ", ", Name(view.type), " [",
          absl::StrJoin(view.shape, ", "), "], needs more than the ", bytes,
          " bytes of buffer ", view.buffer));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckRange(const TileProgram& program, ProgramRange range) {
  if (range.begin >= 0 && range.begin <= range.end &&
      range.end <= program.program_count) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "instances ", range.begin, " up to ", range.end, " of program ",
      program.name, ", which has ", program.program_count));
}

}  // namespace mxtile::exec::simd
