#ifndef PASSES_BLOCK_MX_SCALE_TENSOR_VIEWS_MX_OFFSET_CHECKER_H_
#define PASSES_BLOCK_MX_SCALE_TENSOR_VIEWS_MX_OFFSET_CHECKER_H_

// Judges where the windows of loads and stores begin: MX-OFFSET-2 to 5, which
// block_mx_scale_tensor_views.h lists.
//
//   const MxOffsetChecker offsets(*program, options, context);
//   offsets.Check({call, span, tensor, offsets, extents}, function);
//
// What is wrong is reported; context.findings.offsets gets two verdicts a
// window, that of the block axis first.

#include <string>

#include "absl/strings/string_view.h"
#include "ir/expr.h"
#include "ir/program.h"
#include "ir/source_span.h"
#include "ir/type.h"
#include "passes/block_mx_scale_tensor_views/block_mx_options.h"
#include "passes/block_mx_scale_tensor_views/mx_blocking.h"
#include "passes/block_mx_scale_tensor_views/mx_offsets.h"
#include "passes/block_mx_scale_tensor_views/mx_operators.h"
#include "passes/pass.h"
#include "proof/facts.h"
#include "proof/prover.h"

namespace mxtile {

// The part of an MX tensor that a load reads or a store writes.
struct MxWindow {
  const ir::Call& call;
  ir::SourceSpan span;
  const ir::Expr* tensor;
  ir::Exprs offsets;  // Two.
  ir::Dims extents;   // Two constants, whole boxes.

  const ir::TensorType& type() const { return *AsMxTensor(tensor->type); }
  MxAxes axes() const { return MxAxesOf(type().layout()); }
};

// For messages: the variable's name, "" when it is none.
absl::string_view NameOf(const ir::Expr& tensor);
// "tile.load of MX tensor 's'".
std::string Subject(const ir::Call& call, const ir::Expr& tensor);

class MxOffsetChecker {
 public:
  // The context must outlive the checker. Collects the program's facts.
  MxOffsetChecker(const ir::Program& program, const BlockMxOptions& options,
                  PassContext& context)
      : facts_(program, {context.options.entry}),
        prover_(facts_, options.proof),
        context_(context) {}

  MxOffsetChecker(const MxOffsetChecker&) = delete;
  MxOffsetChecker& operator=(const MxOffsetChecker&) = delete;

  // The window stands in that function.
  void Check(const MxWindow& window, const ir::Function& function) const;

 private:
  void CheckOffset(const MxWindowOffsets& window, const MxOffset& offset) const;
  void CheckInside(const MxWindow& window, const MxOffset& offset) const;
  // "tile.load of MX tensor 's': the block offset (argument 1, axis 0) ".
  static std::string SubjectOf(const ir::Call& call, const ir::Expr& tensor,
                               const MxOffset& offset);

  proof::ProgramFacts facts_;
  proof::Prover prover_;
  PassContext& context_;
};

}  // namespace mxtile

#endif  // PASSES_BLOCK_MX_SCALE_TENSOR_VIEWS_MX_OFFSET_CHECKER_H_
