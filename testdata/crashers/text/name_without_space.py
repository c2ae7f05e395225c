#pypto.program: First
# pypto.program:
import pypto.language as pl


@pl.program
class P:
    @pl.function
    def f(self, n: pl.Scalar[pl.INDEX]):
        pass
