# Origin: written for mxtile. Shows: names that are assigned again, in loops and branches, and nested calls.
import pypto.language as pl


@pl.program
class BeforeSsa:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(x: pl.Tensor[[64, 64], pl.FP32], n: pl.Scalar[pl.INDEX], out: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        acc = pl.load(x, [0, 0], [16, 64])
        count: pl.Scalar[pl.INT32] = 0
        for i in pl.range(1, n):
            acc = pl.add(acc, pl.load(x, [i * 16, 0], [16, 64]))
            if i > 2:
                row = i * 16
            else:
                row = 0
            out = pl.store(pl.exp(pl.mul(acc, 0.5)), [row, 0], out)
        while n > 4:
            n = n - 1
            if n == 7:
                break
        return out
