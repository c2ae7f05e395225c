import pypto.language as pl


@pl.program
class P:
    @pl.function
    def f(self, x: pl.Tensor[[