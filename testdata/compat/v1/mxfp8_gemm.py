# MXFP8 matmul, 128 x 128 x 512, K in steps of 64. The first step is peeled: it
# starts the accumulator that the loop carries.
# pypto.program: Mxfp8Gemm
import pypto.language as pl

@pl.program
class Mxfp8Gemm:
    @pl.function(type=pl.FunctionType.InCore, level=pl.Level.CHIP_DIE, role=pl.Role.SubWorker)
    def gemm(a: pl.Tensor[[128, 512], pl.FP8E4M3FN], a_scale: pl.Tensor[[128, 16], pl.FP8E8M0, pl.TensorView(stride=[], layout=pl.TensorLayout.MX_A_ZZ)], b: pl.Tensor[[512, 128], pl.FP8E4M3FN], b_scale: pl.Tensor[[16, 128], pl.FP8E8M0, pl.TensorView(stride=[], layout=pl.TensorLayout.MX_B_NN)], c: pl.Out[pl.Tensor[[128, 128], pl.FP32]]) -> pl.Tensor[[128, 128], pl.FP32]:
        a_first: pl.Tile[[128, 64], pl.FP8E4M3FN, pl.Mem.Mat] = pl.tile.load(a, [0, 0], [128, 64], [128, 64], target_memory=pl.Mem.Mat)
        a_scale_first: pl.Tile[[128, 2], pl.FP8E8M0, pl.Mem.Mat, pl.TileView(blayout=pl.TileLayout.row_major, fractal=32)] = pl.tile.load(a_scale, [0, 0], [128, 2], [128, 2], target_memory=pl.Mem.Mat)
        b_first: pl.Tile[[64, 128], pl.FP8E4M3FN, pl.Mem.Mat] = pl.tile.load(b, [0, 0], [64, 128], [64, 128], target_memory=pl.Mem.Mat)
        b_scale_first: pl.Tile[[2, 128], pl.FP8E8M0, pl.Mem.Mat, pl.TileView(slayout=pl.TileLayout.col_major, fractal=32)] = pl.tile.load(b_scale, [0, 0], [2, 128], [2, 128], target_memory=pl.Mem.Mat)
        first: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc] = pl.tile.matmul_mx(a_first, a_scale_first, b_first, b_scale_first)
        for k0, (acc,) in pl.range(64, 512, 64, init_values=(first,)):
            a_step: pl.Tile[[128, 64], pl.FP8E4M3FN, pl.Mem.Mat] = pl.tile.load(a, [0, k0], [128, 64], [128, 64], target_memory=pl.Mem.Mat)
            a_scale_step: pl.Tile[[128, 2], pl.FP8E8M0, pl.Mem.Mat, pl.TileView(blayout=pl.TileLayout.row_major, fractal=32)] = pl.tile.load(a_scale, [0, k0 // 32], [128, 2], [128, 2], target_memory=pl.Mem.Mat)
            b_step: pl.Tile[[64, 128], pl.FP8E4M3FN, pl.Mem.Mat] = pl.tile.load(b, [k0, 0], [64, 128], [64, 128], target_memory=pl.Mem.Mat)
            b_scale_step: pl.Tile[[2, 128], pl.FP8E8M0, pl.Mem.Mat, pl.TileView(slayout=pl.TileLayout.col_major, fractal=32)] = pl.tile.load(b_scale, [k0 // 32, 0], [2, 128], [2, 128], target_memory=pl.Mem.Mat)
            next_acc: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc] = pl.tile.matmul_mx_acc(acc, a_step, a_scale_step, b_step, b_scale_step)
            total: pl.Tile[[128, 128], pl.FP32, pl.Mem.Acc] = pl.yield_(next_acc)
        result: pl.Tensor[[128, 128], pl.FP32] = pl.tile.store(total, [0, 0], c)
        return result
    @pl.function(type=pl.FunctionType.Orchestration, level=pl.Level.CHIP, role=pl.Role.Orchestrator)
    def main(self, a: pl.Tensor[[128, 512], pl.FP8E4M3FN], a_scale: pl.Tensor[[128, 16], pl.FP8E8M0, pl.TensorView(stride=[], layout=pl.TensorLayout.MX_A_ZZ)], b: pl.Tensor[[512, 128], pl.FP8E4M3FN], b_scale: pl.Tensor[[16, 128], pl.FP8E8M0, pl.TensorView(stride=[], layout=pl.TensorLayout.MX_B_NN)], c: pl.Out[pl.Tensor[[128, 128], pl.FP32]]) -> pl.Tensor[[128, 128], pl.FP32]:
        result: pl.Tensor[[128, 128], pl.FP32] = self.gemm(a, a_scale, b, b_scale, c)
        return result
