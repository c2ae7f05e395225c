# Origin: written for mxtile. Shows: windows and elements of tensors, tiles and arrays, read and written.
import pypto.language as pl


@pl.program
class Windows:
    @pl.function(type=pl.FunctionType.Orchestration)
    def main(self, x: pl.Tensor[[4, 32, 64], pl.FP32], y: pl.Tensor[[32, 64], pl.FP32], n: pl.Scalar[pl.INDEX]) -> pl.Tensor[[32, 64], pl.FP32]:
        plane = x[1]
        rows = y[n : n + 8]
        corner = y[:8, 32:]
        element = y[0, 3]
        y[0:8, :] = rows
        y[8] = x[0][8]
        counts = pl.array.create(4, pl.INT32)
        counts[0] = 7
        counts[1] = counts[0]
        return y

    @pl.function(type=pl.FunctionType.InCore)
    def kernel(x: pl.Tensor[[32, 64], pl.FP32], out: pl.Out[pl.Tensor[[32, 64], pl.FP32]]) -> pl.Tensor[[32, 64], pl.FP32]:
        t = pl.load(x, [0, 0], [32, 64])
        top = t[0:16, :]
        first = t[0, 0]
        done = pl.store(pl.mul(top, first), [0, 0], out)
        return done
