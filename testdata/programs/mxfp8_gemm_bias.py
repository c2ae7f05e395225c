# MXFP8 matmul with a bias, 32 x 64 x 128, straight-line: the bias starts the
# accumulator, the second K step adds to it.
# pypto.program: Mxfp8GemmBias
import pypto.language as pl


@pl.program
class Mxfp8GemmBias:
    @pl.function(type=pl.FunctionType.InCore)
    def gemm(
        a: pl.Tensor[[32, 128], pl.FP8E4M3FN],
        a_scale: pl.Tensor[[32, 4], pl.FP8E8M0, pl.MX_A_ZZ],
        b: pl.Tensor[[128, 64], pl.FP8E4M3FN],
        b_scale: pl.Tensor[[4, 64], pl.FP8E8M0, pl.MX_B_NN],
        bias: pl.Tensor[[1, 64], pl.FP32],
        c: pl.Out[pl.Tensor[[32, 64], pl.FP32]],
    ) -> pl.Tensor[[32, 64], pl.FP32]:
        bias_tile = pl.load(bias, [0, 0], [1, 64], target_memory=pl.Mem.Mat)
        a0 = pl.load(a, [0, 0], [32, 64], target_memory=pl.Mem.Mat)
        a_scale0 = pl.load(a_scale, [0, 0], [32, 2])
        b0 = pl.load(b, [0, 0], [64, 64], target_memory=pl.Mem.Mat)
        b_scale0 = pl.load(b_scale, [0, 0], [2, 64])
        c0 = pl.matmul_mx_bias(a0, a_scale0, b0, b_scale0, bias_tile)
        a1 = pl.load(a, [0, 64], [32, 64], target_memory=pl.Mem.Mat)
        a_scale1 = pl.load(a_scale, [0, 2], [32, 2])
        b1 = pl.load(b, [64, 0], [64, 64], target_memory=pl.Mem.Mat)
        b_scale1 = pl.load(b_scale, [2, 0], [2, 64])
        c1 = pl.matmul_mx_acc(c0, a1, a_scale1, b1, b_scale1)
        result = pl.store(c1, [0, 0], c)
        return result
