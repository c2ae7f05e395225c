// The vector kernels of quantising, compiled for each instruction set; the one
// that runs is chosen at run time.

#include <cstdint>

#include "kernels/group_axis.h"
#include "kernels/host/quantize_job.h"
#include "kernels/host/scalar_kernels.h"
#include "numerics/element_format.h"

#ifndef HWY_DISABLED_TARGETS
// Their vectors have no fixed size.
#define HWY_DISABLED_TARGETS \
  (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#endif
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/host/quantize_kernels.cc"
#include "hwy/foreach_target.h"
// Has to follow foreach_target.h.
#include "hwy/highway.h"
#if HWY_TARGET != HWY_SCALAR
#include "kernels/host/axis0-inl.h"
#include "kernels/host/axis1-inl.h"
#include "kernels/host/encode-inl.h"
#endif

HWY_BEFORE_NAMESPACE();
namespace mxtile::host {
namespace HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR

// One lane has no blocks: plain loops are the same.
void Quantize(const QuantizeJob& job) { ScalarQuantize(job); }

#else

template <class Source, class Format>
void QuantizeFormat(const QuantizeJob& job) {
  if (job.axis == GroupAxis::kAxis1) {
    QuantizeAxis1<Source, Format>(job);
  } else {
    QuantizeAxis0<Source, Format>(job);
  }
}

template <class Source>
void QuantizeSource(const QuantizeJob& job) {
  switch (job.format) {
    case ElementFormat::kF8E4M3FN:
      return QuantizeFormat<Source, F8E4M3Traits>(job);
    case ElementFormat::kF8E5M2:
      return QuantizeFormat<Source, F8E5M2Traits>(job);
    default:
      return QuantizeFormat<Source, F4E2M1Traits>(job);
  }
}

void Quantize(const QuantizeJob& job) {
  switch (job.source_format) {
    case ElementFormat::kF32:
      return QuantizeSource<SourceF32>(job);
    case ElementFormat::kBF16:
      return QuantizeSource<SourceBF16>(job);
    default:
      return QuantizeSource<SourceF16>(job);
  }
}

#endif  // HWY_TARGET == HWY_SCALAR

const char* InstructionSet() { return hwy::TargetName(HWY_TARGET); }

}  // namespace HWY_NAMESPACE
}  // namespace mxtile::host
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mxtile::host {

HWY_EXPORT(Quantize);
HWY_EXPORT(InstructionSet);

void RunQuantize(const QuantizeJob& job) {
  HWY_DYNAMIC_DISPATCH(Quantize)(job);
}

const char* QuantizeInstructionSet() {
  return HWY_DYNAMIC_DISPATCH(InstructionSet)();
}

}  // namespace mxtile::host
#endif  // HWY_ONCE
