#include "kernels/a5/tmov_vector.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "a5_model/vector/lane_type.h"
#include "a5_model/vector/mask.h"
#include "a5_model/vector/register.h"
#include "a5_model/vector/ub_checker.h"
#include "a5_model/vector/ub_pointer.h"
#include "a5_model/vector/vector_unit.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/int_math.h"
#include "base/status_macros.h"
#include "kernels/a5/ub_tile.h"
#include "kernels/tile_layout.h"
#include "kernels/tile_view.h"
#include "numerics/element_format.h"

namespace mxtile {
namespace a5 {
namespace {

constexpr int64_t kBoxRows = 16;
constexpr int64_t kIndexLimit = 65536;

absl::Status CheckLayouts(absl::string_view op, const UbTile& dst,
                          TileLayout layout, const UbTile& src,
                          RowAlignment src_rows = RowAlignment::kBlocks) {
  const bool fits =
      src.type.layout == TileLayout::kNd && dst.type.layout == layout &&
      src.type.format == dst.type.format && BitWidth(src.type.format) == 8;
  if (!fits) {
    return absl::InvalidArgumentError(absl::StrCat(
        op, ": from ", ToString(src.type), " to ", ToString(dst.type),
        "; it moves elements of one 8-bit format from ND to ", Name(layout),
        " (packed FP4: as bytes) (A5-MOVE-1)"));
  }
  MX_RETURN_IF_ERROR(CheckUbTile(op, "dst", dst));
  MX_RETURN_IF_ERROR(CheckUbTile(op, "src", src, src_rows));
  return CheckDisjoint(op, {{"dst", dst}, {"src", src}});
}

// The valid rows of the destination: those of the source, or up to `most`.
absl::Status CheckRegion(absl::string_view op, const UbTile& dst,
                         const UbTile& src, int64_t rows, int64_t cols,
                         int64_t most) {
  if (dst.type.valid_cols == cols && dst.type.valid_rows >= rows &&
      dst.type.valid_rows <= most) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      op, ": from ", ToString(src.type), " to ", ToString(dst.type),
      "; the valid region of the destination must be [", rows, " .. ", most,
      ", ", cols, "] (A5-MOVE-2)"));
}

absl::Status CheckIndex(absl::string_view op, const UbTile& src,
                        int64_t largest) {
  if (largest < kIndexLimit) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      op, ": the source ", ToString(src.type), " needs an index of ", largest,
      "; indices have 16 bits: move it in parts (A5-MOVE-3)"));
}

UbPtr<uint8_t> Start(const UbTile& tile) { return {tile.address}; }

// Lines of a strip of fractals.
int64_t StripLines(const TileType& type, int64_t lines) {
  return type.pitch == 0 ? CeilDivide(lines, kBoxRows) * kBoxRows : type.pitch;
}

// ---- ND -> ZZ

int64_t IndexBytes(int64_t boxes) { return CeilDivide(2 * boxes, 32) * 32; }

int64_t BoxRowPitch(const TileType& zz) {
  return zz.pitch == 0 ? kBoxRows * zz.cols : zz.pitch;
}

// Boxes that lie side by side in the destination, and where their indices are.
struct BoxRun {
  int64_t first_row;  // a multiple of 16
  int64_t box_rows;
  int64_t index_offset;  // bytes from the start of tmp
  int64_t index_bytes;   // of box_rows * pairs boxes
};

// Box rows that are whole and follow each other are one run.
std::vector<BoxRun> RunsOf(const TileType& dst, const TileType& src) {
  const int64_t pairs = src.valid_cols / 2;
  const bool dense = BoxRowPitch(dst) == kBoxRows * 2 * pairs;
  const int64_t whole = std::min(dst.valid_rows, src.valid_rows) / kBoxRows;
  std::vector<BoxRun> runs;
  int64_t offset = 2 * kBoxRows;  // behind the base
  for (int64_t box_row = 0; box_row < CeilDivide(dst.valid_rows, kBoxRows);) {
    const int64_t count = dense && box_row < whole ? whole : 1;
    const int64_t bytes = IndexBytes(count * pairs);
    runs.push_back({box_row * kBoxRows, count, offset, bytes});
    offset += bytes;
    box_row += count;
  }
  return runs;
}

class NdToZz {
 public:
  NdToZz(VectorUnit& unit, const UbTile& dst, const UbTile& src,
         const UbTile& tmp)
      : unit_(unit),
        dst_(dst),
        src_(src),
        pairs_(src.type.valid_cols / 2),
        pair_pitch_(RowPitch(src.type) / 2),
        dst_pitch_(BoxRowPitch(dst.type)),
        base_{tmp.address},
        runs_(RunsOf(dst.type, src.type)) {}

  void Run() {
    unit_.BeginStage("zz-index");
    BuildIndices();
    unit_.MemBar(Barrier::kVstVld);
    unit_.BeginStage("nd-to-zz");
    const Reg base = unit_.Vlds(base_, 0, LoadDist::kBlk);
    const Mask all = unit_.Pset<uint16_t>(Pattern::kAll);
    const Reg row_in_box = unit_.Vand<uint16_t>(
        unit_.Vci<uint16_t>(0), unit_.Vbr<uint16_t>(kBoxRows - 1), all);
    for (const BoxRun& run : runs_) MoveRun(run, base, row_in_box, all);
  }

 private:
  UbPtr<uint16_t> IndicesOf(const BoxRun& run) const {
    return base_ + run.index_offset / 2;
  }

  // Pairs of bytes are lanes: a box is 16 lanes, i * pitch apart.
  void BuildIndices() {
    const Mask all = unit_.Pset<uint16_t>(Pattern::kAll);
    const Reg lane = unit_.Vci<uint16_t>(0);
    const Reg pitch = unit_.Vbr<uint16_t>(static_cast<uint16_t>(pair_pitch_));
    uint32_t rows = kBoxRows;
    unit_.Vsts(unit_.Vmul<uint16_t>(lane, pitch, all), base_, 0,
               StoreDist::kNorm, unit_.CreatePredicate<uint16_t>(&rows));
    for (const BoxRun& run : runs_) {
      AlignReg align;
      UbPtr<uint16_t> to = IndicesOf(run);
      for (int64_t i = 0; i < run.box_rows; ++i) {
        const int64_t first = (run.first_row + i * kBoxRows) * pair_pitch_;
        for (int64_t pair = 0; pair < pairs_; pair += kLanes<uint16_t>) {
          unit_.VstusPost(
              align, std::min<int64_t>(kLanes<uint16_t>, pairs_ - pair),
              unit_.Vci<uint16_t>(static_cast<uint16_t>(first + pair)), &to);
        }
      }
      unit_.Vstas(align, to);
    }
  }

  // Lanes of rows beyond the source gather nothing, which is 0; of rows beyond
  // the destination they are not stored.
  void MoveRun(const BoxRun& run, const Reg& base, const Reg& row_in_box,
               const Mask& all) {
    const auto rows_of = [&](int64_t rows) {
      const int64_t left = rows - run.first_row;
      if (run.box_rows > 1 || left >= kBoxRows) return all;
      return unit_.Vcmps<uint16_t>(
          Compare::kLt, row_in_box,
          static_cast<uint16_t>(std::max<int64_t>(left, 0)), all);
    };
    const Mask loaded = rows_of(src_.type.valid_rows);
    const Mask stored = rows_of(dst_.type.valid_rows);
    uint32_t lanes = static_cast<uint32_t>(run.box_rows * pairs_ * kBoxRows);
    UbPtr<uint16_t> to = UbPtr<uint16_t>{
        dst_.address +
        static_cast<uint64_t>(run.first_row / kBoxRows * dst_pitch_)};
    for (int64_t box = 0; box < run.box_rows * pairs_; box += kVectorBlocks) {
      const Mask used = unit_.CreatePredicate<uint16_t>(&lanes);
      const Reg offset = unit_.Vlds(IndicesOf(run), box, LoadDist::kE2bB16);
      const Reg index = unit_.Vadd<uint16_t>(base, offset, used);
      const Reg pairs = unit_.Vgather2(Start(src_).As<uint16_t>(), index,
                                       unit_.Pand(loaded, used, all));
      unit_.VstsPost(pairs, &to, kLanes<uint16_t>, StoreDist::kNorm,
                     unit_.Pand(stored, used, all));
    }
  }

  VectorUnit& unit_;
  const UbTile& dst_;
  const UbTile& src_;
  const int64_t pairs_;
  const int64_t pair_pitch_;
  const int64_t dst_pitch_;
  const UbPtr<uint16_t> base_;
  const std::vector<BoxRun> runs_;
};

}  // namespace

absl::Status TMovNdToNz(VectorUnit& unit, const UbTile& dst,
                        const UbTile& src) {
  constexpr absl::string_view kOp = "TMOV ND->NZ";
  const int64_t rows = src.type.valid_rows;
  const int64_t cols = src.type.valid_cols;
  MX_RETURN_IF_ERROR(CheckLayouts(kOp, dst, TileLayout::kNz, src));
  MX_RETURN_IF_ERROR(CheckRegion(kOp, dst, src, rows, cols,
                                 CeilDivide(rows, kBoxRows) * kBoxRows));
  const int64_t lines = StripLines(dst.type, dst.type.rows);
  const int64_t dst_rows = dst.type.valid_rows;
  unit.BeginStage("nd-to-nz");
  const Reg zero = unit.Vbr<uint8_t>(0);
  UbPtr<uint8_t> to = Start(dst);
  uint32_t left = static_cast<uint32_t>(cols);
  for (int64_t col = 0; col < cols; col += kVectorBytes) {
    const Mask mask = unit.CreatePredicate<uint8_t>(&left);
    UbPtr<uint8_t> from = Start(src) + col;
    for (int64_t row = 0; row < dst_rows; ++row) {
      const Reg x =
          row < rows ? unit.VldsPost(&from, RowPitch(src.type)) : zero;
      // The last row goes on to the strips of the next 256 bytes.
      const int64_t next =
          row + 1 < dst_rows ? 1 : kVectorBlocks * lines - (dst_rows - 1);
      unit.Vsstb(x, &to,
                 VsstbConfig(static_cast<uint32_t>(lines),
                             static_cast<uint32_t>(next)),
                 mask);
    }
  }
  return unit.status();
}

int64_t TmpBytesForZz(const TileType& dst, const TileType& src) {
  const BoxRun last = RunsOf(dst, src).back();
  return last.index_offset + last.index_bytes;
}

absl::Status TMovNdToZz(VectorUnit& unit, const UbTile& dst, const UbTile& src,
                        const UbTile& tmp) {
  constexpr absl::string_view kOp = "TMOV ND->ZZ";
  const int64_t rows = src.type.valid_rows;
  const int64_t cols = src.type.valid_cols;
  // Rows are gathered by pairs of bytes: flat exponents of TQUANT are [M, G]
  // without gaps.
  MX_RETURN_IF_ERROR(
      CheckLayouts(kOp, dst, TileLayout::kZz, src, RowAlignment::kAny));
  if (RowPitch(src.type) % 2 != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat(kOp, ": the rows of ", ToString(src.type),
                     " must be an even number of bytes apart (A5-UB-1)"));
  }
  MX_RETURN_IF_ERROR(CheckUbTile(kOp, "tmp", tmp, RowAlignment::kAny));
  MX_RETURN_IF_ERROR(
      CheckDisjoint(kOp, {{"dst", dst}, {"src", src}, {"tmp", tmp}}));
  MX_RETURN_IF_ERROR(CheckRegion(kOp, dst, src, rows, cols,
                                 CeilDivide(rows, kBoxRows) * kBoxRows));
  MX_ASSIGN_OR_RETURN(const int64_t tmp_bytes, TileBytes(tmp.type));
  const int64_t needed = TmpBytesForZz(dst.type, src.type);
  if (cols % 2 != 0 || tmp_bytes < needed) {
    return absl::InvalidArgumentError(
        absl::StrCat(kOp, ": the groups of ", ToString(src.type),
                     " must be even in number, and tmp must have ", needed,
                     " bytes, not ", tmp_bytes, " (A5-MOVE-2)"));
  }
  MX_RETURN_IF_ERROR(CheckIndex(
      kOp, src,
      CeilDivide(rows, kBoxRows) * kBoxRows * RowPitch(src.type) / 2));
  NdToZz(unit, dst, src, tmp).Run();
  return unit.status();
}

absl::Status TMovDnToZz(VectorUnit& unit, const UbTile& dst,
                        const UbTile& src) {
  constexpr absl::string_view kOp = "TMOV<0> DN->ZZ";
  const int64_t groups = src.type.valid_rows;
  const int64_t cols = src.type.valid_cols;
  const bool single_row = groups == 1 && dst.type.layout == TileLayout::kNd;
  const TileLayout layout = single_row ? TileLayout::kNd : TileLayout::kZz;
  MX_RETURN_IF_ERROR(CheckLayouts(kOp, dst, layout, src));
  unit.BeginStage("dn-to-zz");
  if (single_row) {
    // Nothing pairs: the identity.
    MX_RETURN_IF_ERROR(CheckRegion(kOp, dst, src, 1, cols, 1));
    uint32_t left = static_cast<uint32_t>(cols);
    for (int64_t col = 0; col < cols; col += kVectorBytes) {
      const Mask mask = unit.CreatePredicate<uint8_t>(&left);
      unit.Vsts(unit.Vlds(Start(src), col), Start(dst), col, StoreDist::kNorm,
                mask);
    }
    return unit.status();
  }
  MX_RETURN_IF_ERROR(CheckRegion(kOp, dst, src, cols, groups, cols));
  // From one row of boxes to the next, in boxes.
  const int64_t stride =
      (dst.type.pitch == 0 ? kBoxRows * dst.type.cols : dst.type.pitch) /
      kBlockBytes;
  const uint32_t config =
      VsstbConfig(static_cast<uint32_t>(stride),
                  static_cast<uint32_t>(kVectorBlocks * stride));
  for (int64_t pair = 0; pair < groups / 2; ++pair) {
    UbPtr<uint8_t> even = Start(src) + 2 * pair * RowPitch(src.type);
    UbPtr<uint8_t> odd = even + RowPitch(src.type);
    UbPtr<uint8_t> to = Start(dst) + pair * kBlockBytes;
    uint32_t left = static_cast<uint32_t>(2 * cols);
    for (int64_t col = 0; col < cols; col += kVectorBytes / 2) {
      const Mask mask = unit.CreatePredicate<uint8_t>(&left);
      const RegPair boxes =
          unit.Vintlv<uint8_t>(unit.VldsPost(&even, kVectorBytes / 2),
                               unit.VldsPost(&odd, kVectorBytes / 2));
      unit.Vsstb(boxes.first, &to, config, mask);
    }
  }
  return unit.status();
}

absl::Status TMovNdToZn(VectorUnit& unit, const UbTile& dst,
                        const UbTile& src) {
  constexpr absl::string_view kOp = "TMOV ND->ZN";
  constexpr int64_t kColumns = 4;  // of 32 bytes: the bytes of 128 lanes
  const int64_t rows = src.type.valid_rows;
  const int64_t cols = src.type.valid_cols;
  const int64_t pitch = RowPitch(src.type);
  MX_RETURN_IF_ERROR(CheckLayouts(kOp, dst, TileLayout::kZn, src));
  MX_RETURN_IF_ERROR(CheckRegion(kOp, dst, src, rows, cols,
                                 CeilDivide(rows, kBlockBytes) * kBlockBytes));
  MX_RETURN_IF_ERROR(
      CheckIndex(kOp, src, (kBlockBytes - 1) * pitch + cols + kColumns));
  const int64_t strip_bytes = StripLines(dst.type, dst.type.cols) * kBlockBytes;
  unit.BeginStage("nd-to-zn");
  const Mask all = unit.Pset<uint16_t>(Pattern::kAll);
  const Reg lane = unit.Vci<uint16_t>(0);
  const Reg row_of_lane =
      unit.Vand<uint16_t>(lane, unit.Vbr<uint16_t>(kBlockBytes - 1), all);
  const Reg first_index = unit.Vadd<uint16_t>(
      unit.Vmul<uint16_t>(
          row_of_lane, unit.Vbr<uint16_t>(static_cast<uint16_t>(pitch)), all),
      unit.Vshrs<uint16_t>(lane, 5, all), all);
  for (int64_t row = 0; row < dst.type.valid_rows; row += kBlockBytes) {
    const auto rows_below = [&](int64_t end) {
      return unit.Vcmps<uint16_t>(
          Compare::kLt, row_of_lane,
          static_cast<uint16_t>(std::clamp<int64_t>(end - row, 0, kBlockBytes)),
          all);
    };
    const Mask loaded = rows_below(rows);
    const Mask stored = rows_below(dst.type.valid_rows);
    uint32_t lanes = static_cast<uint32_t>(cols * kBlockBytes);
    const UbPtr<uint8_t> strip = Start(dst) + row / kBlockBytes * strip_bytes;
    for (int64_t col = 0; col < cols; col += kColumns) {
      const Mask used = unit.CreatePredicate<uint16_t>(&lanes);
      const Reg index =
          unit.Vadds<uint16_t>(first_index, static_cast<uint16_t>(col), used);
      const Reg bytes = unit.Vgather2(Start(src) + row * pitch, index,
                                      unit.Pand(loaded, used, all));
      unit.Vsts(bytes, strip, col * kBlockBytes, StoreDist::kPkB16,
                unit.Pand(stored, used, all));
    }
  }
  return unit.status();
}

}  // namespace a5
}  // namespace mxtile
