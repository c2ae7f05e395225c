#ifndef KERNELS_A5_TQUANT_TEST_UTIL_H_
#define KERNELS_A5_TQUANT_TEST_UTIL_H_

// TQUANT on the model against kernels/reference, for tests: all bytes of all
// outputs, guards around each tile, and the valid elements of the source.
//
//   QuantCase c = WholeTileCase(options, FullTile(ElementFormat::kBF16, 64,
//   64)); ExpectModelEqualsReference(c, source);

#include <string>

#include "kernels/a5/tquant.h"
#include "kernels/group_tile.h"
#include "kernels/reference/tile_test_util.h"
#include "kernels/tile_view.h"
#include "kernels/tquant_options.h"

namespace mxtile {
namespace a5 {

struct QuantCase {
  TQuantOptions options;
  TileType src;
  TileType dst;
  GroupForm form;
  TileType exp;
  TileType scratch;  // of maxima and scalings
};

std::string ToString(const QuantCase& c);

// 2-D tiles of groups, dense along axis 1 and in rows of whole blocks along
// axis 0; with `form` kFlat flat ones.
QuantCase WholeTileCase(const TQuantOptions& options, const TileType& src,
                        GroupForm form = GroupForm::k2d);

// `paths` may be null.
void ExpectModelEqualsReference(const QuantCase& c, const TestTile& src,
                                PathCounts* paths = nullptr);

}  // namespace a5
}  // namespace mxtile

#endif  // KERNELS_A5_TQUANT_TEST_UTIL_H_
