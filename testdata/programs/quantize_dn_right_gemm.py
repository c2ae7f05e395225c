# DN flow, B operand: B is quantised along K, its columns, on the vector core and
# multiplied, 48 x 96 x 128. TQUANT (axis 0) -> TMOV ND -> NZ of the codes, TMOV<0>
# DN -> ZZ of the exponents, which is NN of B -> Mat -> cube.
# In lowered form, with every memory, move and address: the passes do not place the
# tiles of a tuple yet. Bindings of scales are left to them.
# pypto.program: QuantizeDnRightGemm
import pypto.language as pl


@pl.program
class QuantizeDnRightGemm:
    @pl.function(type=pl.FunctionType.InCore)
    def gemm(
        a: pl.Tensor[[48, 128], pl.FP8E4M3FN],
        a_scale: pl.Tensor[[48, 4], pl.FP8E8M0, pl.MX_A_ZZ],
        b: pl.Tensor[[128, 96], pl.FP32],
        c: pl.Out[pl.Tensor[[48, 96], pl.FP32]],
    ) -> pl.Tensor[[48, 96], pl.FP32]:
        ub: pl.Ptr = pl.tile.alloc(pl.Mem.Vec, 77664)
        l1: pl.Ptr = pl.tile.alloc(pl.Mem.Mat, 19616)
        l0b: pl.Ptr = pl.tile.alloc(pl.Mem.Right, 20480)
        l0b_mx: pl.Ptr = pl.tile.alloc(pl.Mem.RightScale, 896)
        l0a: pl.Ptr = pl.tile.alloc(pl.Mem.Left, 22528)
        l0a_mx: pl.Ptr = pl.tile.alloc(pl.Mem.LeftScale, 1344)
        l0c: pl.Ptr = pl.tile.alloc(pl.Mem.Acc, 20480)
        # B [K, N], groups along K: its columns.
        b_values: pl.Tile[[128, 96], pl.FP32, pl.MemRef(ub, 64, 49152), pl.Mem.Vec] = pl.tile.load(b, [0, 0], [128, 96], [128, 96], target_memory=pl.Mem.Vec)
        b_max: pl.Tile[[4, 96], pl.FP32, pl.MemRef(ub, 49216, 1536), pl.Mem.Vec] = pl.tile.create([4, 96], dtype=pl.FP32, target_memory=pl.Mem.Vec)
        b_scaling: pl.Tile[[4, 96], pl.FP32, pl.MemRef(ub, 50752, 1536), pl.Mem.Vec] = pl.tile.create([4, 96], dtype=pl.FP32, target_memory=pl.Mem.Vec)
        b_quant: pl.Tuple[pl.Tile[[128, 96], pl.INT8, pl.MemRef(ub, 52288, 12288), pl.Mem.Vec], pl.Tile[[4, 96], pl.UINT8, pl.MemRef(ub, 64576, 384), pl.Mem.Vec]] = pl.tile.tquant_mx_raw(b_values, b_max, b_scaling, dtype=pl.FP8E4M3FN, group_axis=0)
        b_raw: pl.Tile[[128, 96], pl.INT8, pl.MemRef(ub, 52288, 12288), pl.Mem.Vec] = b_quant[0]
        b_codes: pl.Tile[[128, 96], pl.FP8E4M3FN, pl.MemRef(ub, 52288, 12288), pl.Mem.Vec] = pl.tile.reinterpret_view(b_raw, dtype=pl.FP8E4M3FN)
        b_exps: pl.Tile[[4, 96], pl.UINT8, pl.MemRef(ub, 64576, 384), pl.Mem.Vec] = b_quant[1]
        b_tmp: pl.Tile[[1, 32], pl.UINT8, pl.MemRef(ub, 64960, 32), pl.Mem.Vec] = pl.tile.create([1, 32], dtype=pl.UINT8, target_memory=pl.Mem.Vec)
        b_boxes: pl.Tile[[96, 4], pl.UINT8, pl.MemRef(ub, 64992, 384), pl.Mem.Vec, pl.TileView(blayout=pl.TileLayout.row_major, slayout=pl.TileLayout.row_major, fractal=32)] = pl.tile.tmov_x2zz(b_exps, b_tmp, group_axis=0, dst_rows=96, dst_cols=4)
        b_zz: pl.Tile[[96, 4], pl.FP8E8M0, pl.MemRef(ub, 64992, 384), pl.Mem.Vec, pl.TileView(blayout=pl.TileLayout.row_major, slayout=pl.TileLayout.row_major, fractal=32)] = pl.tile.reinterpret_view(b_boxes, dtype=pl.FP8E8M0)
        b_nz: pl.Tile[[128, 96], pl.FP8E4M3FN, pl.MemRef(ub, 65376, 12288), pl.Mem.Vec, pl.TileView(blayout=pl.TileLayout.col_major, slayout=pl.TileLayout.row_major)] = pl.tile.move(b_codes, target_memory=pl.Mem.Vec, blayout=pl.TileLayout.col_major, slayout=pl.TileLayout.row_major)
        b_mat: pl.Tile[[128, 96], pl.FP8E4M3FN, pl.MemRef(l1, 96, 12288), pl.Mem.Mat] = pl.tile.move(b_nz, target_memory=pl.Mem.Mat)
        b_nn: pl.Tile[[4, 96], pl.FP8E8M0, pl.MemRef(ub, 64992, 384), pl.Mem.Vec, pl.TileView(blayout=pl.TileLayout.col_major, slayout=pl.TileLayout.col_major, fractal=32)] = pl.tile.transpose_view(b_zz)
        b_scale_mat: pl.Tile[[4, 96], pl.FP8E8M0, pl.MemRef(l1, 12384, 384), pl.Mem.Mat, pl.TileView(blayout=pl.TileLayout.col_major, slayout=pl.TileLayout.col_major, fractal=32)] = pl.tile.move(b_nn, target_memory=pl.Mem.Mat, blayout=pl.TileLayout.col_major, slayout=pl.TileLayout.col_major)
        b_right: pl.Tile[[128, 96], pl.FP8E4M3FN, pl.MemRef(l0b, 8192, 12288), pl.Mem.Right] = pl.tile.move(b_mat, target_memory=pl.Mem.Right)
        b_right_scale: pl.Tile[[4, 96], pl.FP8E8M0, pl.MemRef(l0b_mx, 512, 384), pl.Mem.RightScale] = pl.tile.move(b_scale_mat, target_memory=pl.Mem.RightScale)
        # 32 and 16 rows of A, both in L0 at once.
        a0_mat: pl.Tile[[32, 128], pl.FP8E4M3FN, pl.MemRef(l1, 12896, 4096), pl.Mem.Mat] = pl.tile.load(a, [0, 0], [32, 128], [32, 128], target_memory=pl.Mem.Mat)
        a0_scale_mat: pl.Tile[[32, 4], pl.FP8E8M0, pl.MemRef(l1, 16992, 128), pl.Mem.Mat, pl.TileView(blayout=pl.TileLayout.row_major, slayout=pl.TileLayout.row_major, fractal=32)] = pl.tile.load(a_scale, [0, 0], [32, 4], [32, 4], target_memory=pl.Mem.Mat)
        a0_left: pl.Tile[[32, 128], pl.FP8E4M3FN, pl.MemRef(l0a, 4096, 4096), pl.Mem.Left] = pl.tile.move(a0_mat, target_memory=pl.Mem.Left)
        a0_left_scale: pl.Tile[[32, 4], pl.FP8E8M0, pl.MemRef(l0a_mx, 256, 128), pl.Mem.LeftScale] = pl.tile.move(a0_scale_mat, target_memory=pl.Mem.LeftScale)
        a1_mat: pl.Tile[[16, 128], pl.FP8E4M3FN, pl.MemRef(l1, 17504, 2048), pl.Mem.Mat] = pl.tile.load(a, [32, 0], [16, 128], [16, 128], target_memory=pl.Mem.Mat)
        a1_scale_mat: pl.Tile[[16, 4], pl.FP8E8M0, pl.MemRef(l1, 19552, 64), pl.Mem.Mat, pl.TileView(blayout=pl.TileLayout.row_major, slayout=pl.TileLayout.row_major, fractal=32)] = pl.tile.load(a_scale, [32, 0], [16, 4], [16, 4], target_memory=pl.Mem.Mat)
        a1_left: pl.Tile[[16, 128], pl.FP8E4M3FN, pl.MemRef(l0a, 20480, 2048), pl.Mem.Left] = pl.tile.move(a1_mat, target_memory=pl.Mem.Left)
        a1_left_scale: pl.Tile[[16, 4], pl.FP8E8M0, pl.MemRef(l0a_mx, 1280, 64), pl.Mem.LeftScale] = pl.tile.move(a1_scale_mat, target_memory=pl.Mem.LeftScale)
        c0: pl.Tile[[32, 96], pl.FP32, pl.MemRef(l0c, 2048, 12288), pl.Mem.Acc] = pl.tile.matmul_mx(a0_left, a0_left_scale, b_right, b_right_scale)
        c1: pl.Tile[[16, 96], pl.FP32, pl.MemRef(l0c, 14336, 6144), pl.Mem.Acc] = pl.tile.matmul_mx(a1_left, a1_left_scale, b_right, b_right_scale)
        upper: pl.Tensor[[48, 96], pl.FP32] = pl.tile.store(c0, [0, 0], c)
        stored: pl.Tensor[[48, 96], pl.FP32] = pl.tile.store(c1, [32, 0], upper)
        return stored
