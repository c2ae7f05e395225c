# Origin: written for mxtile. Shows: values that loops and branches carry and yield.
import pypto.language as pl


@pl.program(strict_ssa=True)
class Yields:
    @pl.function(type=pl.FunctionType.InCore, strict_ssa=True)
    def kernel(x: pl.Tensor[[64, 64], pl.FP32], n: pl.Scalar[pl.INT32], out: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        zero = pl.load(x, [0, 0], [16, 64])
        for i, (acc, dst) in pl.pipeline(0, 4, 1, stage=2, init_values=(zero, out)):
            part = pl.load(x, [i * 16, 0], [16, 64])
            total = pl.add(acc, part)
            stored = pl.store(total, [i * 16, 0], dst)
            sums, dsts = pl.yield_(total, stored)
        if n > pl.const(0, pl.INT32):
            a: pl.Scalar[pl.INDEX] = pl.yield_(16)
        else:
            a: pl.Scalar[pl.INDEX] = pl.yield_(0)
        for left, rows in pl.while_(init_values=(n, a)):
            pl.cond(left > 0)
            less = left - 1
            more = rows + 16
            rest, end = pl.yield_(less, more)
        for j in pl.unroll(2):
            pl.system.bar_all()
        result = pl.store(sums, [end, 0], dsts)
        return result
