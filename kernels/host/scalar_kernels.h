#ifndef KERNELS_HOST_SCALAR_KERNELS_H_
#define KERNELS_HOST_SCALAR_KERNELS_H_

// The kernels in plain loops on numerics/, for processors without vectors: the
// instruction set that Highway calls SCALAR. One definition, whatever the
// source, the format and the axis.

#include "kernels/host/quantize_job.h"

namespace mxtile::host {

void ScalarQuantize(const QuantizeJob& job);
void ScalarDequantize(const DequantizeJob& job);

}  // namespace mxtile::host

#endif  // KERNELS_HOST_SCALAR_KERNELS_H_
