# Offsets of MX scale windows that are not proven, for `mxtile prove`: a caller passes 8, a
# difference may be negative, the host may pass anything. One proof assumes that i * 16 does not
# overflow, since the host chooses how far i counts.
# pypto.program: RefusedOffsets
import pypto.language as pl


@pl.program
class RefusedOffsets:
    @pl.function(type=pl.FunctionType.InCore)
    def kernel(
        scale: pl.Tensor[[128, 16], pl.FP8E8M0, pl.MX_A_ZZ],
        row: pl.Scalar[pl.INDEX],
        group: pl.Scalar[pl.INDEX],
        n: pl.Scalar[pl.INDEX],
    ):
        of_caller = pl.load(scale, [row, 0], [16, 2])
        for i in pl.range(0, n):
            assumed = pl.load(scale, [i * 16, 2], [16, 2])
        for j in pl.range(0, 4):
            difference = pl.load(scale, [32 - j * 16, 2 * group], [16, 2])

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self,
        scale: pl.Tensor[[128, 16], pl.FP8E8M0, pl.MX_A_ZZ],
        group: pl.Scalar[pl.INDEX],
        n: pl.Scalar[pl.INDEX],
    ):
        self.kernel(scale, 16, group, n)
        self.kernel(scale, 8, 0, n)
