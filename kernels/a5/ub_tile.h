#ifndef KERNELS_A5_UB_TILE_H_
#define KERNELS_A5_UB_TILE_H_

// A tile in UB, for the vector kernels.
//
//   // [64, 96] bfloats at 0x2000, of which 64 x 80 are valid.
//   const UbTile src = {{ElementFormat::kBF16, 64, 96, 64, 80}, 0x2000};
//   MX_RETURN_IF_ERROR(CheckUbTile("TQUANT", "src", src));
//
// The type says where elements lie (kernels/tile_view.h); the vector unit adds
// that blocks of 32 bytes are its unit.

#include <cstdint>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "kernels/tile_view.h"

namespace mxtile {
namespace a5 {

struct UbTile {
  TileType type;
  uint64_t address;
};

// Elements from one row of a row-major tile to the next.
int64_t RowPitch(const TileType& type);

// Bytes of `elements` elements of the tile's format, which are whole bytes.
int64_t ElementsToBytes(const TileType& type, int64_t elements);

// Rows of 32-byte blocks: the address and, where there is more than one row,
// the pitch of a row-major tile are multiples of 32 bytes.
enum class RowAlignment { kBlocks, kAny };

// Errors (InvalidArgument), each naming the operation and the tile's role:
//   A5-UB-1  the address is a multiple of 32, and rows are as `rows` says;
//   A5-UB-2  the tile ends within UB;
// and those of TileMap.
absl::Status CheckUbTile(absl::string_view op, absl::string_view role,
                         const UbTile& tile,
                         RowAlignment rows = RowAlignment::kBlocks);

struct NamedUbTile {
  absl::string_view role;
  UbTile tile;
};

// A5-UB-3 when two legal tiles share bytes.
absl::Status CheckDisjoint(absl::string_view op,
                           absl::Span<const NamedUbTile> tiles);

}  // namespace a5
}  // namespace mxtile

#endif  // KERNELS_A5_UB_TILE_H_
