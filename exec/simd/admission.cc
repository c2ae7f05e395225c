#include "exec/simd/admission.h"

#include <algorithm>
#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/int_math.h"
#include "exec/simd/candidate.h"
#include "exec/simd/contraction.h"
#include "exec/simd/tile_program.h"

namespace mxtile::exec::simd {
namespace {

int64_t SaturatingProduct(int64_t a, int64_t b) {
  int64_t product;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

int64_t Rank(const TileProgram& program, ValueId value) {
  return static_cast<int64_t>(program.values[value].space.size());
}

// Empty when the seed's rule admits a row of `cols` columns.
std::string RowRefusal(const TileProgram& program, const Contraction& mma,
                       int cols, bool rolled, int64_t max_region_work) {
  const bool by_rhs = mma.rhs.stride == 1 && !mma.lhs.has_column;
  const bool by_lhs = mma.lhs.stride == 1 && !mma.rhs.has_column;
  if (!by_rhs && !by_lhs) {
    return absl::StrCat(
        "column dimension ", program.dims[mma.column].name,
        mma.lhs.has_column && mma.rhs.has_column
            ? " is in both operands"
            : absl::StrCat(" has stride ",
                           std::max(mma.lhs.stride, mma.rhs.stride)));
  }
  const int64_t outputs = std::min<int64_t>(cols, program.Extent(mma.column));
  const int64_t nodes = 2 + Rank(program, mma.lhs.value) +
                        Rank(program, mma.rhs.value) +
                        static_cast<int64_t>(mma.output.size());
  const int64_t work = SaturatingProduct(
      outputs, SaturatingProduct(rolled ? 1 : mma.terms, nodes));
  if (max_region_work != 0 && work > max_region_work) {
    return absl::StrCat("one block has ", work, " nodes, above the budget of ",
                        max_region_work);
  }
  return "";
}

}  // namespace

MmaBlock AdmitMma(const TileProgram& program, const Contraction& mma,
                  const Candidate& candidate, int64_t max_region_work) {
  MmaBlock block;
  block.rolled = mma.terms > candidate.max_unrolled_elements;
  if (candidate.block_rows == 1 && candidate.block_cols == 1) return block;
  if (candidate.max_unrolled_elements == 0) {
    block.fallback = "expansion is off";
    return block;
  }
  if (mma.column == kNoDim) {
    block.fallback = "no output dimension has more than one element";
    return block;
  }
  const bool programs = candidate.lanes == LaneMode::kPrograms;
  if (programs && candidate.block_rows == 1) {
    block.fallback = RowRefusal(program, mma, candidate.block_cols,
                                block.rolled, max_region_work);
    if (block.fallback.empty()) block.cols = candidate.block_cols;
    return block;
  }
  const int64_t extent = program.Extent(mma.column);
  const int64_t columns =
      programs ? extent
               : CeilDivide(extent, static_cast<int64_t>(candidate.width));
  block.cols =
      static_cast<int>(std::min<int64_t>(candidate.block_cols, columns));
  if (columns < candidate.block_cols) {
    block.fallback =
        absl::StrCat("column dimension ", program.dims[mma.column].name,
                     " has the extent ", extent);
    if (!programs) {
      absl::StrAppend(&block.fallback, ", ", columns, " of the ",
                      candidate.block_cols, " vectors of ", candidate.width);
    }
  }
  block.rows = candidate.block_rows;
  return block;
}

}  // namespace mxtile::exec::simd
