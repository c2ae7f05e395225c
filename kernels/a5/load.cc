#include "kernels/a5/load.h"

#include <cstdint>
#include <string>
#include <vector>

#include "a5_model/cube/load_gm.h"
#include "a5_model/machine.h"
#include "a5_model/soc/soc.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "base/int_math.h"
#include "base/status_macros.h"
#include "kernels/a5/gm_tensor.h"
#include "kernels/a5/tile.h"
#include "numerics/element_format.h"

namespace mxtile {
namespace a5 {
namespace {

constexpr absl::string_view kOp = "TLOAD";

// One load, with what its checks and messages need.
class TileLoader {
 public:
  TileLoader(Machine& machine, const GmTensor& source, const GmWindow& window,
             const Tile& tile)
      : machine_(machine), source_(source), window_(window), tile_(tile) {}

  absl::Status Run() {
    MX_RETURN_IF_ERROR(
        CheckTile(kOp, "destination", tile_, MemorySpace::kMat, tile_.layout));
    if (BitWidth(source_.format) != BitWidth(tile_.format)) {
      return Misfit("the elements differ in width");
    }
    MX_ASSIGN_OR_RETURN(address_, WindowAddress(kOp, source_, window_));
    switch (tile_.layout) {
      case TileLayout::kNz:
        return source_.shape.size() == 5 ? LoadNz() : LoadRowMajor();
      case TileLayout::kZn:
        return LoadColumnMajor();
      case TileLayout::kZz:
        return LoadScale(tile_.valid_rows, tile_.valid_cols, tile_.cols);
      case TileLayout::kNn:
        return LoadScale(tile_.valid_cols, tile_.valid_rows, tile_.rows);
      case TileLayout::kNd:
        return LoadPlain();
    }
    return Misfit("no load has this layout");
  }

 private:
  absl::Status Misfit(absl::string_view why) const {
    return absl::InvalidArgumentError(
        absl::StrCat(kOp, ": ", ToString(source_, window_), " into ",
                     ToString(tile_), ": ", why, " (A5-TILE-3)"));
  }

  absl::Status CheckSizes(const std::vector<int64_t>& expected) const {
    if (window_.sizes == expected) return absl::OkStatus();
    return Misfit(absl::StrCat("the tile takes a window [",
                               absl::StrJoin(expected, ", "), "]"));
  }

  // The strides of the dimensions within a box, from the innermost outwards.
  absl::Status CheckInnerStrides(const std::vector<int64_t>& expected) const {
    const std::vector<int64_t> inner(source_.strides.begin() + 2,
                                     source_.strides.end());
    if (inner == expected) return absl::OkStatus();
    return Misfit(absl::StrCat("the inner strides have to be [",
                               absl::StrJoin(expected, ", "), "]"));
  }

  absl::Status LoadRowMajor() {
    MX_RETURN_IF_ERROR(CheckSizes({tile_.valid_rows, tile_.valid_cols}));
    if (source_.strides[1] != 1) return Misfit("columns are not adjacent");
    return LoadRows(tile_.valid_rows, tile_.valid_cols, source_.strides[0],
                    tile_.rows);
  }

  // Headers: nValue = rows, dValue = columns, destination pitch = tile rows.
  // Elements of 4 bits go as bytes, two at a time, so a row is whole bytes.
  absl::Status LoadRows(int64_t rows, int64_t columns, int64_t stride,
                        int64_t destination_rows) {
    const int bits = BitWidth(tile_.format);
    if (stride * bits % 8 != 0) {
      return Misfit("a row of 4-bit elements ends in the middle of a byte");
    }
    const int64_t element_bytes = bits < 8 ? 1 : bits / 8;
    return LoadNd2Nz(
        machine_,
        {address_, rows, ElementBytes(tile_.format, columns) / element_bytes,
         element_bytes, stride * bits / 8 / element_bytes, tile_.address,
         destination_rows});
  }

  // ZN of [R, C] is NZ of [C, R], and column-major [R, C] is row-major [C, R].
  absl::Status LoadColumnMajor() {
    MX_RETURN_IF_ERROR(CheckSizes({tile_.valid_rows, tile_.valid_cols}));
    if (source_.strides[0] != 1) return Misfit("rows are not adjacent");
    return LoadRows(tile_.valid_cols, tile_.valid_rows, source_.strides[1],
                    tile_.cols);
  }

  // A column of fractals is one burst: rows of 32 bytes without gaps.
  absl::Status LoadNz() {
    const CubeInfo& cube = machine_.soc().cube;
    const int64_t c0 = FractalColumns(tile_.format);
    const int64_t blocks = CeilDivide(tile_.valid_rows, cube.fractal_rows);
    const int64_t columns = CeilDivide(tile_.valid_cols, c0);
    MX_RETURN_IF_ERROR(CheckSizes({1, columns, blocks, cube.fractal_rows, c0}));
    MX_RETURN_IF_ERROR(CheckInnerStrides({cube.fractal_rows * c0, c0, 1}));
    return LoadBursts(machine_,
                      {address_, columns, blocks * cube.fractal_bytes,
                       ElementBytes(tile_.format, source_.strides[1]),
                       tile_.address, tile_.rows * cube.fractal_row_bytes});
  }

  // `lines` rows of A or columns of B; a burst takes one block of 16 of them,
  // `ng` boxes of 16 x 2, and the pitch in Mat is that of the whole tile:
  // 16 * tile groups bytes.
  absl::Status LoadScale(int64_t lines, int64_t groups, int64_t tile_groups) {
    const CubeInfo& cube = machine_.soc().cube;
    if (source_.format != ElementFormat::kF8E8M0FNU) {
      return Misfit("scales are f8E8M0FNU");
    }
    if (groups % 2 != 0) {
      return Misfit("an odd number of groups: pad to an even one");
    }
    const int64_t blocks = CeilDivide(lines, cube.fractal_rows);
    if (source_.shape.size() != 5) {
      return Misfit(
          "scales are loaded from a tensor [1, blocks, pairs, 16, 2] or [1, 1, "
          "pairs, lines, 2]");
    }
    if (IsInterleaved()) return LoadPairs(lines, groups, tile_groups);
    MX_RETURN_IF_ERROR(
        CheckSizes({1, blocks, groups / 2, cube.fractal_rows, 2}));
    MX_RETURN_IF_ERROR(CheckInnerStrides({cube.scale_box_bytes, 2, 1}));
    return LoadBursts(machine_,
                      {address_, blocks, groups / 2 * cube.scale_box_bytes,
                       source_.strides[1], tile_.address,
                       tile_groups / 2 * cube.scale_box_bytes});
  }

  // Whether the lines of a pair of groups lie side by side, and not those of a
  // box.
  bool IsInterleaved() const {
    return source_.strides[2] != machine_.soc().cube.scale_box_bytes &&
           source_.strides[3] == 2 && source_.strides[4] == 1;
  }

  // Headers: ND2NZ of 16-bit elements, each a pair of groups. A row is a pair
  // of all lines; a block of 32 bytes of it, 16 lines, is a box.
  absl::Status LoadPairs(int64_t lines, int64_t groups, int64_t tile_groups) {
    MX_RETURN_IF_ERROR(CheckSizes({1, 1, groups / 2, lines, 2}));
    if (source_.strides[2] % 2 != 0) {
      return Misfit("the pairs of groups are an odd number of bytes apart");
    }
    return LoadNd2Nz(machine_, {address_, groups / 2, lines,
                                /*element_bytes=*/2, source_.strides[2] / 2,
                                tile_.address, tile_groups / 2});
  }

  absl::Status LoadPlain() {
    MX_RETURN_IF_ERROR(CheckSizes({tile_.valid_rows, tile_.valid_cols}));
    if (source_.strides[1] != 1) return Misfit("columns are not adjacent");
    const auto bytes = [&](int64_t elements) {
      return ElementBytes(tile_.format, elements);
    };
    return LoadBursts(
        machine_,
        {address_, tile_.valid_rows, bytes(tile_.valid_cols),
         bytes(source_.strides[0]), tile_.address, bytes(tile_.cols)});
  }

  Machine& machine_;
  const GmTensor& source_;
  const GmWindow& window_;
  const Tile& tile_;
  uint64_t address_ = 0;
};

}  // namespace

absl::Status TLoad(Machine& machine, const GmTensor& source,
                   const GmWindow& window, const Tile& destination) {
  return TileLoader(machine, source, window, destination).Run();
}

}  // namespace a5
}  // namespace mxtile
