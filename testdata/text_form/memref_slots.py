# Origin: written for mxtile. Shows: allocations that the author names, in slots, and those of a compiler.
import pypto.language as pl


@pl.program
class MemrefSlots:
    @pl.function(type=pl.FunctionType.InCore)
    def stream(x: pl.Tensor[[64, 64], pl.FP32, pl.MemRef("mem_ddr_0", 0, 16384)], out: pl.Out[pl.Tensor[[64, 64], pl.FP32]]) -> pl.Tensor[[64, 64], pl.FP32]:
        for i in pl.range(4):
            ping: pl.Tile[[16, 64], pl.FP32, pl.MemRef("ping", slots=2)[i % 2], pl.Mem.Vec] = pl.load(x, [i * 16, 0], [16, 64])
            out = pl.store(ping, [i * 16, 0], out)
        whole: pl.Tile[[16, 64], pl.FP32, pl.MemRef("whole"), pl.Mem.Vec] = pl.load(x, [0, 0], [16, 64])
        mem_vec_1: pl.Ptr = pl.tile.alloc(pl.Mem.Vec, 8192)
        fixed: pl.Tile[[16, 64], pl.FP32, pl.MemRef(mem_vec_1, 0, 4096, slots=2)[1], pl.Mem.Vec] = pl.tile.add(whole, whole)
        out = pl.store(fixed, [0, 0], out)
        return out
