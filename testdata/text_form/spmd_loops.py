# Origin: written for mxtile. Shows: scopes that are loops over blocks and vector cores.
import pypto.language as pl

BLOCKS = 4


@pl.program
class SpmdLoops:
    @pl.function
    def rows(self, x: pl.Tensor[[64, 64], pl.FP32], out: pl.Tensor[[64, 64], pl.FP32]) -> pl.Tensor[[64, 64], pl.FP32]:
        for block in pl.spmd(BLOCKS, name_hint="rows"):
            t = pl.load(x, [block * 16, 0], [16, 64])
            out = pl.store(t, [block * 16, 0], out)
        return out

    @pl.function(type=pl.FunctionType.InCore)
    def halves(x: pl.Tensor[[32, 64], pl.FP32], out: pl.Out[pl.Tensor[[32, 64], pl.FP32]]) -> pl.Tensor[[32, 64], pl.FP32]:
        for aiv in pl.split_aiv(2, mode=pl.SplitMode.UP_DOWN):
            t = pl.load(x, [aiv * 16, 0], [16, 64])
            out = pl.store(t, [aiv * 16, 0], out)
        return out
