#include "kernels/tile_layout.h"

#include <array>

#include "absl/strings/string_view.h"

namespace mxtile {

absl::string_view Name(TileLayout layout) {
  static constexpr std::array<absl::string_view, 5> kNames = {"ND", "NZ", "ZN",
                                                              "ZZ", "NN"};
  return kNames[static_cast<int>(layout)];
}

}  // namespace mxtile
