import pypto.language as pl


@pl.program
class P:
    @pl.function
    def f(self, x: pl.Tensor[[64], pl.FP32, pl.MemRef("mem_ddr_0", 0, -12)]):
        pass
