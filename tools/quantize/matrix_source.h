#ifndef TOOLS_QUANTIZE_MATRIX_SOURCE_H_
#define TOOLS_QUANTIZE_MATRIX_SOURCE_H_

// A matrix in a file, read as floats by panels of rows.
//
//   const MatrixSource source = {&file, offset, SourceType::kBF16, 4096, 4096};
//   std::vector<uint8_t> scratch;
//   std::vector<float> values(512 * 4096);
//   MX_RETURN_IF_ERROR(ReadRows(source, {0, 512}, &scratch,
//                               absl::MakeSpan(values)));

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "base/positioned_file.h"
#include "kernels/host/quantize.h"

namespace mxtile {

enum class SourceType { kF16, kBF16, kF32, kF64 };

// Of "F16", "BF16", "F32", "F64"; nothing for other dtypes.
absl::optional<SourceType> SourceTypeOfDtype(absl::string_view dtype);
int64_t SizeBytes(SourceType type);

struct MatrixSource {
  const InputFile* file = nullptr;
  // Of the first element.
  int64_t offset = 0;
  SourceType type = SourceType::kF32;
  int64_t rows = 0;
  int64_t cols = 0;
  // Fortran order: the rows of a column follow each other.
  bool column_major = false;
};

// `values` are [rows, cols] of the panel, row-major. f64 is rounded to the
// nearest float, from 2^128 on to Inf; the others are exact. `scratch` holds
// bytes of the file, to be used again.
absl::Status ReadRows(const MatrixSource& source, host::RowRange rows,
                      std::vector<uint8_t>* scratch, absl::Span<float> values);

}  // namespace mxtile

#endif  // TOOLS_QUANTIZE_MATRIX_SOURCE_H_
