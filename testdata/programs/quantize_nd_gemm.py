# ND flow: A is quantised along K on the vector core and multiplied, 64 x 96 x 128
# in two steps of K. TQUANT (axis 1) -> TMOV ND -> NZ of the codes, ND -> ZZ of the
# exponents -> Mat -> cube.
# In lowered form, with every memory, move and address: the passes do not place the
# tiles of a tuple yet. Bindings of scales are left to them.
# pypto.program: QuantizeNdGemm
import pypto.language as pl


@pl.program
class QuantizeNdGemm:
    @pl.function(type=pl.FunctionType.InCore)
    def gemm(
        a: pl.Tensor[[64, 128], pl.FP32],
        b: pl.Tensor[[128, 96], pl.FP8E4M3FN],
        b_scale: pl.Tensor[[4, 96], pl.FP8E8M0, pl.MX_B_NN],
        c: pl.Out[pl.Tensor[[64, 96], pl.FP32]],
    ) -> pl.Tensor[[64, 96], pl.FP32]:
        ub: pl.Ptr = pl.tile.alloc(pl.Mem.Vec, 51968)
        l1: pl.Ptr = pl.tile.alloc(pl.Mem.Mat, 22304)
        l0a: pl.Ptr = pl.tile.alloc(pl.Mem.Left, 16384)
        l0a_mx: pl.Ptr = pl.tile.alloc(pl.Mem.LeftScale, 896)
        l0b: pl.Ptr = pl.tile.alloc(pl.Mem.Right, 26624)
        l0b_mx: pl.Ptr = pl.tile.alloc(pl.Mem.RightScale, 1472)
        l0c: pl.Ptr = pl.tile.alloc(pl.Mem.Acc, 25600)
        # K 0 to 63: quantise A, bring codes and scales to the cube.
        a0_values: pl.Tile[[64, 64], pl.FP32, pl.MemRef(ub, 64, 16384), pl.Mem.Vec] = pl.tile.load(a, [0, 0], [64, 64], [64, 64], target_memory=pl.Mem.Vec)
        a0_max: pl.Tile[[1, 128], pl.FP32, pl.MemRef(ub, 16448, 512), pl.Mem.Vec] = pl.tile.create([1, 128], dtype=pl.FP32, target_memory=pl.Mem.Vec)
        a0_scaling: pl.Tile[[1, 128], pl.FP32, pl.MemRef(ub, 16960, 512), pl.Mem.Vec] = pl.tile.create([1, 128], dtype=pl.FP32, target_memory=pl.Mem.Vec)
        a0_quant: pl.Tuple[pl.Tile[[64, 64], pl.INT8, pl.MemRef(ub, 17472, 4096), pl.Mem.Vec], pl.Tile[[1, 128], pl.UINT8, pl.MemRef(ub, 21568, 128), pl.Mem.Vec]] = pl.tile.tquant_mx_raw(a0_values, a0_max, a0_scaling, dtype=pl.FP8E4M3FN, group_axis=1)
        a0_raw: pl.Tile[[64, 64], pl.INT8, pl.MemRef(ub, 17472, 4096), pl.Mem.Vec] = a0_quant[0]
        a0_codes: pl.Tile[[64, 64], pl.FP8E4M3FN, pl.MemRef(ub, 17472, 4096), pl.Mem.Vec] = pl.tile.reinterpret_view(a0_raw, dtype=pl.FP8E4M3FN)
        a0_exps: pl.Tile[[1, 128], pl.UINT8, pl.MemRef(ub, 21568, 128), pl.Mem.Vec] = a0_quant[1]
        a0_tmp: pl.Tile[[1, 96], pl.UINT8, pl.MemRef(ub, 21696, 96), pl.Mem.Vec] = pl.tile.create([1, 96], dtype=pl.UINT8, target_memory=pl.Mem.Vec)
        a0_boxes: pl.Tile[[64, 2], pl.UINT8, pl.MemRef(ub, 21792, 128), pl.Mem.Vec, pl.TileView(blayout=pl.TileLayout.row_major, slayout=pl.TileLayout.row_major, fractal=32)] = pl.tile.tmov_x2zz(a0_exps, a0_tmp, group_axis=1, dst_rows=64, dst_cols=2)
        a0_zz: pl.Tile[[64, 2], pl.FP8E8M0, pl.MemRef(ub, 21792, 128), pl.Mem.Vec, pl.TileView(blayout=pl.TileLayout.row_major, slayout=pl.TileLayout.row_major, fractal=32)] = pl.tile.reinterpret_view(a0_boxes, dtype=pl.FP8E8M0)
        a0_nz: pl.Tile[[64, 64], pl.FP8E4M3FN, pl.MemRef(ub, 21920, 4096), pl.Mem.Vec, pl.TileView(blayout=pl.TileLayout.col_major, slayout=pl.TileLayout.row_major)] = pl.tile.move(a0_codes, target_memory=pl.Mem.Vec, blayout=pl.TileLayout.col_major, slayout=pl.TileLayout.row_major)
        a0_mat: pl.Tile[[64, 64], pl.FP8E4M3FN, pl.MemRef(l1, 96, 4096), pl.Mem.Mat] = pl.tile.move(a0_nz, target_memory=pl.Mem.Mat)
        a0_scale_mat: pl.Tile[[64, 2], pl.FP8E8M0, pl.MemRef(l1, 4192, 128), pl.Mem.Mat, pl.TileView(blayout=pl.TileLayout.row_major, slayout=pl.TileLayout.row_major, fractal=32)] = pl.tile.move(a0_zz, target_memory=pl.Mem.Mat, blayout=pl.TileLayout.row_major, slayout=pl.TileLayout.row_major)
        a0_left: pl.Tile[[64, 64], pl.FP8E4M3FN, pl.MemRef(l0a, 4096, 4096), pl.Mem.Left] = pl.tile.move(a0_mat, target_memory=pl.Mem.Left)
        a0_left_scale: pl.Tile[[64, 2], pl.FP8E8M0, pl.MemRef(l0a_mx, 256, 128), pl.Mem.LeftScale] = pl.tile.move(a0_scale_mat, target_memory=pl.Mem.LeftScale)
        b0_mat: pl.Tile[[64, 96], pl.FP8E4M3FN, pl.MemRef(l1, 4704, 6144), pl.Mem.Mat] = pl.tile.load(b, [0, 0], [64, 96], [64, 96], target_memory=pl.Mem.Mat)
        b0_scale_mat: pl.Tile[[2, 96], pl.FP8E8M0, pl.MemRef(l1, 10848, 192), pl.Mem.Mat, pl.TileView(blayout=pl.TileLayout.col_major, slayout=pl.TileLayout.col_major, fractal=32)] = pl.tile.load(b_scale, [0, 0], [2, 96], [2, 96], target_memory=pl.Mem.Mat)
        b0_right: pl.Tile[[64, 96], pl.FP8E4M3FN, pl.MemRef(l0b, 8192, 6144), pl.Mem.Right] = pl.tile.move(b0_mat, target_memory=pl.Mem.Right)
        b0_right_scale: pl.Tile[[2, 96], pl.FP8E8M0, pl.MemRef(l0b_mx, 512, 192), pl.Mem.RightScale] = pl.tile.move(b0_scale_mat, target_memory=pl.Mem.RightScale)
        # K 64 to 127: quantise A, bring codes and scales to the cube.
        a1_values: pl.Tile[[64, 64], pl.FP32, pl.MemRef(ub, 26016, 16384), pl.Mem.Vec] = pl.tile.load(a, [0, 64], [64, 64], [64, 64], target_memory=pl.Mem.Vec)
        a1_max: pl.Tile[[1, 128], pl.FP32, pl.MemRef(ub, 42400, 512), pl.Mem.Vec] = pl.tile.create([1, 128], dtype=pl.FP32, target_memory=pl.Mem.Vec)
        a1_scaling: pl.Tile[[1, 128], pl.FP32, pl.MemRef(ub, 42912, 512), pl.Mem.Vec] = pl.tile.create([1, 128], dtype=pl.FP32, target_memory=pl.Mem.Vec)
        a1_quant: pl.Tuple[pl.Tile[[64, 64], pl.INT8, pl.MemRef(ub, 43424, 4096), pl.Mem.Vec], pl.Tile[[1, 128], pl.UINT8, pl.MemRef(ub, 47520, 128), pl.Mem.Vec]] = pl.tile.tquant_mx_raw(a1_values, a1_max, a1_scaling, dtype=pl.FP8E4M3FN, group_axis=1)
        a1_raw: pl.Tile[[64, 64], pl.INT8, pl.MemRef(ub, 43424, 4096), pl.Mem.Vec] = a1_quant[0]
        a1_codes: pl.Tile[[64, 64], pl.FP8E4M3FN, pl.MemRef(ub, 43424, 4096), pl.Mem.Vec] = pl.tile.reinterpret_view(a1_raw, dtype=pl.FP8E4M3FN)
        a1_exps: pl.Tile[[1, 128], pl.UINT8, pl.MemRef(ub, 47520, 128), pl.Mem.Vec] = a1_quant[1]
        a1_tmp: pl.Tile[[1, 96], pl.UINT8, pl.MemRef(ub, 47648, 96), pl.Mem.Vec] = pl.tile.create([1, 96], dtype=pl.UINT8, target_memory=pl.Mem.Vec)
        a1_boxes: pl.Tile[[64, 2], pl.UINT8, pl.MemRef(ub, 47744, 128), pl.Mem.Vec, pl.TileView(blayout=pl.TileLayout.row_major, slayout=pl.TileLayout.row_major, fractal=32)] = pl.tile.tmov_x2zz(a1_exps, a1_tmp, group_axis=1, dst_rows=64, dst_cols=2)
        a1_zz: pl.Tile[[64, 2], pl.FP8E8M0, pl.MemRef(ub, 47744, 128), pl.Mem.Vec, pl.TileView(blayout=pl.TileLayout.row_major, slayout=pl.TileLayout.row_major, fractal=32)] = pl.tile.reinterpret_view(a1_boxes, dtype=pl.FP8E8M0)
        a1_nz: pl.Tile[[64, 64], pl.FP8E4M3FN, pl.MemRef(ub, 47872, 4096), pl.Mem.Vec, pl.TileView(blayout=pl.TileLayout.col_major, slayout=pl.TileLayout.row_major)] = pl.tile.move(a1_codes, target_memory=pl.Mem.Vec, blayout=pl.TileLayout.col_major, slayout=pl.TileLayout.row_major)
        a1_mat: pl.Tile[[64, 64], pl.FP8E4M3FN, pl.MemRef(l1, 11360, 4096), pl.Mem.Mat] = pl.tile.move(a1_nz, target_memory=pl.Mem.Mat)
        a1_scale_mat: pl.Tile[[64, 2], pl.FP8E8M0, pl.MemRef(l1, 15456, 128), pl.Mem.Mat, pl.TileView(blayout=pl.TileLayout.row_major, slayout=pl.TileLayout.row_major, fractal=32)] = pl.tile.move(a1_zz, target_memory=pl.Mem.Mat, blayout=pl.TileLayout.row_major, slayout=pl.TileLayout.row_major)
        a1_left: pl.Tile[[64, 64], pl.FP8E4M3FN, pl.MemRef(l0a, 12288, 4096), pl.Mem.Left] = pl.tile.move(a1_mat, target_memory=pl.Mem.Left)
        a1_left_scale: pl.Tile[[64, 2], pl.FP8E8M0, pl.MemRef(l0a_mx, 768, 128), pl.Mem.LeftScale] = pl.tile.move(a1_scale_mat, target_memory=pl.Mem.LeftScale)
        b1_mat: pl.Tile[[64, 96], pl.FP8E4M3FN, pl.MemRef(l1, 15968, 6144), pl.Mem.Mat] = pl.tile.load(b, [64, 0], [64, 96], [64, 96], target_memory=pl.Mem.Mat)
        b1_scale_mat: pl.Tile[[2, 96], pl.FP8E8M0, pl.MemRef(l1, 22112, 192), pl.Mem.Mat, pl.TileView(blayout=pl.TileLayout.col_major, slayout=pl.TileLayout.col_major, fractal=32)] = pl.tile.load(b_scale, [2, 0], [2, 96], [2, 96], target_memory=pl.Mem.Mat)
        b1_right: pl.Tile[[64, 96], pl.FP8E4M3FN, pl.MemRef(l0b, 20480, 6144), pl.Mem.Right] = pl.tile.move(b1_mat, target_memory=pl.Mem.Right)
        b1_right_scale: pl.Tile[[2, 96], pl.FP8E8M0, pl.MemRef(l0b_mx, 1280, 192), pl.Mem.RightScale] = pl.tile.move(b1_scale_mat, target_memory=pl.Mem.RightScale)
        # Both steps are in L0 at once.
        c0: pl.Tile[[64, 96], pl.FP32, pl.MemRef(l0c, 1024, 24576), pl.Mem.Acc] = pl.tile.matmul_mx(a0_left, a0_left_scale, b0_right, b0_right_scale)
        c1: pl.Tile[[64, 96], pl.FP32, pl.MemRef(l0c, 1024, 24576), pl.Mem.Acc] = pl.tile.matmul_mx_acc(c0, a1_left, a1_left_scale, b1_right, b1_right_scale)
        stored: pl.Tensor[[64, 96], pl.FP32] = pl.tile.store(c1, [0, 0], c)
        return stored
