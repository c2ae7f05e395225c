#include "kernels/a5/ub_tile.h"

#include <cstdint>

#include "a5_model/soc/soc.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/status_macros.h"
#include "kernels/tile_layout.h"
#include "kernels/tile_view.h"
#include "numerics/element_format.h"

namespace mxtile {
namespace a5 {
namespace {

constexpr int64_t kBlockBytes = 32;

absl::Status Fault(absl::string_view op, absl::string_view role,
                   const UbTile& tile, absl::string_view fault) {
  return absl::InvalidArgumentError(
      absl::StrFormat("%s: tile '%s', %s at UB 0x%x, %s", op, role,
                      ToString(tile.type), tile.address, fault));
}

}  // namespace

int64_t RowPitch(const TileType& type) {
  return type.pitch == 0 ? type.cols : type.pitch;
}

int64_t ElementsToBytes(const TileType& type, int64_t elements) {
  return elements * BitWidth(type.format) / 8;
}

absl::Status CheckUbTile(absl::string_view op, absl::string_view role,
                         const UbTile& tile, RowAlignment rows) {
  const absl::StatusOr<int64_t> bytes = TileBytes(tile.type);
  if (!bytes.ok()) {
    return absl::Status(bytes.status().code(),
                        absl::StrFormat("%s: tile '%s': %s", op, role,
                                        bytes.status().message()));
  }
  const bool blocks =
      tile.type.layout != TileLayout::kNd || tile.type.rows == 1 ||
      rows == RowAlignment::kAny ||
      ElementsToBytes(tile.type, RowPitch(tile.type)) % kBlockBytes == 0;
  if (tile.address % kBlockBytes != 0 || !blocks) {
    return Fault(op, role, tile,
                 "has an address or rows that are no multiple of 32 bytes "
                 "(A5-UB-1)");
  }
  const int64_t limit = Ascend950().memory(MemorySpace::kVec).limit_bytes;
  if (tile.address > static_cast<uint64_t>(limit) ||
      *bytes > limit - static_cast<int64_t>(tile.address)) {
    return Fault(op, role, tile,
                 absl::StrFormat("takes %d bytes, and UB ends at 0x%x "
                                 "(A5-UB-2)",
                                 *bytes, limit));
  }
  return absl::OkStatus();
}

absl::Status CheckDisjoint(absl::string_view op,
                           absl::Span<const NamedUbTile> tiles) {
  for (size_t i = 0; i < tiles.size(); ++i) {
    for (size_t j = i + 1; j < tiles.size(); ++j) {
      const UbTile& a = tiles[i].tile;
      const UbTile& b = tiles[j].tile;
      MX_ASSIGN_OR_RETURN(const int64_t a_bytes, TileBytes(a.type));
      MX_ASSIGN_OR_RETURN(const int64_t b_bytes, TileBytes(b.type));
      if (a.address + a_bytes <= b.address ||
          b.address + b_bytes <= a.address) {
        continue;
      }
      return Fault(op, tiles[i].role, a,
                   absl::StrFormat("shares bytes with tile '%s', %s at 0x%x "
                                   "(A5-UB-3)",
                                   tiles[j].role, ToString(b.type), b.address));
    }
  }
  return absl::OkStatus();
}

}  // namespace a5
}  // namespace mxtile
