#ifndef KERNELS_REFERENCE_PTO_H_
#define KERNELS_REFERENCE_PTO_H_

// The kernels of kernels/reference in the names of PTO-ISA, so that a kernel's
// text can be followed on tiles in host memory:
//
//   TQUANT<0, MxQuantAlg::OcpMxFp8E4M3>(fp8, src, &e8_dn, &max, &scaling);
//   TMOV(fp8_nz, fp8);              // ND -> NZ
//   TMOV<0>(e8_zz, e8_dn, tmp);     // DN -> ZZ
//   TMATMUL_MX(c, a, a_scale, b, b_scale);
//
// Each is a thin call of one run-time function, whose header says what it
// computes and refuses: tquant.h, tmov.h, matmul_mx.h. Every one returns
// absl::Status and has to be looked at. Differences from PTO-ISA: sources are
// const, tiles are values with run-time shapes, no tile is scratch for another,
// there are no events to wait for; INT8 is left out.

#include "absl/status/status.h"
#include "kernels/group_axis.h"
#include "kernels/group_tile.h"
#include "kernels/mx_quant_alg.h"
#include "kernels/reference/matmul_mx.h"
#include "kernels/reference/tmov.h"
#include "kernels/reference/tquant.h"
#include "kernels/tile_layout.h"
#include "kernels/tile_view.h"

namespace mxtile {

// Exp, Max and Scaling are TileView, or FlatGroupTile where the axis is 1, or
// (Exp) InterleavedGroupTile where it is 0.
template <int grp_axis, MxQuantAlg mx_alg, typename Exp, typename Max,
          typename Scaling>
absl::Status TQUANT(const TileView& dst, const ConstTileView& src,
                    const Exp* exp, const Max* max, const Scaling* scaling) {
  static_assert(grp_axis == 0 || grp_axis == 1, "groups lie along axis 0 or 1");
  return TQuant(
      {static_cast<GroupAxis>(grp_axis), RuleOf(mx_alg), FormatOf(mx_alg)},
      {dst, src, *exp, *max, *scaling});
}

// With interleaved exponents: TQUANT<0, alg, true>.
template <int grp_axis, MxQuantAlg mx_alg, bool interleave>
absl::Status TQUANT(const TileView& dst, const ConstTileView& src,
                    const TileView* exp, const TileView* max,
                    const TileView* scaling) {
  static_assert(grp_axis == 0 || !interleave, "rows are interleaved on axis 0");
  if constexpr (interleave) {
    const InterleavedGroupTile pairs = {*exp};
    return TQUANT<grp_axis, mx_alg>(dst, src, &pairs, max, scaling);
  } else {
    return TQUANT<grp_axis, mx_alg>(dst, src, exp, max, scaling);
  }
}

// The older form, along axis 1.
template <QuantType quant_type, QuantScaleAlg scale_alg = QuantScaleAlg::OCP,
          typename Exp, typename Max, typename Scaling>
absl::Status TQUANT(const TileView& dst, const ConstTileView& src,
                    const Exp* exp, const Max* max, const Scaling* scaling) {
  static_assert(
      quant_type == QuantType::MXFP8 || quant_type == QuantType::MXFP4_E2M1,
      "INT8 is no MX format");
  return TQUANT<1, AlgOf(quant_type, scale_alg)>(dst, src, exp, max, scaling);
}

// Data and back: ND -> NZ, NZ -> ND, ND -> ZN.
inline absl::Status TMOV(const TileView& dst, const ConstTileView& src) {
  return TMov(dst, src);
}

// Exponents: ND -> ZZ, and with grp_axis 0 DN -> ZZ. `tmp` is not used. Along
// axis 0 a single row of groups goes to a row-major tile as it is.
template <int grp_axis = 1>
absl::Status TMOV(const TileView& dst, const ConstTileView& src,
                  const TileView& /*tmp*/) {
  static_assert(grp_axis == 0 || grp_axis == 1, "groups lie along axis 0 or 1");
  const bool single_row =
      src.type.valid_rows == 1 && dst.type.layout == TileLayout::kNd;
  return grp_axis == 1 || single_row ? TMov(dst, src)
                                     : TMovTransposed(dst, src);
}

inline absl::Status TMATMUL_MX(const TileView& c, const ConstTileView& a,
                               const ConstTileView& a_scale,
                               const ConstTileView& b,
                               const ConstTileView& b_scale,
                               const MatmulMxOptions& options = {}) {
  return MatmulMx({c, a, a_scale, b, b_scale, {}, {}}, options);
}

inline absl::Status TMATMUL_MX_ACC(const TileView& c, const ConstTileView& c_in,
                                   const ConstTileView& a,
                                   const ConstTileView& a_scale,
                                   const ConstTileView& b,
                                   const ConstTileView& b_scale,
                                   const MatmulMxOptions& options = {}) {
  return MatmulMx({c, a, a_scale, b, b_scale, c_in, {}}, options);
}

inline absl::Status TMATMUL_MX_BIAS(const TileView& c, const ConstTileView& a,
                                    const ConstTileView& a_scale,
                                    const ConstTileView& b,
                                    const ConstTileView& b_scale,
                                    const ConstTileView& bias,
                                    const MatmulMxOptions& options = {}) {
  return MatmulMx({c, a, a_scale, b, b_scale, {}, bias}, options);
}

// A row vector A: M = 1.
inline absl::Status TGEMV_MX(const TileView& c, const ConstTileView& a,
                             const ConstTileView& a_scale,
                             const ConstTileView& b,
                             const ConstTileView& b_scale,
                             MatmulMxOptions options = {}) {
  options.gemv = true;
  return MatmulMx({c, a, a_scale, b, b_scale, {}, {}}, options);
}

inline absl::Status TGEMV_MX_ACC(const TileView& c, const ConstTileView& c_in,
                                 const ConstTileView& a,
                                 const ConstTileView& a_scale,
                                 const ConstTileView& b,
                                 const ConstTileView& b_scale,
                                 MatmulMxOptions options = {}) {
  options.gemv = true;
  return MatmulMx({c, a, a_scale, b, b_scale, c_in, {}}, options);
}

inline absl::Status TGEMV_MX_BIAS(const TileView& c, const ConstTileView& a,
                                  const ConstTileView& a_scale,
                                  const ConstTileView& b,
                                  const ConstTileView& b_scale,
                                  const ConstTileView& bias,
                                  MatmulMxOptions options = {}) {
  options.gemv = true;
  return MatmulMx({c, a, a_scale, b, b_scale, {}, bias}, options);
}

}  // namespace mxtile

#endif  // KERNELS_REFERENCE_PTO_H_
