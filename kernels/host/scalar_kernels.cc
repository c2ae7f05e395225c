#include "kernels/host/scalar_kernels.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "kernels/group_axis.h"
#include "kernels/host/quantize_job.h"
#include "kernels/host/quantized_layout.h"
#include "numerics/element_format.h"
#include "numerics/scale_rule.h"
#include "numerics/scaled_element.h"

namespace mxtile::host {
namespace {

int64_t ScaleOffset(const ScaleStrides& stride, int64_t line, int64_t group) {
  return line / 16 * stride.box + line % 16 * stride.line +
         group / 2 * stride.pair + group % 2 * stride.group;
}

int64_t DataOffset(const DataStrides& stride, int64_t row, int64_t byte) {
  return row * stride.line + byte / 32 * stride.chunk + byte % 32;
}

float LoadElement(const QuantizeJob& job, int64_t row, int64_t col) {
  const uint8_t* at = job.source + row * job.source_pitch_bytes;
  if (job.source_format == ElementFormat::kF32) {
    float value;
    std::memcpy(&value, at + 4 * col, 4);
    return value;
  }
  uint16_t code;
  std::memcpy(&code, at + 2 * col, 2);
  return Decode(job.source_format, code);
}

// `code` of 4 bits leaves the other nibble as it is.
void StoreCode(ElementFormat format, const DataStrides& stride, int64_t row,
               int64_t col, uint8_t code, uint8_t* data) {
  if (BitWidth(format) == 8) {
    data[DataOffset(stride, row, col)] = code;
    return;
  }
  uint8_t& byte = data[DataOffset(stride, row, col / 2)];
  byte = static_cast<uint8_t>(col % 2 == 0 ? (byte & 0xF0) | code
                                           : (byte & 0x0F) | code << 4);
}

uint8_t LoadCode(const DequantizeJob& job, int64_t row, int64_t col) {
  if (BitWidth(job.format) == 8) {
    return job.data[DataOffset(job.data_strides, row, col)];
  }
  const uint8_t byte = job.data[DataOffset(job.data_strides, row, col / 2)];
  return col % 2 == 0 ? byte & 0x0F : byte >> 4;
}

}  // namespace

void ScalarQuantize(const QuantizeJob& job) {
  const bool axis1 = job.axis == GroupAxis::kAxis1;
  const int64_t lines = axis1 ? job.rows : job.cols;
  const int64_t extent = axis1 ? job.cols : job.rows;
  for (int64_t line = 0; line < lines; ++line) {
    for (int64_t first = 0; first < extent; first += kScaleGroupSize) {
      float group[kScaleGroupSize] = {};
      const int64_t size = std::min<int64_t>(kScaleGroupSize, extent - first);
      for (int64_t i = 0; i < size; ++i) {
        group[i] = axis1 ? LoadElement(job, line, first + i)
                         : LoadElement(job, first + i, line);
      }
      const uint8_t scale = SharedExponent(job.rule, job.format, MaxAbs(group));
      for (int64_t i = 0; i < kScaleGroupSize; ++i) {
        StoreCode(job.format, job.data_strides, axis1 ? line : first + i,
                  axis1 ? first + i : line,
                  EncodeScaled(job.format, group[i], scale), job.data);
      }
      job.scales[ScaleOffset(
          job.scale_strides, axis1 ? job.first_line + line : line,
          job.first_group + first / kScaleGroupSize)] = scale;
    }
  }
}

void ScalarDequantize(const DequantizeJob& job) {
  const bool axis1 = job.axis == GroupAxis::kAxis1;
  for (int64_t row = 0; row < job.rows; ++row) {
    for (int64_t col = 0; col < job.cols; ++col) {
      const int64_t line = axis1 ? job.first_line + row : col;
      const int64_t group =
          job.first_group + (axis1 ? col : row) / kScaleGroupSize;
      const uint8_t scale =
          job.scales[ScaleOffset(job.scale_strides, line, group)];
      const double value =
          DecodeScaled(job.format, LoadCode(job, row, col), scale);
      job.values[row * job.cols + col] =
          std::isnan(value) ? std::numeric_limits<float>::quiet_NaN()
                            : static_cast<float>(value);
    }
  }
}

}  // namespace mxtile::host
