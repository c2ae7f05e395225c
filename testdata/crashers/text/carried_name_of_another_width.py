import pypto.language as pl


@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def f(x: pl.Tensor[[64, 64], pl.FP32], n: pl.Scalar[pl.INDEX]):
        acc = pl.load(x, [0, 0], [16, n])
        for i in pl.range(n):
            acc = pl.load(x, [i, 0], [16, 64])
