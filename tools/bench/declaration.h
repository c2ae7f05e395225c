#ifndef TOOLS_BENCH_DECLARATION_H_
#define TOOLS_BENCH_DECLARATION_H_

// Which experiments a benchmark consists of, said before anything is measured.
// The audit makes the same declaration again: nothing can be left out
// afterwards. No code is run, planned or compiled here.
//
//   BenchRequest request;
//   request.matrix = "seed";
//   MX_ASSIGN_OR_RETURN(Declaration d, Declare(request));
//   d.experiments[0].name == "decode.r2_off_r1_off"
//
// A workload is one of the attention shapes (exec/simd/workloads/attention.h),
// "attention:B,HQ,HKV,Q,K,D,DV,BQ,BK", or "gemm:MxNxK" or "gemm:N" with a block
// behind a slash: "gemm:64x64x64/8x16x64", or "tile:MxNxK/ROUNDS": programs
// that add their product of an MxK and a KxN tile to an accumulator again and
// again, so that little but the products is measured while the tiles fit the L1
// cache.
//
// An arm is named by what it is:
//   r1_off r2_off r4_off r1_on r2_on r4_on   compat mode, block, clone
//   requested joint        what the planner chooses incumbent    the candidate
//   that it must not lose to: r1 with a clone reference    as the incumbent,
//   without a clone one_row four_rows   written by hand (hand_attention.h)
//   openblas     not strict

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "exec/simd/workloads/attention.h"
#include "exec/simd/workloads/gemm.h"
#include "nlohmann/json.hpp"

namespace mxtile::bench {

struct BenchRequest {
  // "seed", "targets", or "pairs": `base` against `candidate` on `workloads`.
  std::string matrix = "seed";
  std::vector<std::string> workloads;  // "pairs"; else instead of the matrix's
  std::string base = "incumbent";
  std::string candidate = "joint";
  int repeats = 1;  // experiments of each kind
  int64_t clone_budget = 4096;
  // Processor of generated code, by LLVM's name; empty: the host. Lanes follow
  // from it: 8 on "x86-64-v3", 16 on "x86-64-v4".
  std::string target;
  // The method (paired.h).
  int cycles = 3;
  int samples = 7;
  int64_t warmup_us = 30'000;
  int64_t batch_us = 15'000;
};

enum class WorkloadKind { kAttention, kGemm, kTile };

// Of a kTile: a full packet of all targets.
inline constexpr int64_t kTilePrograms = 16;

struct WorkloadSpec {
  std::string name;
  WorkloadKind kind = WorkloadKind::kAttention;
  exec::simd::AttentionShape attention = {};
  // kGemm; kTile: all programs together, a block being a program's.
  exec::simd::GemmShape gemm = {};
  int64_t rounds = 1;  // kTile

  bool is_attention() const { return kind == WorkloadKind::kAttention; }
  // Of f32 values, in order of the buffer numbers; the last is the output.
  std::vector<int64_t> BufferSizes() const;
  // Instances of a launch.
  int64_t Programs() const;
};

absl::StatusOr<WorkloadSpec> ParseWorkload(absl::string_view text);

enum class ArmKind {
  kCompat,
  kJoint,
  kIncumbent,
  kReference,
  kHand,
  kOpenBlas
};

struct ArmSpec {
  std::string name;
  ArmKind kind = ArmKind::kJoint;
  int block = 1;             // kCompat
  bool full_packet = false;  // kCompat
  int rows = 1;              // kHand

  // Whether it is generated from the tile program: such arms have the same
  // bits.
  bool is_compiled() const {
    return kind != ArmKind::kHand && kind != ArmKind::kOpenBlas;
  }
};

absl::StatusOr<ArmSpec> ParseArm(absl::string_view name);

struct ExperimentSpec {
  std::string name;  // "decode.r2_on_r1_on": candidate, then base
  std::string workload;
  std::string base;
  std::string candidate;
  double target = 0;  // the ratio must not be above; 0: none
  std::string claim;  // what the target is about
};

struct Declaration {
  BenchRequest request;
  std::vector<WorkloadSpec> workloads;
  std::vector<ExperimentSpec> experiments;

  const WorkloadSpec& workload(absl::string_view name) const;
  // Those that experiments name, each once, in their order.
  std::vector<std::string> ArmsOf(absl::string_view workload) const;
};

// Errors (InvalidArgument): a matrix, workload or arm of another name, an arm
// that the workload does not have, numbers below 1.
absl::StatusOr<Declaration> Declare(const BenchRequest& request);

// A name as a file's: letters, digits, '.', '-' and '_'.
std::string FileName(absl::string_view name);

// declared.json of the evidence.
nlohmann::ordered_json ToJson(const Declaration& declaration);
// The request in it: Declare makes the rest again.
absl::StatusOr<BenchRequest> RequestFromJson(
    const nlohmann::ordered_json& json);

}  // namespace mxtile::bench

#endif  // TOOLS_BENCH_DECLARATION_H_
