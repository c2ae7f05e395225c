import pypto.language as pl


@pl.program
class P:
    @pl.function
    def f(self, x: pl.Scalar[pl.INDEX]):
        a: [1] = x
        b: [1] = x
