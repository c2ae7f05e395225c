# DN flow, A operand: C = Q^T * B, where Q [K, M] is quantised along K, its columns,
# on the vector core; 96 x 64 x 128 in two steps of K. TQUANT (axis 0) -> TMOV
# ND -> NZ of the codes -> Mat -> a transposed LOAD_2D, and TMOV<0> DN -> ZZ of the
# exponents -> Mat -> LOAD_MX.
# In lowered form, with every memory, move and address: the passes do not place the
# tiles of a tuple yet. Bindings of scales are left to them.
# pypto.program: QuantizeDnLeftGemm
import pypto.language as pl


@pl.program
class QuantizeDnLeftGemm:
    @pl.function(type=pl.FunctionType.InCore)
    def gemm(
        q: pl.Tensor[[128, 96], pl.FP32],
        b: pl.Tensor[[128, 64], pl.FP8E4M3FN],
        b_scale: pl.Tensor[[4, 64], pl.FP8E8M0, pl.MX_B_NN],
        c: pl.Out[pl.Tensor[[96, 64], pl.FP32]],
    ) -> pl.Tensor[[96, 64], pl.FP32]:
        ub: pl.Ptr = pl.tile.alloc(pl.Mem.Vec, 77696)
        l1: pl.Ptr = pl.tile.alloc(pl.Mem.Mat, 22240)
        l0a: pl.Ptr = pl.tile.alloc(pl.Mem.Left, 18432)
        l0a_mx: pl.Ptr = pl.tile.alloc(pl.Mem.LeftScale, 960)
        l0b: pl.Ptr = pl.tile.alloc(pl.Mem.Right, 24576)
        l0b_mx: pl.Ptr = pl.tile.alloc(pl.Mem.RightScale, 1408)
        l0c: pl.Ptr = pl.tile.alloc(pl.Mem.Acc, 25600)
        # K 0 to 63: Q [K, M], groups along K; A = Q^T is the same bytes, read as ZN.
        q0_values: pl.Tile[[64, 96], pl.FP32, pl.MemRef(ub, 64, 24576), pl.Mem.Vec] = pl.tile.load(q, [0, 0], [64, 96], [64, 96], target_memory=pl.Mem.Vec)
        q0_max: pl.Tile[[2, 96], pl.FP32, pl.MemRef(ub, 24640, 768), pl.Mem.Vec] = pl.tile.create([2, 96], dtype=pl.FP32, target_memory=pl.Mem.Vec)
        q0_scaling: pl.Tile[[2, 96], pl.FP32, pl.MemRef(ub, 25408, 768), pl.Mem.Vec] = pl.tile.create([2, 96], dtype=pl.FP32, target_memory=pl.Mem.Vec)
        q0_quant: pl.Tuple[pl.Tile[[64, 96], pl.INT8, pl.MemRef(ub, 26176, 6144), pl.Mem.Vec], pl.Tile[[2, 96], pl.UINT8, pl.MemRef(ub, 32320, 192), pl.Mem.Vec]] = pl.tile.tquant_mx_raw(q0_values, q0_max, q0_scaling, dtype=pl.FP8E4M3FN, group_axis=0)
        q0_raw: pl.Tile[[64, 96], pl.INT8, pl.MemRef(ub, 26176, 6144), pl.Mem.Vec] = q0_quant[0]
        q0_codes: pl.Tile[[64, 96], pl.FP8E4M3FN, pl.MemRef(ub, 26176, 6144), pl.Mem.Vec] = pl.tile.reinterpret_view(q0_raw, dtype=pl.FP8E4M3FN)
        q0_exps: pl.Tile[[2, 96], pl.UINT8, pl.MemRef(ub, 32320, 192), pl.Mem.Vec] = q0_quant[1]
        q0_tmp: pl.Tile[[1, 32], pl.UINT8, pl.MemRef(ub, 32512, 32), pl.Mem.Vec] = pl.tile.create([1, 32], dtype=pl.UINT8, target_memory=pl.Mem.Vec)
        q0_boxes: pl.Tile[[96, 2], pl.UINT8, pl.MemRef(ub, 32544, 192), pl.Mem.Vec, pl.TileView(blayout=pl.TileLayout.row_major, slayout=pl.TileLayout.row_major, fractal=32)] = pl.tile.tmov_x2zz(q0_exps, q0_tmp, group_axis=0, dst_rows=96, dst_cols=2)
        q0_zz: pl.Tile[[96, 2], pl.FP8E8M0, pl.MemRef(ub, 32544, 192), pl.Mem.Vec, pl.TileView(blayout=pl.TileLayout.row_major, slayout=pl.TileLayout.row_major, fractal=32)] = pl.tile.reinterpret_view(q0_boxes, dtype=pl.FP8E8M0)
        q0_nz: pl.Tile[[64, 96], pl.FP8E4M3FN, pl.MemRef(ub, 32736, 6144), pl.Mem.Vec, pl.TileView(blayout=pl.TileLayout.col_major, slayout=pl.TileLayout.row_major)] = pl.tile.move(q0_codes, target_memory=pl.Mem.Vec, blayout=pl.TileLayout.col_major, slayout=pl.TileLayout.row_major)
        q0_mat: pl.Tile[[64, 96], pl.FP8E4M3FN, pl.MemRef(l1, 96, 6144), pl.Mem.Mat] = pl.tile.move(q0_nz, target_memory=pl.Mem.Mat)
        a0_mat: pl.Tile[[96, 64], pl.FP8E4M3FN, pl.MemRef(l1, 96, 6144), pl.Mem.Mat, pl.TileView(blayout=pl.TileLayout.row_major, slayout=pl.TileLayout.col_major)] = pl.tile.transpose_view(q0_mat)
        a0_scale_mat: pl.Tile[[96, 2], pl.FP8E8M0, pl.MemRef(l1, 6240, 192), pl.Mem.Mat, pl.TileView(blayout=pl.TileLayout.row_major, slayout=pl.TileLayout.row_major, fractal=32)] = pl.tile.move(q0_zz, target_memory=pl.Mem.Mat, blayout=pl.TileLayout.row_major, slayout=pl.TileLayout.row_major)
        a0_left: pl.Tile[[96, 64], pl.FP8E4M3FN, pl.MemRef(l0a, 4096, 6144), pl.Mem.Left] = pl.tile.move(a0_mat, target_memory=pl.Mem.Left)
        a0_left_scale: pl.Tile[[96, 2], pl.FP8E8M0, pl.MemRef(l0a_mx, 256, 192), pl.Mem.LeftScale] = pl.tile.move(a0_scale_mat, target_memory=pl.Mem.LeftScale)
        b0_mat: pl.Tile[[64, 64], pl.FP8E4M3FN, pl.MemRef(l1, 6752, 4096), pl.Mem.Mat] = pl.tile.load(b, [0, 0], [64, 64], [64, 64], target_memory=pl.Mem.Mat)
        b0_scale_mat: pl.Tile[[2, 64], pl.FP8E8M0, pl.MemRef(l1, 10848, 128), pl.Mem.Mat, pl.TileView(blayout=pl.TileLayout.col_major, slayout=pl.TileLayout.col_major, fractal=32)] = pl.tile.load(b_scale, [0, 0], [2, 64], [2, 64], target_memory=pl.Mem.Mat)
        b0_right: pl.Tile[[64, 64], pl.FP8E4M3FN, pl.MemRef(l0b, 8192, 4096), pl.Mem.Right] = pl.tile.move(b0_mat, target_memory=pl.Mem.Right)
        b0_right_scale: pl.Tile[[2, 64], pl.FP8E8M0, pl.MemRef(l0b_mx, 512, 128), pl.Mem.RightScale] = pl.tile.move(b0_scale_mat, target_memory=pl.Mem.RightScale)
        # K 64 to 127: Q [K, M], groups along K; A = Q^T is the same bytes, read as ZN.
        q1_values: pl.Tile[[64, 96], pl.FP32, pl.MemRef(ub, 38880, 24576), pl.Mem.Vec] = pl.tile.load(q, [64, 0], [64, 96], [64, 96], target_memory=pl.Mem.Vec)
        q1_max: pl.Tile[[2, 96], pl.FP32, pl.MemRef(ub, 63456, 768), pl.Mem.Vec] = pl.tile.create([2, 96], dtype=pl.FP32, target_memory=pl.Mem.Vec)
        q1_scaling: pl.Tile[[2, 96], pl.FP32, pl.MemRef(ub, 64224, 768), pl.Mem.Vec] = pl.tile.create([2, 96], dtype=pl.FP32, target_memory=pl.Mem.Vec)
        q1_quant: pl.Tuple[pl.Tile[[64, 96], pl.INT8, pl.MemRef(ub, 64992, 6144), pl.Mem.Vec], pl.Tile[[2, 96], pl.UINT8, pl.MemRef(ub, 71136, 192), pl.Mem.Vec]] = pl.tile.tquant_mx_raw(q1_values, q1_max, q1_scaling, dtype=pl.FP8E4M3FN, group_axis=0)
        q1_raw: pl.Tile[[64, 96], pl.INT8, pl.MemRef(ub, 64992, 6144), pl.Mem.Vec] = q1_quant[0]
        q1_codes: pl.Tile[[64, 96], pl.FP8E4M3FN, pl.MemRef(ub, 64992, 6144), pl.Mem.Vec] = pl.tile.reinterpret_view(q1_raw, dtype=pl.FP8E4M3FN)
        q1_exps: pl.Tile[[2, 96], pl.UINT8, pl.MemRef(ub, 71136, 192), pl.Mem.Vec] = q1_quant[1]
        q1_tmp: pl.Tile[[1, 32], pl.UINT8, pl.MemRef(ub, 71328, 32), pl.Mem.Vec] = pl.tile.create([1, 32], dtype=pl.UINT8, target_memory=pl.Mem.Vec)
        q1_boxes: pl.Tile[[96, 2], pl.UINT8, pl.MemRef(ub, 71360, 192), pl.Mem.Vec, pl.TileView(blayout=pl.TileLayout.row_major, slayout=pl.TileLayout.row_major, fractal=32)] = pl.tile.tmov_x2zz(q1_exps, q1_tmp, group_axis=0, dst_rows=96, dst_cols=2)
        q1_zz: pl.Tile[[96, 2], pl.FP8E8M0, pl.MemRef(ub, 71360, 192), pl.Mem.Vec, pl.TileView(blayout=pl.TileLayout.row_major, slayout=pl.TileLayout.row_major, fractal=32)] = pl.tile.reinterpret_view(q1_boxes, dtype=pl.FP8E8M0)
        q1_nz: pl.Tile[[64, 96], pl.FP8E4M3FN, pl.MemRef(ub, 71552, 6144), pl.Mem.Vec, pl.TileView(blayout=pl.TileLayout.col_major, slayout=pl.TileLayout.row_major)] = pl.tile.move(q1_codes, target_memory=pl.Mem.Vec, blayout=pl.TileLayout.col_major, slayout=pl.TileLayout.row_major)
        q1_mat: pl.Tile[[64, 96], pl.FP8E4M3FN, pl.MemRef(l1, 11360, 6144), pl.Mem.Mat] = pl.tile.move(q1_nz, target_memory=pl.Mem.Mat)
        a1_mat: pl.Tile[[96, 64], pl.FP8E4M3FN, pl.MemRef(l1, 11360, 6144), pl.Mem.Mat, pl.TileView(blayout=pl.TileLayout.row_major, slayout=pl.TileLayout.col_major)] = pl.tile.transpose_view(q1_mat)
        a1_scale_mat: pl.Tile[[96, 2], pl.FP8E8M0, pl.MemRef(l1, 17504, 192), pl.Mem.Mat, pl.TileView(blayout=pl.TileLayout.row_major, slayout=pl.TileLayout.row_major, fractal=32)] = pl.tile.move(q1_zz, target_memory=pl.Mem.Mat, blayout=pl.TileLayout.row_major, slayout=pl.TileLayout.row_major)
        a1_left: pl.Tile[[96, 64], pl.FP8E4M3FN, pl.MemRef(l0a, 12288, 6144), pl.Mem.Left] = pl.tile.move(a1_mat, target_memory=pl.Mem.Left)
        a1_left_scale: pl.Tile[[96, 2], pl.FP8E8M0, pl.MemRef(l0a_mx, 768, 192), pl.Mem.LeftScale] = pl.tile.move(a1_scale_mat, target_memory=pl.Mem.LeftScale)
        b1_mat: pl.Tile[[64, 64], pl.FP8E4M3FN, pl.MemRef(l1, 18016, 4096), pl.Mem.Mat] = pl.tile.load(b, [64, 0], [64, 64], [64, 64], target_memory=pl.Mem.Mat)
        b1_scale_mat: pl.Tile[[2, 64], pl.FP8E8M0, pl.MemRef(l1, 22112, 128), pl.Mem.Mat, pl.TileView(blayout=pl.TileLayout.col_major, slayout=pl.TileLayout.col_major, fractal=32)] = pl.tile.load(b_scale, [2, 0], [2, 64], [2, 64], target_memory=pl.Mem.Mat)
        b1_right: pl.Tile[[64, 64], pl.FP8E4M3FN, pl.MemRef(l0b, 20480, 4096), pl.Mem.Right] = pl.tile.move(b1_mat, target_memory=pl.Mem.Right)
        b1_right_scale: pl.Tile[[2, 64], pl.FP8E8M0, pl.MemRef(l0b_mx, 1280, 128), pl.Mem.RightScale] = pl.tile.move(b1_scale_mat, target_memory=pl.Mem.RightScale)
        # Both steps are in L0 at once.
        c0: pl.Tile[[96, 64], pl.FP32, pl.MemRef(l0c, 1024, 24576), pl.Mem.Acc] = pl.tile.matmul_mx(a0_left, a0_left_scale, b0_right, b0_right_scale)
        c1: pl.Tile[[96, 64], pl.FP32, pl.MemRef(l0c, 1024, 24576), pl.Mem.Acc] = pl.tile.matmul_mx_acc(c0, a1_left, a1_left_scale, b1_right, b1_right_scale)
        stored: pl.Tensor[[96, 64], pl.FP32] = pl.tile.store(c1, [0, 0], c)
        return stored
