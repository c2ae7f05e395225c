import pypto.language as pl


@pl.program
class P:
    @pl.function
    def f(self, n: pl.Scalar[pl.INDEX]):
        for i, (a,) in pl.range(4, init_values=(n,)):
            a[0] = pl.yield_(a)
