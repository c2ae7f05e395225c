#ifndef KERNELS_GOLDEN_VECTORS_TEST_UTIL_H_
#define KERNELS_GOLDEN_VECTORS_TEST_UTIL_H_

// The vectors of testdata/golden, which the public CPU simulator of PTO-ISA
// computed. testdata/README.md says what each file of a case holds.
//
//   for (const GoldenCase& golden : LoadGoldenCases("TQUANT_ND")) {
//     Use(golden.Text("src_dtype"), golden.Extents("shape"),
//         golden.Bytes("src"));
//   }
//
// A target that calls this has "//testdata:golden" in its data. Whatever is not
// as expected is a failed check: a test cannot go on without its vectors.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "kernels/mx_quant_alg.h"
#include "nlohmann/json.hpp"
#include "numerics/element_format.h"

namespace mxtile {

class GoldenCase {
 public:
  GoldenCase(nlohmann::json fields, std::shared_ptr<const std::string> vectors);

  std::string name() const { return Text("name"); }
  std::string Text(const char* field) const;
  int64_t Number(const char* field) const;
  std::vector<int64_t> Extents(const char* field) const;
  bool HasBytes(const char* role) const;
  // The contents of a file; they live as long as a copy of the case.
  absl::Span<const uint8_t> Bytes(const char* role) const;

 private:
  nlohmann::json fields_;
  std::shared_ptr<const std::string> vectors_;
};

// What "src_dtype" ("fp32", "fp16", "bf16") and "alg" ("OcpMxFp8E4M3", ...) of
// a TQUANT case stand for.
ElementFormat SourceFormatOf(const GoldenCase& golden);
MxQuantAlg AlgOf(const GoldenCase& golden);

// The cases of an operation, in the order of the file: TQUANT_ND (72),
// TQUANT_DN (72), TMOV_ND2NZ (10), TMOV_ND2ZZ (6), TMOV_DN2ZZ (7), TMATMUL_MX
// (43).
std::vector<GoldenCase> LoadGoldenCases(absl::string_view operation);

// How many cases there are, whatever their operation.
int64_t CountGoldenCases();

}  // namespace mxtile

#endif  // KERNELS_GOLDEN_VECTORS_TEST_UTIL_H_
