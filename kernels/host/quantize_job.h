#ifndef KERNELS_HOST_QUANTIZE_JOB_H_
#define KERNELS_HOST_QUANTIZE_JOB_H_

// What the vector kernels are given: pointers and strides of one panel, checked
// already. Users call kernels/host/quantize.h.

#include <cstdint>

#include "kernels/group_axis.h"
#include "kernels/host/quantized_layout.h"
#include "numerics/element_format.h"
#include "numerics/scale_rule.h"

namespace mxtile::host {

// Quantises rows x cols elements, in whole groups: what the last ones lack is
// +0. So it writes CeilDivide(cols, 32) groups of each row along axis 1, and
// rows up to a multiple of 32 along axis 0; there the codes of rows beyond are
// 0 before the call. Other padding is not its business.
struct QuantizeJob {
  ElementFormat source_format;  // f32, bf16, f16
  ElementFormat format;         // f8E4M3FN, f8E5M2, f4E2M1FN
  ScaleRule rule;
  GroupAxis axis;
  int64_t rows;
  int64_t cols;
  const uint8_t* source;  // of any alignment
  int64_t source_pitch_bytes;
  // Of the whole output, or of a part that has the strides of the whole.
  uint8_t* data;
  DataStrides data_strides;
  uint8_t* scales;
  ScaleStrides scale_strides;
  // The line (axis 1) and the group (axis 0) that the first row is in; `data`
  // points to that row already.
  int64_t first_line;
  int64_t first_group;
};

// On the best instruction set of this processor.
void RunQuantize(const QuantizeJob& job);

// What Highway calls that one: "AVX2".
const char* QuantizeInstructionSet();

// The way back, to f32; the job's names mean the same. Along axis 0 the first
// row begins a group.
struct DequantizeJob {
  ElementFormat format;  // and f4E1M2
  GroupAxis axis;
  int64_t rows;
  int64_t cols;
  const uint8_t* data;
  DataStrides data_strides;
  const uint8_t* scales;
  ScaleStrides scale_strides;
  int64_t first_line;
  int64_t first_group;
  float* values;  // row-major, dense
};

void RunDequantize(const DequantizeJob& job);

}  // namespace mxtile::host

#endif  // KERNELS_HOST_QUANTIZE_JOB_H_
