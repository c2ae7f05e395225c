# Origin: written for mxtile. Shows: operators that nobody registered, with and without a stated type.
import pypto.language as pl


@pl.program
class OpenOperators:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(x: pl.Tensor[[16, 64], pl.FP32], out: pl.Out[pl.Tensor[[16, 64], pl.FP32]]) -> pl.Tensor[[16, 64], pl.FP32]:
        t: pl.Tile[[16, 64], pl.FP32, pl.Mem.Vec] = pl.house.brew(x, [0, 0], strength=3, kind='dark', target_memory=pl.Mem.Vec, attrs={"origin": "nowhere", "parts": [1, 2.5, True, pl.FP16]})
        count = pl.house.count(t)
        pl.house.serve(t, count)
        for i in pl.range(count):
            pl.house.serve(t, count + i)
        done = pl.store(t, [0, 0], out)
        return done
