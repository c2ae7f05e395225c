#ifndef PASSES_INSERT_MX_SCALE_ADDR_MX_MATMUL_TEXT_TEST_UTIL_H_
#define PASSES_INSERT_MX_SCALE_ADDR_MX_MATMUL_TEXT_TEST_UTIL_H_

// Programs with MX matmuls, as text whose memory spaces are known.
//
//   MatmulProgram("InCore", "c = mm(l, ls, r, rs)")
//
// is a function `cell` that fills l, ls, r and rs from its parameters and then
// multiplies. Short forms: mm, mma and mmb for tile.matmul_mx, _acc and _bias,
// bind for tile.tget_scale_addr, fill_left, fill_left_scale, fill_right and
// fill_right_scale for moves.

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "ir/text/text_program_test_util.h"

namespace mxtile {

inline std::string ExpandedMatmuls(absl::string_view text) {
  return absl::StrReplaceAll(
      text, {{"mm(", "pl.tile.matmul_mx("},
             {"mma(", "pl.tile.matmul_mx_acc("},
             {"mmb(", "pl.tile.matmul_mx_bias("},
             {"bind(", "pl.tile.tget_scale_addr("},
             {"fill_left(lm)", "pl.tile.move(lm, target_memory=pl.Mem.Left)"},
             {"fill_left_scale(lsm)",
              "pl.tile.move(lsm, target_memory=pl.Mem.LeftScale)"},
             {"fill_right(rm)", "pl.tile.move(rm, target_memory=pl.Mem.Right)"},
             {"fill_right_scale(rsm)",
              "pl.tile.move(rsm, target_memory=pl.Mem.RightScale)"}});
}

// The parameters of `cell`: two operands, their scales, a bias, a destination,
// a pair of a left and a right tile, two scalars.
inline std::string MatmulParams() {
  return "l_t: pl.Tensor[[16, 64], pl.FP8E4M3FN], "
         "ls_t: pl.Tensor[[16, 2], pl.FP8E8M0, pl.MX_A_ZZ], "
         "r_t: pl.Tensor[[64, 32], pl.FP8E4M3FN], "
         "rs_t: pl.Tensor[[2, 32], pl.FP8E8M0, pl.MX_B_NN], "
         "b_t: pl.Tensor[[1, 32], pl.FP32], "
         "dst: pl.Out[pl.Tensor[[16, 32], pl.FP32]], "
         "pair: pl.Tuple[pl.Tile[[16, 64], pl.FP8E4M3FN, pl.Mem.Left], "
         "pl.Tile[[64, 32], pl.FP8E4M3FN, pl.Mem.Right]], "
         "n: pl.Scalar[pl.INDEX], flag: pl.Scalar[pl.BOOL]";
}

// lm, lsm, rm, rsm in Mat; l, ls, r, rs where a matmul reads them; b, a bias.
inline std::string MatmulFills() {
  return ExpandedMatmuls(
      "lm = pl.load(l_t, [0, 0], [16, 64], target_memory=pl.Mem.Mat)\n"
      "l = fill_left(lm)\n"
      "lsm = pl.load(ls_t, [0, 0], [16, 2], target_memory=pl.Mem.Mat)\n"
      "ls = fill_left_scale(lsm)\n"
      "rm = pl.load(r_t, [0, 0], [64, 32], target_memory=pl.Mem.Mat)\n"
      "r = fill_right(rm)\n"
      "rsm = pl.load(rs_t, [0, 0], [2, 32], target_memory=pl.Mem.Mat)\n"
      "rs = fill_right_scale(rsm)\n"
      "bm = pl.load(b_t, [0, 0], [1, 32], target_memory=pl.Mem.Mat)\n"
      "b = pl.tile.move(bm, target_memory=pl.Mem.Bias)\n");
}

// `cell` of that function type, and an in-core function `other`.
inline std::string MatmulProgram(absl::string_view type,
                                 absl::string_view body) {
  const bool has_self = type == "Orchestration" || type == "Opaque";
  return ir::ProgramText(
      {ir::FunctionText(type, "cell",
                        absl::StrCat(has_self ? "self, " : "", MatmulParams()),
                        absl::StrCat(MatmulFills(), ExpandedMatmuls(body))),
       ir::FunctionText("InCore", "other", "k: pl.Scalar[pl.INDEX]", "")});
}

}  // namespace mxtile

#endif  // PASSES_INSERT_MX_SCALE_ADDR_MX_MATMUL_TEXT_TEST_UTIL_H_
