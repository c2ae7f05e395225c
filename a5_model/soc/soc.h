#ifndef A5_MODEL_SOC_SOC_H_
#define A5_MODEL_SOC_SOC_H_

// The numbers of the Ascend950 (A5) that compilers and the machine model share:
// memories, routes, limits of the cube and cost constants.
//
//   const a5::Soc& soc = a5::Ascend950();
//   soc.memory(a5::MemorySpace::kLeft).size_bytes;   // 65536
//   a5::FindRoute(soc, a5::MemorySpace::kMat, a5::MemorySpace::kLeftScale);
//                                                    // Pipe::kMte1
//
// A table without behaviour: whoever wants the sizes does not link the machine.
// Every number carries the kind of source that it comes from:
//
//   [soc]  the SoC tables of the public PyPTO backend for Ascend950
//   [ini]  the platform file of the Ascend 950PR, quoted publicly
//   [hdr]  the public PTO-ISA headers
//   [fit]  the public cost model, fitted to the vendor's simulator
//   [ours] our guess or decision; nothing public says it

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "a5_model/soc/vector_costs.h"
#include "absl/strings/string_view.h"

namespace mxtile {
namespace a5 {

enum class MemorySpace {
  kGm,          // global memory
  kMat,         // L1
  kLeft,        // L0A, left operand of the cube
  kRight,       // L0B, right operand of the cube
  kAcc,         // L0C, accumulators
  kBias,        // bias table
  kLeftScale,   // L0A_MX, scales of the left operand
  kRightScale,  // L0B_MX, scales of the right operand
  kVec,         // UB, unified buffer of a vector core
};
inline constexpr int kNumMemorySpaces = 9;

// "GM", "Mat", "Left", "Right", "Acc", "Bias", "LeftScale", "RightScale",
// "Vec".
absl::string_view Name(MemorySpace space);

// The queues of a core. Each executes its instructions in order; instructions
// of different pipes overlap unless flags order them.
enum class Pipe {
  kMte1,  // Mat -> L0, Bias and scales
  kMte2,  // GM -> Mat, Vec
  kMte3,  // Vec -> GM, Mat
  kM,     // cube
  kV,     // vector unit
  kFix,   // Acc -> GM, Mat, Vec
  kS,     // scalar unit
};
inline constexpr int kNumPipes = 7;

// "MTE1", "MTE2", "MTE3", "M", "V", "FIX", "S".
absl::string_view Name(Pipe pipe);

struct MemoryInfo {
  MemorySpace space;
  // What an allocator may hand out. 0 for GM, whose extent is that of the
  // program's buffers.
  int64_t size_bytes;
  // Accesses that end beyond this trap. Equals `size_bytes` except for Vec,
  // where the difference is scratch of the runtime.
  int64_t limit_bytes;
  // Tile addresses are multiples of this. [soc]; L0A and L0B: see
  // `Soc::l0_tile_alignment_bytes`, which is stricter.
  int64_t alignment_bytes;
  // Addresses inside an instruction's operand are multiples of this: what the
  // model traps as misaligned.
  int64_t access_bytes;
};

// A direct move. What has no route goes through another memory.
struct Route {
  MemorySpace from;
  MemorySpace to;
  Pipe pipe;
};

// Shapes and limits of the cube's instructions.
struct CubeInfo {
  int64_t fractal_rows = 16;       // rows of a data fractal [hdr]
  int64_t fractal_row_bytes = 32;  // bytes of each of its rows [hdr]
  int64_t fractal_bytes = 512;
  int64_t acc_fractal_bytes = 1024;  // 16 x 16 fp32 [hdr]
  int64_t scale_box_bytes = 32;      // 16 rows (columns) x 2 groups [hdr]
  int64_t scale_group = 32;      // K elements that share a scale (OCP MX v1.0)
  int64_t k_multiple = 64;       // K of an MX matmul: G is even [hdr]
  int64_t max_extent = 4095;     // m, k and n of one MMAD [hdr]
  int64_t max_load_steps = 255;  // step fields of LOAD_2D and LOAD_MX [hdr]
  int64_t max_load_stride = 65535;  // their stride and start fields [hdr]
};

// Cycles at `clock_mhz`, bytes per cycle of one core. See a5_model/cost.h for
// the formulas.
struct CostInfo {
  // MMAD: head + passes * ceil(m/16) * ceil(k/32 bytes) * ceil(n/16). [fit]
  double mmad_head_cycles = 25;
  double mmad_passes = 1;  // 8 for fp32 operands

  double left_fill_bytes_per_cycle = 206.3;   // Mat -> Left [fit], 256 [ini]
  double right_fill_bytes_per_cycle = 223.8;  // Mat -> Right [fit], 256 [ini]

  // LOAD_MX is not published: the rate of the data fill of the same side and
  // the issue cost below are [ours].
  double scale_fill_fixed_cycles = 16;
  // Mat -> Bias: [ours], one 64-byte entry a cycle after the issue cost.
  double bias_fill_bytes_per_cycle = 64;

  // Acc -> anywhere: fixed + rows * (max(row, bytes of a row / rate) +
  // misalignment * (odd part of the number of 16-column blocks - 1)). [fit],
  // about 4 times slower than published device measurements.
  double drain_fixed_cycles = 343.4;
  double drain_row_cycles = 4.59;
  double drain_bytes_per_cycle = 30.0;
  double drain_misalignment_cycles = 0.26;

  // GM -> Mat: the DDR share of one core, so a load that hits L2 (100 B/cycle
  // [ini]) is faster than the model says. [ini]
  double gm_load_bytes_per_cycle = 27;

  // Vec -> Mat: [ours], the rate of the other direction [ini].
  double ub_to_mat_bytes_per_cycle = 128;

  VectorCosts vector;
};

struct Soc {
  absl::string_view name;
  int64_t cube_cores;    // AIC; each has two vector cores [soc]
  int64_t vector_cores;  // AIV [soc]
  double clock_mhz;      // [ini]

  // Indexed by MemorySpace; see `memory`.
  std::array<MemoryInfo, kNumMemorySpaces> memories;
  std::vector<Route> routes;

  // The scales of the data tile at address X of Left (Right) are at
  // X >> scale_address_shift of LeftScale (RightScale). [hdr]: 64 KiB of data
  // against 4 KiB of scales.
  int scale_address_shift;
  // Tiles in Left and Right start at a multiple of a fractal. It is also what
  // makes the address of their scales a multiple of a box: 512 >> 4 == 32.
  int64_t l0_tile_alignment_bytes;

  CubeInfo cube;
  CostInfo cost;

  const MemoryInfo& memory(MemorySpace space) const {
    return memories[static_cast<int>(space)];
  }
};

// The only SoC with MX instructions.
const Soc& Ascend950();

// The pipe of the direct move from one memory to another, or nullopt when the
// machine has none (for example Vec -> Left, Acc -> Left, Mat -> GM).
std::optional<Pipe> FindRoute(const Soc& soc, MemorySpace from, MemorySpace to);

// Whether tiles of `space` hold scales that an MX matmul finds by address.
bool IsScaleSpace(MemorySpace space);

}  // namespace a5
}  // namespace mxtile

#endif  // A5_MODEL_SOC_SOC_H_
