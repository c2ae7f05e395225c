# Causal attention of 32 queries, 4 query heads over 2 key/value heads, 65 keys,
# with an online softmax over blocks of 16 keys. A block of the launch has 4
# queries of one head; query i sees the keys up to 33 + i.
# pypto.program: AttentionPrefill
import pypto.language as pl


@pl.program
class AttentionPrefill:
    # Row of q and out: a query of a query head. Row of k and v: a key of a
    # key/value head.
    @pl.function(type=pl.FunctionType.InCore)
    def attend(
        q: pl.Tensor[[128, 32], pl.FP32],
        k: pl.Tensor[[130, 32], pl.FP32],
        v: pl.Tensor[[130, 32], pl.FP32],
        out: pl.Out[pl.Tensor[[128, 32], pl.FP32]],
    ) -> pl.Tensor[[128, 32], pl.FP32]:
        block = pl.tile.get_block_idx()
        first_query = block % 8 * 4
        first_row = block * 4
        first_key = block // 16 * 65
        queries = pl.load(q, [first_row, 0], [4, 32])
        tmp = pl.create_tile([4, 16], dtype=pl.FP32)
        no_score = pl.tile.full([4, 16], dtype=pl.FP32, value=-1e30)
        # The last key that each query sees, and the keys of a block.
        last_key = pl.tile.ci(first_query + 33, [4, 1], dtype=pl.INT32)
        number = pl.tile.ci(0, [1, 16], dtype=pl.INT32)
        max_0 = pl.tile.full([4, 1], dtype=pl.FP32, value=-1e30)
        sum_0 = pl.tile.full([4, 1], dtype=pl.FP32, value=0.0)
        acc_0 = pl.tile.full([4, 32], dtype=pl.FP32, value=0.0)
        for k0, (row_max, row_sum, acc) in pl.range(0, 65, 16, init_values=(max_0, sum_0, acc_0)):
            keys = pl.min(16, 65 - k0)
            key_rows = pl.load(k, [first_key + k0, 0], [16, 32], [keys, 32])
            value_rows = pl.load(v, [first_key + k0, 0], [16, 32], [keys, 32])
            key_block = pl.fillpad(key_rows)
            value_block = pl.fillpad(value_rows)
            key_columns = pl.tile.transpose_view(key_block)
            # 1 / sqrt(32)
            products = pl.matmul(queries, key_columns)
            scores = pl.mul(products, 0.17677669529663687)
            key = pl.add(number, k0)
            is_seen = pl.cmp(key, last_key, cmp_type=3)
            masked = pl.sel(is_seen, scores, no_score, tmp)
            block_max = pl.row_max(masked, tmp)
            new_max = pl.maximum(row_max, block_max)
            alpha = pl.exp(pl.sub(row_max, new_max))
            shifted = pl.row_expand_sub(masked, new_max)
            weights = pl.sels(is_seen, pl.exp(shifted), tmp, 0.0)
            new_sum = pl.add(pl.mul(row_sum, alpha), pl.row_sum(weights, tmp))
            kept = pl.row_expand_mul(acc, alpha)
            new_acc = pl.matmul_acc(kept, weights, value_block)
            last_max, last_sum, last_acc = pl.yield_(new_max, new_sum, new_acc)
        result = pl.row_expand_div(last_acc, last_sum)
        stored = pl.store(result, [first_row, 0], out)
        return stored

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self,
        q: pl.Tensor[[128, 32], pl.FP32],
        k: pl.Tensor[[130, 32], pl.FP32],
        v: pl.Tensor[[130, 32], pl.FP32],
        out: pl.Out[pl.Tensor[[128, 32], pl.FP32]],
    ) -> pl.Tensor[[128, 32], pl.FP32]:
        launched = pl.spmd_submit(self.attend, q, k, v, out, core_num=32)
        result = launched[0]
        return result
