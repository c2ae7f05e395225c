# Origin: written for mxtile. Shows: several results of calls and submits, launches, dependencies.
import pypto.language as pl


@pl.program
class Unpacking:
    @pl.function(type=pl.FunctionType.InCore)
    def two(x: pl.Tensor[[16, 64], pl.FP32], a: pl.Out[pl.Tensor[[16, 64], pl.FP32]], b: pl.Out[pl.Tensor[[16, 64], pl.FP32]]) -> tuple[pl.Tensor[[16, 64], pl.FP32], pl.Tensor[[16, 64], pl.FP32]]:
        t = pl.load(x, [0, 0], [16, 64])
        a_done = pl.store(t, [0, 0], a)
        b_done = pl.store(pl.exp(t), [0, 0], b)
        return a_done, b_done

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: pl.Tensor[[16, 64], pl.FP32], a: pl.Tensor[[16, 64], pl.FP32], b: pl.Tensor[[16, 64], pl.FP32]) -> pl.Tensor[[16, 64], pl.FP32]:
        p, q = self.two(x, a, b)
        both: tuple[pl.Tensor[[16, 64], pl.FP32], pl.Tensor[[16, 64], pl.FP32]] = self.two(p, a, b)
        (r, s), task = pl.submit(self.two, both[0], a, b, deps=[None])
        launched = pl.spmd_submit(self.two, r, pl.no_dep(a), core_num=4, sync_start=True, deps=[task])
        last = launched[2]
        t, u, _ = pl.submit(self.two, s, a, b, deps=[last], allow_early_resolve=True)
        return u
