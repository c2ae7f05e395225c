#ifndef KERNELS_A5_MATMUL_MX_TEST_UTIL_H_
#define KERNELS_A5_MATMUL_MX_TEST_UTIL_H_

// Whole MX matmuls for tests, from global memory to global memory, and what
// kernels/reference makes of them.
//
//   MatmulProblem p = RandomMatmul(random, {/*m=*/30, /*k=*/128, /*n=*/50});
//   p.k_step = 64;
//   Machine machine;
//   const MatmulBuffers gm = UploadMatmul(machine, p);
//   MX_ASSERT_OK(RunMatmul(machine, p, gm));
//   EXPECT_EQ(ReadC(machine, p, gm), ReferenceC(p));

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "a5_model/machine.h"
#include "absl/status/status.h"
#include "absl/types/optional.h"
#include "kernels/a5/gm_tensor.h"
#include "kernels/a5/matmul_mx.h"
#include "kernels/a5/tile.h"
#include "numerics/element_format.h"

namespace mxtile {
namespace a5 {

// What to multiply, and how the kernel runs it.
struct MatmulProblem {
  int64_t m, k, n;
  int64_t k_step = 0;  // K of one matmul; the steps accumulate. 0: all of K
  ElementFormat left_format = ElementFormat::kF8E4M3FN;
  ElementFormat right_format = ElementFormat::kF8E4M3FN;
  bool a_is_transposed = false;     // GM holds [K, M], row-major
  bool b_is_transposed = false;     // GM holds [N, K]
  bool interleaved_scales = false;  // GM holds [G/2, lines, 2], not boxes
  MatmulMxMode mode = {};

  std::vector<uint8_t> a = {};   // [m, k], one code a byte
  std::vector<uint8_t> sa = {};  // [m, k / 32]
  std::vector<uint8_t> b = {};   // [k, n]
  std::vector<uint8_t> sb = {};  // [k / 32, n]
  // At most one of the two.
  absl::optional<std::vector<float>> bias = {};  // [n]
  absl::optional<std::vector<float>> c_in = {};  // [m, n]

  int64_t step_k() const { return k_step == 0 ? k : k_step; }
};

// Fills in codes and scales. Scales are from `low_scale` to `high_scale`; NaN
// and Inf codes only with `specials`.
struct RandomMatmulOptions {
  int low_scale = 112;
  int high_scale = 142;
  bool specials = false;
};
MatmulProblem RandomMatmul(std::mt19937& random, MatmulProblem p,
                           const RandomMatmulOptions& options = {});
// Any floats, NaN and infinities among them.
std::vector<float> RandomFloats(std::mt19937& random, int64_t count);

// The problem in GM.
struct MatmulBuffers {
  GmTensor a, sa, b, sb, bias, c;
};
MatmulBuffers UploadMatmul(Machine& machine, const MatmulProblem& p);

struct L0Addresses {
  uint64_t left;
  uint64_t right;
};

// The tiles of one K step.
struct StepTiles {
  Tile a_mat, sa_mat, b_mat, sb_mat;
  MatmulMxOperands operands;
};
StepTiles MakeStepTiles(const MatmulProblem& p, int64_t step,
                        const L0Addresses& l0);
// Where the steps are unless a test says otherwise: 0x4000 bytes apart, the
// fifth where the first was.
StepTiles MakeStepTiles(const MatmulProblem& p, int64_t step);
Tile AccTile(const MatmulProblem& p);

// The parts of a step: GM to Mat, Mat to L0.
absl::Status LoadStep(Machine& machine, const MatmulProblem& p,
                      const MatmulBuffers& gm, const StepTiles& tiles,
                      int64_t step);
absl::Status MoveStep(Machine& machine, const StepTiles& tiles);

// Everything, with the tiles of each step at `l0[step]`, or where MakeStepTiles
// puts them.
absl::Status RunMatmul(Machine& machine, const MatmulProblem& p,
                       const MatmulBuffers& gm,
                       const std::vector<L0Addresses>& l0 = {});

// C as bits, row-major: of the machine, and of MatmulMx in kernels/reference.
std::vector<uint32_t> ReadC(const Machine& machine, const MatmulProblem& p,
                            const MatmulBuffers& gm);
std::vector<uint32_t> ReferenceC(const MatmulProblem& p);

}  // namespace a5
}  // namespace mxtile

#endif  // KERNELS_A5_MATMUL_MX_TEST_UTIL_H_
