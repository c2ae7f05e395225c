# FP32 matmul, 256 x 256 x 256: a program for each 64 x 64 block of the product,
# K in steps of 64. The first step is peeled: it starts the accumulator that the
# loop carries.
# pypto.program: Sgemm
import pypto.language as pl


@pl.program
class Sgemm:
    @pl.function(type=pl.FunctionType.InCore)
    def gemm(
        a: pl.Tensor[[256, 256], pl.FP32],
        b: pl.Tensor[[256, 256], pl.FP32],
        c: pl.Out[pl.Tensor[[256, 256], pl.FP32]],
        row: pl.Scalar[pl.INDEX],
        col: pl.Scalar[pl.INDEX],
    ) -> pl.Tensor[[256, 256], pl.FP32]:
        a_first = pl.load(a, [row, 0], [64, 64], target_memory=pl.Mem.Mat)
        b_first = pl.load(b, [0, col], [64, 64], target_memory=pl.Mem.Mat)
        first = pl.matmul(a_first, b_first)
        for k0, (acc,) in pl.range(64, 256, 64, init_values=(first,)):
            a_step = pl.load(a, [row, k0], [64, 64], target_memory=pl.Mem.Mat)
            b_step = pl.load(b, [k0, col], [64, 64], target_memory=pl.Mem.Mat)
            next_acc = pl.matmul_acc(acc, a_step, b_step)
            total = pl.yield_(next_acc)
        result = pl.store(total, [row, col], c)
        return result

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self,
        a: pl.Tensor[[256, 256], pl.FP32],
        b: pl.Tensor[[256, 256], pl.FP32],
        c: pl.Out[pl.Tensor[[256, 256], pl.FP32]],
    ) -> pl.Tensor[[256, 256], pl.FP32]:
        for row, (c_row,) in pl.parallel(0, 256, 64, init_values=(c,)):
            for col, (c_block,) in pl.parallel(0, 256, 64, init_values=(c_row,)):
                next_block = self.gemm(a, b, c_block, row, col)
                next_row = pl.yield_(next_block)
            result = pl.yield_(next_row)
        return result
