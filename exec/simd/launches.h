#ifndef EXEC_SIMD_LAUNCHES_H_
#define EXEC_SIMD_LAUNCHES_H_

// Calls of in-core functions, collected into launches of many instances. An
// interpreter that runs an Orchestration function adds each call and says which
// of them are independent:
//
//   LaunchRecorder recorder;
//   recorder.BeginRegion();              // pl.parallel
//   for (...) {
//     recorder.BeginRound();
//     recorder.Add({&f, args, {}});      // f, then g in each round
//     recorder.Add({&g, args, {}});
//   }
//   recorder.EndRegion()                 // two stages: every f, then every g
//
// Rounds of a region are independent of each other, so that their first calls
// can run together, then their second ones, and so on, also through nested
// regions. Calls of a stage are independent.

#include <cstdint>
#include <vector>

#include "exec/interpreter.h"
#include "exec/simd/import/importer.h"
#include "exec/value.h"
#include "ir/program.h"

namespace mxtile::exec::simd {

struct LaunchCall {
  const ir::Function* function = nullptr;
  std::vector<exec::Value> args;
  BlockPosition block;
};

using Stage = std::vector<LaunchCall>;

class LaunchRecorder {
 public:
  void BeginRegion() { regions_.emplace_back(); }
  void BeginRound();
  // Inside a region.
  void Add(LaunchCall call);
  // What the outermost region consists of, in order; nothing for inner ones.
  std::vector<Stage> EndRegion();

  bool is_recording() const { return !regions_.empty(); }
  // After an error.
  void Clear() { regions_.clear(); }

 private:
  struct Region {
    std::vector<Stage> stages;  // Of the rounds that are over.
    std::vector<Stage> round;   // Of this one.
  };
  static void FinishRound(Region& region);

  std::vector<Region> regions_;
};

// Instances of one function on the same tensors.
struct Launch {
  const ir::Function* function = nullptr;
  std::vector<exec::Value> tensors;  // By buffer.
  // Digits, scalars and blocks as the calls had them, in their order: affine in
  // digits where the calls' scalars are, else tables.
  ImportRequest request;
};

// One launch for all calls of a function on the same tensors, floating-point
// scalars and block count.
std::vector<Launch> LaunchesOf(const Stage& stage);

}  // namespace mxtile::exec::simd

#endif  // EXEC_SIMD_LAUNCHES_H_
