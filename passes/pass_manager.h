#ifndef PASSES_PASS_MANAGER_H_
#define PASSES_PASS_MANAGER_H_

// Runs passes in order and checks what they require and promise.
//
//   PassManager manager({&block_mx_scale_tensor_views, ...});
//   manager.AddHook(&timing);
//   MX_ASSIGN_OR_RETURN(program, manager.Run(program, context));
//
// Before a pass, each property that it requires and those that must always hold
// are verified unless they are known to hold; a program that lacks one is
// refused (InvalidArgument, with a note that names the pass that produces it).
// After a pass, what it produces is verified, and once more what must always
// hold where the program has changed; a breach there is the pass's own fault
// (Internal). What a changing pass invalidates is known no longer.

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/program.h"
#include "passes/pass.h"

namespace mxtile {

// Sees each pass before and after. An error stops the pipeline.
class PassHook {
 public:
  virtual ~PassHook() = default;
  virtual absl::Status BeforePass(const Pass& pass,
                                  const ir::Program& program) {
    return absl::OkStatus();
  }
  virtual absl::Status AfterPass(const Pass& pass, const ir::Program& before,
                                 const ir::Program& after) {
    return absl::OkStatus();
  }
};

class PassManager {
 public:
  // The passes must outlive the manager.
  explicit PassManager(std::vector<const Pass*> passes)
      : passes_(std::move(passes)) {}

  void AddHook(PassHook* hook) { hooks_.push_back(hook); }

  absl::StatusOr<const ir::Program*> Run(const ir::Program* program,
                                         PassContext& context) const;

 private:
  absl::StatusOr<const ir::Program*> RunPass(const Pass& pass,
                                             const ir::Program* program,
                                             PropertySet* holding,
                                             PassContext& context) const;

  std::vector<const Pass*> passes_;
  std::vector<PassHook*> hooks_;
};

}  // namespace mxtile

#endif  // PASSES_PASS_MANAGER_H_
