#include "tools/quantize/matrix_source.h"

#include <cstdint>
#include <cstring>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "base/positioned_file.h"
#include "base/status_macros.h"
#include "kernels/host/quantize.h"
#include "numerics/element_format.h"

namespace mxtile {
namespace {

const std::vector<float>& HalfValues() {
  static const auto* const values = [] {
    auto* table = new std::vector<float>(1 << 16);
    for (uint32_t code = 0; code < table->size(); ++code) {
      (*table)[code] = Decode(ElementFormat::kF16, code);
    }
    return table;
  }();
  return *values;
}

// values[i * stride] of the elements that follow each other at `bytes`.
void Convert(SourceType type, const uint8_t* bytes, int64_t count,
             int64_t stride, float* values) {
  switch (type) {
    case SourceType::kF16: {
      const float* const table = HalfValues().data();
      for (int64_t i = 0; i < count; ++i) {
        uint16_t code;
        std::memcpy(&code, bytes + 2 * i, sizeof(code));
        values[i * stride] = table[code];
      }
      return;
    }
    case SourceType::kBF16:
      for (int64_t i = 0; i < count; ++i) {
        uint16_t code;
        std::memcpy(&code, bytes + 2 * i, sizeof(code));
        const uint32_t bits = uint32_t{code} << 16;
        std::memcpy(&values[i * stride], &bits, sizeof(bits));
      }
      return;
    case SourceType::kF32:
      for (int64_t i = 0; i < count; ++i) {
        std::memcpy(&values[i * stride], bytes + 4 * i, sizeof(float));
      }
      return;
    case SourceType::kF64:
      for (int64_t i = 0; i < count; ++i) {
        double value;
        std::memcpy(&value, bytes + 8 * i, sizeof(value));
        values[i * stride] = static_cast<float>(value);
      }
      return;
  }
}

}  // namespace

absl::optional<SourceType> SourceTypeOfDtype(absl::string_view dtype) {
  if (dtype == "F16") return SourceType::kF16;
  if (dtype == "BF16") return SourceType::kBF16;
  if (dtype == "F32") return SourceType::kF32;
  if (dtype == "F64") return SourceType::kF64;
  return absl::nullopt;
}

int64_t SizeBytes(SourceType type) {
  constexpr int64_t kSizes[] = {2, 2, 4, 8};
  return kSizes[static_cast<int>(type)];
}

absl::Status ReadRows(const MatrixSource& source, host::RowRange rows,
                      std::vector<uint8_t>* scratch, absl::Span<float> values) {
  const int64_t element = SizeBytes(source.type);
  const int64_t count = rows.last - rows.first;
  if (!source.column_major) {
    const int64_t offset = source.offset + rows.first * source.cols * element;
    if (source.type == SourceType::kF32) {
      return source.file->ReadAt(
          offset, absl::MakeSpan(reinterpret_cast<uint8_t*>(values.data()),
                                 values.size() * sizeof(float)));
    }
    scratch->resize(count * source.cols * element);
    MX_RETURN_IF_ERROR(source.file->ReadAt(offset, absl::MakeSpan(*scratch)));
    Convert(source.type, scratch->data(), count * source.cols, 1,
            values.data());
    return absl::OkStatus();
  }
  scratch->resize(count * element);
  for (int64_t col = 0; col < source.cols; ++col) {
    MX_RETURN_IF_ERROR(source.file->ReadAt(
        source.offset + (col * source.rows + rows.first) * element,
        absl::MakeSpan(*scratch)));
    Convert(source.type, scratch->data(), count, source.cols,
            values.data() + col);
  }
  return absl::OkStatus();
}

}  // namespace mxtile
