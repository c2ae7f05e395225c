#ifndef EXEC_SIMD_IMPORT_IMPORT_TEST_UTIL_H_
#define EXEC_SIMD_IMPORT_IMPORT_TEST_UTIL_H_

// Runs an in-core function twice on the same memory: imported, by the strict
// interpreter, and as it is written, by exec/reference in float.
//
//   BothRuns runs(program, "f", request, /*seed=*/1);
//   runs.ExpectSameBits();
//
// Request: buffers are numbered here, one a tensor parameter. The reference
// calls the function once an instance; where instances are blocks of a launch,
// it runs `main`, which takes the function's tensors.

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "exec/simd/import/importer.h"
#include "ir/program.h"
#include "ir/text/text_program_test_util.h"

namespace mxtile::exec::simd {

class BothRuns {
 public:
  // `special`: with zeros of both signs, subnormals, infinities and NaN among
  // the inputs.
  BothRuns(const ir::TextProgram& program, absl::string_view function,
           ImportRequest request, uint32_t seed, bool special = false);

  // Both ran, and all tensors have the same bits after it; NaN equals NaN.
  void ExpectSameBits() const;

  // "RULE message" of the import's or the reference's first diagnostic, or "".
  const std::string& import_error() const { return import_error_; }
  const std::string& reference_error() const { return reference_error_; }
  int import_error_line() const { return import_error_line_; }
  const ImportedKernel& kernel() const { return kernel_; }
  // Of tensor parameter `index`, after the imported run.
  const std::vector<uint8_t>& bytes(int index) const { return bytes_[index]; }
  const std::vector<double>& inputs(int index) const { return inputs_[index]; }

 private:
  void Import(const ir::TextProgram& program, const ir::Function& function);
  void RunImported();
  void RunReference(const ir::TextProgram& program,
                    const ir::Function& function);

  ImportRequest request_;
  ImportedKernel kernel_;
  std::string import_error_;
  std::string reference_error_;
  int import_error_line_ = 0;
  std::vector<std::string> names_;            // By parameter.
  std::vector<std::vector<int64_t>> shapes_;  // Empty for scalars.
  std::vector<ElementType> types_;
  std::vector<std::vector<double>> inputs_;
  std::vector<std::vector<uint8_t>> bytes_;
  std::vector<std::vector<uint8_t>> expected_;
};

}  // namespace mxtile::exec::simd

#endif  // EXEC_SIMD_IMPORT_IMPORT_TEST_UTIL_H_
