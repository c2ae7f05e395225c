# MXFP8 matmul, 128 x 128 x 512, K in steps of 64. The first step is peeled: it
# starts the accumulator that the loop carries.
# pypto.program: Mxfp8Gemm
import pypto.language as pl

@pl.program
class Mxfp8Gemm:
    @pl.function(type=pl.FunctionType.InCore, level=pl.Level.CHIP_DIE, role=pl.Role.SubWorker)
    def gemm(a: pl.Tensor[[128, 512], pl.FP8E4M3FN], a_scale: pl.Tensor[[1, 8, 8, 16, 2], pl.FP8E8M0, pl.TensorView(stride=[2048, 256, 32, 2, 1], layout=pl.TensorLayout.MX_A_ZZ)], b: pl.Tensor[[512, 128], pl.FP8E4M3FN], b_scale: pl.Tensor[[1, 8, 8, 16, 2], pl.FP8E8M0, pl.TensorView(stride=[2048, 256, 32, 2, 1], layout=pl.TensorLayout.MX_B_NN)], c: pl.Out[pl.Tensor[[128, 128], pl.FP32]]) -> pl.Tensor[[128, 128], pl.FP32]:
        pl.func_attr({"mx_tensor_views_blocked": True})
        mem_mat_0: pl.Ptr = pl.tile.alloc(pl.Mem.Mat, 8192)
        mem_mat_1: pl.Ptr = pl.tile.alloc(pl.Mem.Mat, 256)
        mem_mat_2: pl.Ptr = pl.tile.alloc(pl.Mem.Mat, 8192)
        mem_mat_3: pl.Ptr = pl.tile.alloc(pl.Mem.Mat, 256)
        mem_left_0: pl.Ptr = pl.tile.alloc(pl.Mem.Left, 8192)
        mem_leftscale_0: pl.Ptr = pl.tile.alloc(pl.Mem.LeftScale, 256)
        mem_right_0: pl.Ptr = pl.tile.alloc(pl.Mem.Right, 8192)
        mem_rightscale_0: pl.Ptr = pl.tile.alloc(pl.Mem.RightScale, 256)
        mem_acc_0: pl.Ptr = pl.tile.alloc(pl.Mem.Acc, 65536)
        mem_mat_4: pl.Ptr = pl.tile.alloc(pl.Mem.Mat, 8192)
        mem_mat_5: pl.Ptr = pl.tile.alloc(pl.Mem.Mat, 256)
        mem_mat_6: pl.Ptr = pl.tile.alloc(pl.Mem.Mat, 8192)
        mem_mat_7: pl.Ptr = pl.tile.alloc(pl.Mem.Mat, 256)
        mem_left_1: pl.Ptr = pl.tile.alloc(pl.Mem.Left, 8192)
        mem_leftscale_1: pl.Ptr = pl.tile.alloc(pl.Mem.LeftScale, 256)
        mem_right_1: pl.Ptr = pl.tile.alloc(pl.Mem.Right, 8192)
        mem_rightscale_1: pl.Ptr = pl.tile.alloc(pl.Mem.RightScale, 256)
        a_first: pl.Tile[[128, 64], pl.FP8E4M3FN, pl.MemRef(mem_mat_0, 0, 8192), pl.Mem.Mat] = pl.tile.load(a, [0, 0], [128, 64], [128, 64], target_memory=pl.Mem.Mat)
        a_scale_first: pl.Tile[[128, 2], pl.FP8E8M0, pl.MemRef(mem_mat_1, 8192, 256), pl.Mem.Mat, pl.TileView(blayout=pl.TileLayout.row_major, fractal=32)] = pl.tile.load(a_scale, [0, 0, 0, 0, 0], [1, 8, 1, 16, 2], [1, 8, 1, 16, 2], target_memory=pl.Mem.Mat)
        b_first: pl.Tile[[64, 128], pl.FP8E4M3FN, pl.MemRef(mem_mat_2, 8448, 8192), pl.Mem.Mat] = pl.tile.load(b, [0, 0], [64, 128], [64, 128], target_memory=pl.Mem.Mat)
        b_scale_first: pl.Tile[[2, 128], pl.FP8E8M0, pl.MemRef(mem_mat_3, 16640, 256), pl.Mem.Mat, pl.TileView(slayout=pl.TileLayout.col_major, fractal=32)] = pl.tile.load(b_scale, [0, 0, 0, 0, 0], [1, 8, 1, 16, 2], [1, 8, 1, 16, 2], target_memory=pl.Mem.Mat)
        a_first_Left: pl.Tile[[128, 64], pl.FP8E4M3FN, pl.MemRef(mem_left_0, 0, 8192), pl.Mem.Left] = pl.tile.move(a_first, target_memory=pl.Mem.Left)
        a_scale_first_LeftScale: pl.Tile[[128, 2], pl.FP8E8M0, pl.MemRef(mem_leftscale_0, 0, 256), pl.Mem.LeftScale] = pl.tile.move(a_scale_first, target_memory=pl.Mem.LeftScale)
        b_first_Right: pl.Tile[[64, 128], pl.FP8E4M3FN, pl.MemRef(mem_right_0, 0, 8192), pl.Mem.Right] = pl.tile.move(b_first, target_memory=pl.Mem.Right)
        b_scale_first_RightScale: pl.Tile[[2, 128], pl.FP8E8M0, pl.MemRef(mem_rightscale_0, 0, 256), pl.Mem.RightScale] = pl.tile.move(b_scale_first, target_memory=pl.Mem.RightScale)
        a_scale_first_LeftScale_bound: pl.Tile[[128, 2], pl.FP8E8M0, pl.MemRef(mem_leftscale_0, 0, 256), pl.Mem.LeftScale] = pl.tile.tget_scale_addr(a_scale_first_LeftScale, a_first_Left)
        b_scale_first_RightScale_bound: pl.Tile[[2, 128], pl.FP8E8M0, pl.MemRef(mem_rightscale_0, 0, 256), pl.Mem.RightScale] = pl.tile.tget_scale_addr(b_scale_first_RightScale, b_first_Right)
        first: pl.Tile[[128, 128], pl.FP32, pl.MemRef(mem_acc_0, 0, 65536), pl.Mem.Acc] = pl.tile.matmul_mx(a_first_Left, a_scale_first_LeftScale_bound, b_first_Right, b_scale_first_RightScale_bound)
        for k0, (acc,) in pl.range(64, 512, 64, init_values=(first,)):
            a_step: pl.Tile[[128, 64], pl.FP8E4M3FN, pl.MemRef(mem_mat_4, 16896, 8192), pl.Mem.Mat] = pl.tile.load(a, [0, k0], [128, 64], [128, 64], target_memory=pl.Mem.Mat)
            a_scale_step: pl.Tile[[128, 2], pl.FP8E8M0, pl.MemRef(mem_mat_5, 25088, 256), pl.Mem.Mat, pl.TileView(blayout=pl.TileLayout.row_major, fractal=32)] = pl.tile.load(a_scale, [0, 0, k0 // 32 // 2, 0, 0], [1, 8, 1, 16, 2], [1, 8, 1, 16, 2], target_memory=pl.Mem.Mat)
            b_step: pl.Tile[[64, 128], pl.FP8E4M3FN, pl.MemRef(mem_mat_6, 25344, 8192), pl.Mem.Mat] = pl.tile.load(b, [k0, 0], [64, 128], [64, 128], target_memory=pl.Mem.Mat)
            b_scale_step: pl.Tile[[2, 128], pl.FP8E8M0, pl.MemRef(mem_mat_7, 33536, 256), pl.Mem.Mat, pl.TileView(slayout=pl.TileLayout.col_major, fractal=32)] = pl.tile.load(b_scale, [0, 0, k0 // 32 // 2, 0, 0], [1, 8, 1, 16, 2], [1, 8, 1, 16, 2], target_memory=pl.Mem.Mat)
            a_step_Left: pl.Tile[[128, 64], pl.FP8E4M3FN, pl.MemRef(mem_left_1, 8192, 8192), pl.Mem.Left] = pl.tile.move(a_step, target_memory=pl.Mem.Left)
            a_scale_step_LeftScale: pl.Tile[[128, 2], pl.FP8E8M0, pl.MemRef(mem_leftscale_1, 512, 256), pl.Mem.LeftScale] = pl.tile.move(a_scale_step, target_memory=pl.Mem.LeftScale)
            b_step_Right: pl.Tile[[64, 128], pl.FP8E4M3FN, pl.MemRef(mem_right_1, 8192, 8192), pl.Mem.Right] = pl.tile.move(b_step, target_memory=pl.Mem.Right)
            b_scale_step_RightScale: pl.Tile[[2, 128], pl.FP8E8M0, pl.MemRef(mem_rightscale_1, 512, 256), pl.Mem.RightScale] = pl.tile.move(b_scale_step, target_memory=pl.Mem.RightScale)
            a_scale_step_LeftScale_bound: pl.Tile[[128, 2], pl.FP8E8M0, pl.MemRef(mem_leftscale_1, 512, 256), pl.Mem.LeftScale] = pl.tile.tget_scale_addr(a_scale_step_LeftScale, a_step_Left)
            b_scale_step_RightScale_bound: pl.Tile[[2, 128], pl.FP8E8M0, pl.MemRef(mem_rightscale_1, 512, 256), pl.Mem.RightScale] = pl.tile.tget_scale_addr(b_scale_step_RightScale, b_step_Right)
            next_acc: pl.Tile[[128, 128], pl.FP32, pl.MemRef(mem_acc_0, 0, 65536), pl.Mem.Acc] = pl.tile.matmul_mx_acc(acc, a_step_Left, a_scale_step_LeftScale_bound, b_step_Right, b_scale_step_RightScale_bound)
            total: pl.Tile[[128, 128], pl.FP32, pl.MemRef(mem_acc_0, 0, 65536), pl.Mem.Acc] = pl.yield_(next_acc)
        result: pl.Tensor[[128, 128], pl.FP32] = pl.tile.store(total, [0, 0], c)
        return result
    @pl.function(type=pl.FunctionType.Orchestration, level=pl.Level.CHIP, role=pl.Role.Orchestrator)
    def main(self, a: pl.Tensor[[128, 512], pl.FP8E4M3FN], a_scale: pl.Tensor[[1, 8, 8, 16, 2], pl.FP8E8M0, pl.TensorView(stride=[2048, 256, 32, 2, 1], layout=pl.TensorLayout.MX_A_ZZ)], b: pl.Tensor[[512, 128], pl.FP8E4M3FN], b_scale: pl.Tensor[[1, 8, 8, 16, 2], pl.FP8E8M0, pl.TensorView(stride=[2048, 256, 32, 2, 1], layout=pl.TensorLayout.MX_B_NN)], c: pl.Out[pl.Tensor[[128, 128], pl.FP32]]) -> pl.Tensor[[128, 128], pl.FP32]:
        pl.func_attr({"mx_tensor_views_blocked": True})
        result: pl.Tensor[[128, 128], pl.FP32] = self.gemm(a, a_scale, b, b_scale, c)
        return result
