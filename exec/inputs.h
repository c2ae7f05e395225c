#ifndef EXEC_INPUTS_H_
#define EXEC_INPUTS_H_

// The arguments of a run: from files, or generated from a seed, in the forms
// that the reference and the machine take.
//
//   InputOptions options;
//   options.files["a"] = {"a.npy", bytes};
//   MX_ASSIGN_OR_RETURN(const std::vector<BoundInput> inputs,
//                       BindInputs(*program, *entry, options));
//
// What a file may hold, by the parameter's element type:
//
//   parameter             .npy             what it means
//   FP8E4M3FN, FP8E5M2    uint8            codes
//   FP8E8M0               uint8            scale codes, logical [M,G] or [G,N]
//   BF16                  uint16           codes
//   FP16                  float16, uint16  values, or their codes
//   FP32                  float32          values
//   FP8E4M3FN, FP8E5M2    float32          values, quantised along K into this
//     with a scale partner                 parameter and its scale parameter
//
// Of a scale parameter whose M or N is padded up to whole boxes of 16, the
// padding is 0. The partner is found from the MX matmuls (exec/mx_partners.h).
// A parameter without a file is generated: data with a partner as float32
// values that are quantised; FP32 as values in [-1, 1), which are spread where
// the program quantises them, so that their scales differ. Outputs (pl.Out)
// take no file and hold nothing.
//
// Errors (ir::RuleError):
//   MX-INPUT-1  no parameter of that name, or one that takes no file
//   MX-INPUT-2  the file's type does not fit the parameter
//   MX-INPUT-3  the file's shape is not the parameter's logical shape
//   MX-INPUT-4  the partner of float32 data is ambiguous or missing
//   MX-INPUT-5  codes without their scales, scales without their codes, or
//               scales beside float32 data, which brings its own
//   MX-INPUT-6  a scalar parameter without --set, or --set of what is neither
//               a scalar parameter nor a dynamic dim
//   MX-INPUT-7  K is not a multiple of 32
//   MX-INPUT-8  this parameter cannot be generated or held: tensors have
//               constant dims and at most 2^28 elements
//   MX-INPUT-9  a dynamic dim is positive (exec/specialize.h, which comes
//   first)

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/expr.h"
#include "ir/program.h"
#include "numerics/scale_rule.h"

namespace mxtile::exec {

struct InputFile {
  std::string name;   // For messages.
  std::string bytes;  // The .npy file.
};

struct InputOptions {
  std::map<std::string, InputFile> files;  // By parameter.
  std::map<std::string, int64_t> scalars;  // Scalar params, dynamic dims.
  uint64_t seed = 1;
  ScaleRule scale_rule = ScaleRule::kOcp;
  // Tensors get their shapes and hold nothing: for who only asks what a program
  // would do.
  bool shapes_only = false;
};

// One argument.
struct BoundInput {
  const ir::Var* param = nullptr;
  std::string origin;  // "a.npy", "seed 1", "quantised with a", "output"
  bool is_output = false;

  int64_t scalar = 0;  // Of a scalar parameter.

  // Of a tensor; empty for an output. Row-major, in the logical shape: an MX
  // scale tensor [M, G] or [G, N], whatever its form in the program.
  std::vector<int64_t> shape;
  std::vector<uint8_t> codes;  // Little-endian elements.
  std::vector<double> values;  // What the codes stand for.
  // The values before quantisation; 1 for their scales. Equal to `values` for
  // what was never quantised.
  std::vector<double> exact_values;
  bool quantised = false;
};

absl::StatusOr<std::vector<BoundInput>> BindInputs(const ir::Program& program,
                                                   const ir::Function& entry,
                                                   const InputOptions& options);

// The logical shape of a tensor type with constant dims: [M, G] or [G, N] also
// of a blocked MX tensor. MX-INPUT-8 for dims known at run time only.
absl::StatusOr<std::vector<int64_t>> LogicalShape(const ir::TensorType& type,
                                                  const std::string& name);

// The bytes of the tensor in the layout that its type states: MX layouts are
// packed into boxes, everything else is row-major. `codes` as in BoundInput.
absl::StatusOr<std::vector<uint8_t>> PackForType(
    const ir::TensorType& type, const std::vector<int64_t>& shape,
    const std::vector<uint8_t>& codes);

}  // namespace mxtile::exec

#endif  // EXEC_INPUTS_H_
