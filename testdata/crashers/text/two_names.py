# pypto.program: First
# pypto.program: Second
import pypto.language as pl


@pl.program
class P:
    @pl.function
    def f(self, n: pl.Scalar[pl.INDEX]):
        pass
