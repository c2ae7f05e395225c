#include "a5_model/cost.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "a5_model/soc/soc.h"
#include "base/check.h"
#include "base/int_math.h"

namespace mxtile {
namespace a5 {
namespace {

int64_t CyclesUp(double cycles) {
  return static_cast<int64_t>(std::ceil(cycles));
}

int64_t OddPart(int64_t value) {
  while (value > 1 && value % 2 == 0) value /= 2;
  return value;
}

}  // namespace

int64_t MmadCycles(const Soc& soc, int64_t m, int64_t k, int64_t n,
                   int64_t element_bits) {
  const int64_t k_tile = soc.cube.fractal_row_bytes * 8 / element_bits;
  const int64_t steps = CeilDivide(m, soc.cube.fractal_rows) *
                        CeilDivide(k, k_tile) *
                        CeilDivide(n, soc.cube.fractal_rows);
  return CyclesUp(soc.cost.mmad_head_cycles + soc.cost.mmad_passes * steps);
}

int64_t GmLoadCycles(const Soc& soc, int64_t bytes) {
  return CyclesUp(bytes / soc.cost.gm_load_bytes_per_cycle);
}

int64_t MatMoveCycles(const Soc& soc, MemorySpace to, int64_t bytes) {
  const CostInfo& cost = soc.cost;
  switch (to) {
    case MemorySpace::kLeft:
      return CyclesUp(bytes / cost.left_fill_bytes_per_cycle);
    case MemorySpace::kRight:
      return CyclesUp(bytes / cost.right_fill_bytes_per_cycle);
    case MemorySpace::kLeftScale:
      return CyclesUp(cost.scale_fill_fixed_cycles +
                      bytes / cost.left_fill_bytes_per_cycle);
    case MemorySpace::kRightScale:
      return CyclesUp(cost.scale_fill_fixed_cycles +
                      bytes / cost.right_fill_bytes_per_cycle);
    case MemorySpace::kBias:
      return CyclesUp(cost.scale_fill_fixed_cycles +
                      bytes / cost.bias_fill_bytes_per_cycle);
    default:
      MX_CHECK(false) << "no move from Mat to " << Name(to);
      return 0;
  }
}

int64_t UbToMatCycles(const Soc& soc, int64_t bytes) {
  return CyclesUp(bytes / soc.cost.ub_to_mat_bytes_per_cycle);
}

int64_t AccDrainCycles(const Soc& soc, int64_t rows, int64_t columns) {
  const CostInfo& cost = soc.cost;
  const double row =
      std::max(cost.drain_row_cycles, columns * 4 / cost.drain_bytes_per_cycle);
  const int64_t blocks = CeilDivide(columns, soc.cube.fractal_rows);
  const double misaligned =
      cost.drain_misalignment_cycles * (OddPart(blocks) - 1);
  return CyclesUp(cost.drain_fixed_cycles + rows * (row + misaligned));
}

}  // namespace a5
}  // namespace mxtile
