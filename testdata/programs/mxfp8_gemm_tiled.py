# MXFP8 matmul, 128 x 128 x 256, in four output tiles of 64 x 64. The kernel takes
# the tile's place as scalar parameters: what it may rely on is what its callers pass.
# pypto.program: Mxfp8GemmTiled
import pypto.language as pl


@pl.program
class Mxfp8GemmTiled:
    @pl.function(type=pl.FunctionType.InCore)
    def cell(
        a: pl.Tensor[[128, 256], pl.FP8E4M3FN],
        a_scale: pl.Tensor[[128, 8], pl.FP8E8M0, pl.MX_A_ZZ],
        b: pl.Tensor[[256, 128], pl.FP8E4M3FN],
        b_scale: pl.Tensor[[8, 128], pl.FP8E8M0, pl.MX_B_NN],
        c: pl.InOut[pl.Tensor[[128, 128], pl.FP32]],
        row: pl.Scalar[pl.INDEX],
        col: pl.Scalar[pl.INDEX],
    ) -> pl.Tensor[[128, 128], pl.FP32]:
        a_first = pl.load(a, [row, 0], [64, 128], target_memory=pl.Mem.Mat)
        a_scale_first = pl.load(a_scale, [row, 0], [64, 4])
        b_first = pl.load(b, [0, col], [128, 64], target_memory=pl.Mem.Mat)
        b_scale_first = pl.load(b_scale, [0, col], [4, 64])
        first = pl.matmul_mx(a_first, a_scale_first, b_first, b_scale_first)
        for k0, (acc,) in pl.range(128, 256, 128, init_values=(first,)):
            a_step = pl.load(a, [row, k0], [64, 128], target_memory=pl.Mem.Mat)
            a_scale_step = pl.load(a_scale, [row, k0 // 32], [64, 4])
            b_step = pl.load(b, [k0, col], [128, 64], target_memory=pl.Mem.Mat)
            b_scale_step = pl.load(b_scale, [k0 // 32, col], [4, 64])
            next_acc = pl.matmul_mx_acc(acc, a_step, a_scale_step, b_step, b_scale_step)
            total = pl.yield_(next_acc)
        result = pl.store(total, [row, col], c)
        return result

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self,
        a: pl.Tensor[[128, 256], pl.FP8E4M3FN],
        a_scale: pl.Tensor[[128, 8], pl.FP8E8M0, pl.MX_A_ZZ],
        b: pl.Tensor[[256, 128], pl.FP8E4M3FN],
        b_scale: pl.Tensor[[8, 128], pl.FP8E8M0, pl.MX_B_NN],
        c: pl.Out[pl.Tensor[[128, 128], pl.FP32]],
    ) -> pl.Tensor[[128, 128], pl.FP32]:
        for row, (c_rows,) in pl.range(0, 128, 64, init_values=(c,)):
            for col, (c_cols,) in pl.range(0, 128, 64, init_values=(c_rows,)):
                stored = self.cell(a, a_scale, b, b_scale, c_cols, row, col)
                filled = pl.yield_(stored)
            done = pl.yield_(filled)
        return done
