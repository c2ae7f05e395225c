#ifndef KERNELS_MX_QUANT_ALG_H_
#define KERNELS_MX_QUANT_ALG_H_

// The quantisation algorithms of PTO-ISA's TQUANT, by its names and numbers: a
// format and the rule that finds the scale.
//
//   FormatOf(MxQuantAlg::NvMxFp4E2M1) == ElementFormat::kF4E2M1FN
//   RuleOf(MxQuantAlg::NvMxFp4E2M1) == ScaleRule::kNv

#include "numerics/element_format.h"
#include "numerics/scale_rule.h"

namespace mxtile {

enum class MxQuantAlg {
  OcpMxFp8E4M3 = 0,
  NvMxFp8E4M3 = 1,
  OcpMxFp4E2M1 = 2,
  NvMxFp4E2M1 = 3,
};

// Every algorithm, in the order of the enum.
inline constexpr MxQuantAlg kMxQuantAlgs[] = {
    MxQuantAlg::OcpMxFp8E4M3, MxQuantAlg::NvMxFp8E4M3, MxQuantAlg::OcpMxFp4E2M1,
    MxQuantAlg::NvMxFp4E2M1};

constexpr ElementFormat FormatOf(MxQuantAlg alg) {
  return alg == MxQuantAlg::OcpMxFp8E4M3 || alg == MxQuantAlg::NvMxFp8E4M3
             ? ElementFormat::kF8E4M3FN
             : ElementFormat::kF4E2M1FN;
}

constexpr ScaleRule RuleOf(MxQuantAlg alg) {
  return alg == MxQuantAlg::OcpMxFp8E4M3 || alg == MxQuantAlg::OcpMxFp4E2M1
             ? ScaleRule::kOcp
             : ScaleRule::kNv;
}

// The older interface, axis 1 only: a format and a rule of their own.
enum class QuantType { MXFP8 = 0, MXFP4_E2M1 = 1, INT8_SYM = 2, INT8_ASYM = 3 };
enum class QuantScaleAlg { OCP = 0, NV = 1 };

// INT8 is not MX: the type must be MXFP8 or MXFP4_E2M1.
constexpr MxQuantAlg AlgOf(QuantType type, QuantScaleAlg scale) {
  if (type == QuantType::MXFP8) {
    return scale == QuantScaleAlg::OCP ? MxQuantAlg::OcpMxFp8E4M3
                                       : MxQuantAlg::NvMxFp8E4M3;
  }
  return scale == QuantScaleAlg::OCP ? MxQuantAlg::OcpMxFp4E2M1
                                     : MxQuantAlg::NvMxFp4E2M1;
}

}  // namespace mxtile

#endif  // KERNELS_MX_QUANT_ALG_H_
