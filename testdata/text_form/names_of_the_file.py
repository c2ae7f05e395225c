# Origin: written for mxtile. Shows: constants and dynamic dimensions of the file, functions without stated results, attributes.
import pypto.language as pl

ROWS = pl.dynamic("ROWS")
WIDTH = 64
SCALE = 0.5


@pl.program
class NamesOfTheFile:
    """What the program is for."""

    @pl.function(type=pl.FunctionType.AIV, attrs={"split": pl.SplitMode.UP_DOWN, "dual_aiv_dispatch": True})
    def scale(x: pl.Tensor[[ROWS, WIDTH], pl.FP32], out: pl.Out[pl.Tensor[[ROWS, WIDTH], pl.FP32]]):
        t = pl.load(x, [0, 0], [16, WIDTH])
        done = pl.store(pl.mul(t, SCALE), [0, 0], out)
        return done

    @pl.function(level=pl.Level.POD, role=pl.Role.Orchestrator)
    def main(self, x: pl.Tensor[[ROWS, WIDTH], pl.FP32], out: pl.Tensor[[ROWS, WIDTH], pl.FP32]):
        size = WIDTH * pl.FP32.get_byte()
        y = self.scale(x, out)
        return y
