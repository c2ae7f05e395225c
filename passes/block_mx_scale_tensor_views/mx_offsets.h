#ifndef PASSES_BLOCK_MX_SCALE_TENSOR_VIEWS_MX_OFFSETS_H_
#define PASSES_BLOCK_MX_SCALE_TENSOR_VIEWS_MX_OFFSETS_H_

// Which offsets of MX windows must be non-negative multiples, and what the
// prover says about them. The pass asks these questions of the loads that it
// accepts, `mxtile prove` asks them of a whole program.
//
//   ForEachMxWindow(*program, [&](const MxWindowOffsets& window) {
//     for (const MxOffset& offset : window.offsets) {
//       const OffsetJudgement j = JudgeOffset(prover, window, offset);
//       ...

#include <array>
#include <cstdint>
#include <functional>

#include "absl/strings/string_view.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/op_registry.h"
#include "ir/program.h"
#include "ir/source_span.h"
#include "passes/pass.h"
#include "proof/prover.h"

namespace mxtile {

struct MxOffset {
  absl::string_view axis_name;  // "block" or "group"
  int axis = 0;                 // Of the two logical axes.
  int64_t divisor = 0;          // 16 or 2.
  const ir::Expr* expr = nullptr;
};

// A load from an MX tensor, or a store into one.
struct MxWindowOffsets {
  const ir::Function* function = nullptr;
  const ir::Call* call = nullptr;
  ir::SourceSpan span;  // Of the call or its statement.
  const ir::Expr* tensor = nullptr;
  std::array<MxOffset, 2> offsets;  // Block, then group.
};

// The offsets of a window into an MX tensor of that layout. There are two
// elements.
std::array<MxOffset, 2> MxOffsetsOf(ir::TensorLayout layout, ir::Exprs offsets);

// Calls fn(window) for each load and store of a rank-2 MX tensor with rank-2
// offsets written in place, in program order. Nothing else is checked: what is
// wrong with a window besides its offsets is the pass's to say.
void ForEachMxWindow(const ir::Program& program, const ir::OpRegistry& registry,
                     const std::function<void(const MxWindowOffsets&)>& fn);

struct OffsetJudgement {
  proof::ProofResult multiple;
  proof::ProofResult sign;
  OffsetVerdict verdict;
};

OffsetJudgement JudgeOffset(const proof::Prover& prover,
                            const MxWindowOffsets& window,
                            const MxOffset& offset);

}  // namespace mxtile

#endif  // PASSES_BLOCK_MX_SCALE_TENSOR_VIEWS_MX_OFFSETS_H_
