#include "kernels/a5/store.h"

#include <cstdint>
#include <vector>

#include "a5_model/cube/store_acc.h"
#include "a5_model/machine.h"
#include "a5_model/soc/soc.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"
#include "kernels/a5/gm_tensor.h"
#include "kernels/a5/tile.h"
#include "numerics/element_format.h"

namespace mxtile {
namespace a5 {

absl::Status TStoreAcc(Machine& machine, const Tile& source,
                       const GmTensor& destination, const GmWindow& window) {
  constexpr absl::string_view kOp = "TSTORE";
  MX_RETURN_IF_ERROR(
      CheckTile(kOp, "source", source, MemorySpace::kAcc, TileLayout::kNz));
  MX_ASSIGN_OR_RETURN(const uint64_t address,
                      WindowAddress(kOp, destination, window));
  const std::vector<int64_t> valid = {source.valid_rows, source.valid_cols};
  if (window.sizes != valid || destination.strides[1] != 1 ||
      source.format != ElementFormat::kF32 ||
      destination.format != ElementFormat::kF32) {
    return absl::InvalidArgumentError(absl::StrCat(
        kOp, ": ", ToString(source), " into ", ToString(destination, window),
        ": takes f32, a window of the valid region and adjacent columns "
        "(A5-TILE-3)"));
  }
  const int64_t block = machine.soc().cube.fractal_rows;
  return StoreAcc(
      machine,
      {source.address, (source.valid_rows + block - 1) / block * block,
       source.valid_rows, source.valid_cols, address, destination.strides[0]});
}

}  // namespace a5
}  // namespace mxtile
