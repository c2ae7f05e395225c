#ifndef PASSES_BLOCK_NZ_TENSOR_VIEWS_NZ_OFFSET_CHECKER_H_
#define PASSES_BLOCK_NZ_TENSOR_VIEWS_NZ_OFFSET_CHECKER_H_

// Judges where windows of NZ tensors begin: NZ-OFFSET-2 to 5, which
// block_nz_tensor_views.h lists.
//
//   const NzOffsetChecker offsets(*program, *function, context);
//   offsets.Check({call, span, tensor, offsets, extents});

#include <cstddef>
#include <string>

#include "ir/expr.h"
#include "ir/program.h"
#include "ir/source_span.h"
#include "ir/type.h"
#include "passes/pass.h"
#include "proof/facts.h"
#include "proof/prover.h"

namespace mxtile {

// The part of an NZ tensor that a load or a slice takes.
struct NzWindow {
  const ir::Call& call;
  ir::SourceSpan span;
  const ir::TensorType& type;
  ir::Exprs offsets;  // As many as the tensor has axes.
  ir::Dims extents;   // Likewise; constants that can be blocked.
  int offsets_arg;
};

// "tile.load of NZ tensor 'w'".
std::string NzSubject(const ir::Call& call);

class NzOffsetChecker {
 public:
  // What is known is what the function says, not who calls it. The context must
  // outlive the checker.
  NzOffsetChecker(const ir::Program& program, const ir::Function& function,
                  PassContext& context);

  NzOffsetChecker(const NzOffsetChecker&) = delete;
  NzOffsetChecker& operator=(const NzOffsetChecker&) = delete;

  // Reports what is wrong; a verdict for each offset goes to the findings.
  void Check(const NzWindow& window) const;

 private:
  // Whether nothing is wrong.
  bool CheckOffset(const NzWindow& window, size_t axis) const;
  void CheckInside(const NzWindow& window, size_t axis) const;

  const ir::Function& function_;
  proof::ProgramFacts facts_;
  proof::Prover prover_;
  PassContext& context_;
};

}  // namespace mxtile

#endif  // PASSES_BLOCK_NZ_TENSOR_VIEWS_NZ_OFFSET_CHECKER_H_
