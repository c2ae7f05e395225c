# MXFP8 matmul, 128 x 128 x 512, K in steps of 64. The first step is peeled: it
# starts the accumulator that the loop carries.
# pypto.program: Mxfp8Gemm
import pypto.language as pl


@pl.program
class Mxfp8Gemm:
    @pl.function(type=pl.FunctionType.InCore)
    def gemm(
        a: pl.Tensor[[128, 512], pl.FP8E4M3FN],
        a_scale: pl.Tensor[[128, 16], pl.FP8E8M0, pl.MX_A_ZZ],
        b: pl.Tensor[[512, 128], pl.FP8E4M3FN],
        b_scale: pl.Tensor[[16, 128], pl.FP8E8M0, pl.MX_B_NN],
        c: pl.Out[pl.Tensor[[128, 128], pl.FP32]],
    ) -> pl.Tensor[[128, 128], pl.FP32]:
        a_first = pl.load(a, [0, 0], [128, 64], target_memory=pl.Mem.Mat)
        a_scale_first = pl.load(a_scale, [0, 0], [128, 2])
        b_first = pl.load(b, [0, 0], [64, 128], target_memory=pl.Mem.Mat)
        b_scale_first = pl.load(b_scale, [0, 0], [2, 128])
        first = pl.matmul_mx(a_first, a_scale_first, b_first, b_scale_first)
        for k0, (acc,) in pl.range(64, 512, 64, init_values=(first,)):
            a_step = pl.load(a, [0, k0], [128, 64], target_memory=pl.Mem.Mat)
            a_scale_step = pl.load(a_scale, [0, k0 // 32], [128, 2])
            b_step = pl.load(b, [k0, 0], [64, 128], target_memory=pl.Mem.Mat)
            b_scale_step = pl.load(b_scale, [k0 // 32, 0], [2, 128])
            next_acc = pl.matmul_mx_acc(acc, a_step, a_scale_step, b_step, b_scale_step)
            total = pl.yield_(next_acc)
        result = pl.store(total, [0, 0], c)
        return result

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self,
        a: pl.Tensor[[128, 512], pl.FP8E4M3FN],
        a_scale: pl.Tensor[[128, 16], pl.FP8E8M0, pl.MX_A_ZZ],
        b: pl.Tensor[[512, 128], pl.FP8E4M3FN],
        b_scale: pl.Tensor[[16, 128], pl.FP8E8M0, pl.MX_B_NN],
        c: pl.Out[pl.Tensor[[128, 128], pl.FP32]],
    ) -> pl.Tensor[[128, 128], pl.FP32]:
        result = self.gemm(a, a_scale, b, b_scale, c)
        return result
