#ifndef PASSES_PASS_H_
#define PASSES_PASS_H_

// What a pass is: a function from program to program.
//
//   class FoldScales : public Pass {
//    public:
//     absl::string_view name() const override { return "fold_scales"; }
//     absl::string_view pypto_name() const override { return "FoldScales"; }
//     PropertySet required() const override { return {Property::kSsaForm}; }
//     absl::StatusOr<const ir::Program*> Run(
//         const ir::Program* program, PassContext& context) const override;
//   };
//
// A changed program is another pointer, an unchanged one the same. A program
// that the pass refuses: diagnostics in the context's sink and
// sink.ToStatus(). Passes hold no state and use no randomness: equal input
// gives equal output.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ir/context.h"
#include "ir/diagnostic.h"
#include "ir/program.h"
#include "ir/source_span.h"
#include "passes/property.h"

namespace mxtile {

// One offset of a load or store window that had to be a non-negative multiple,
// with what the prover said.
struct OffsetVerdict {
  ir::SourceSpan span;   // Of the load or store.
  std::string function;  // In which it stands.
  std::string op;        // "tile.load"
  std::string tensor;    // Name of the MX or NZ tensor.
  int argument = 0;      // Number of the argument that lists the offsets.
  // "block" or "group"; of an NZ tensor "batch", "row" or "column".
  std::string axis;
  int axis_index = 0;  // Among the tensor's, before it was blocked.
  int64_t divisor = 0;
  std::string offset;     // The offset as text, long ones cut.
  bool symbolic = false;  // Constant otherwise.
  bool proven = false;
  std::string reason;  // One line.
  // Of the offset, or of the caller or loop that `reason` names; where known.
  std::optional<int64_t> violating_value;
};

// A scale binding that insert_mx_scale_addr made.
struct ScaleBinding {
  ir::SourceSpan span;  // Of the MX matmul.
  std::string function;
  std::string scale;
  std::string data;
  std::string side;  // "left" or "right"
};

// The address of one tile.
struct TileAddress {
  std::string function;
  std::string tile;
  std::string space;
  int64_t address = 0;
  int64_t size_bytes = 0;
};

// What passes have to say beside the program; a report shows it.
struct PassFindings {
  std::vector<OffsetVerdict> offsets;
  std::vector<ScaleBinding> bindings;
  std::vector<TileAddress> addresses;
};

// Test hooks: make the result of a pass wrong on purpose, so that what comes
// after it is seen to notice.
enum class InjectedFault {
  kNone,
  kDropBinding,   // insert_mx_scale_addr leaves out its last left binding.
  kSwapBindings,  // allocate_addresses exchanges two left scale addresses.
};

struct PassOptions {
  // insert_mx_scale_addr: a matmul uses the last binding where it still holds.
  // Off: every matmul binds anew.
  bool reuse_scale_bindings = true;
  // The function that a host calls; its scalar parameters can have any value.
  std::string entry;
  // The architecture: "a5", "a2a3", or "none" for no target.
  std::string target = "a5";
  InjectedFault fault = InjectedFault::kNone;
};

struct PassContext {
  ir::Context* ir = nullptr;
  ir::DiagnosticSink* sink = nullptr;
  PassOptions options;
  PassFindings findings;
};

class Pass {
 public:
  virtual ~Pass() = default;

  // On the command line: snake_case. `pypto_name` is PyPTO's own, CamelCase.
  virtual absl::string_view name() const = 0;
  virtual absl::string_view pypto_name() const = 0;

  virtual PropertySet required() const { return {}; }
  virtual PropertySet produced() const { return {}; }
  virtual PropertySet invalidated() const { return {}; }

  virtual absl::StatusOr<const ir::Program*> Run(
      const ir::Program* program, PassContext& context) const = 0;
};

}  // namespace mxtile

#endif  // PASSES_PASS_H_
