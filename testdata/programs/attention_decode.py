# Attention of one query token, 8 query heads over 2 key/value heads, 2053 keys
# in blocks of 16, with an online softmax. The last block has 5 keys.
# pypto.program: AttentionDecode
import pypto.language as pl


@pl.program
class AttentionDecode:
    # Row of q and out: a query head. Row of k and v: a key/value head's key.
    @pl.function(type=pl.FunctionType.InCore)
    def attend(
        q: pl.Tensor[[8, 80], pl.FP32],
        k: pl.Tensor[[4106, 80], pl.FP32],
        v: pl.Tensor[[4106, 96], pl.FP32],
        out: pl.Out[pl.Tensor[[8, 96], pl.FP32]],
        head: pl.Scalar[pl.INDEX],
    ) -> pl.Tensor[[8, 96], pl.FP32]:
        first_key = head // 4 * 2053
        query = pl.load(q, [head, 0], [1, 80])
        tmp = pl.create_tile([1, 16], dtype=pl.FP32)
        no_score = pl.tile.full([1, 16], dtype=pl.FP32, value=-1e30)
        number = pl.tile.ci(0, [1, 16], dtype=pl.INT32)
        max_0 = pl.tile.full([1, 1], dtype=pl.FP32, value=-1e30)
        sum_0 = pl.tile.full([1, 1], dtype=pl.FP32, value=0.0)
        acc_0 = pl.tile.full([1, 96], dtype=pl.FP32, value=0.0)
        for k0, (row_max, row_sum, acc) in pl.range(0, 2053, 16, init_values=(max_0, sum_0, acc_0)):
            keys = pl.min(16, 2053 - k0)
            key_rows = pl.load(k, [first_key + k0, 0], [16, 80], [keys, 80])
            value_rows = pl.load(v, [first_key + k0, 0], [16, 96], [keys, 96])
            key_block = pl.fillpad(key_rows)
            value_block = pl.fillpad(value_rows)
            key_columns = pl.tile.transpose_view(key_block)
            # 1 / sqrt(80)
            products = pl.matmul(query, key_columns)
            scores = pl.mul(products, 0.11180339887498949)
            is_key = pl.cmp(number, keys, cmp_type=2)
            masked = pl.sel(is_key, scores, no_score, tmp)
            block_max = pl.row_max(masked, tmp)
            new_max = pl.maximum(row_max, block_max)
            alpha = pl.exp(pl.sub(row_max, new_max))
            shifted = pl.row_expand_sub(masked, new_max)
            weights = pl.sels(is_key, pl.exp(shifted), tmp, 0.0)
            new_sum = pl.add(pl.mul(row_sum, alpha), pl.row_sum(weights, tmp))
            kept = pl.row_expand_mul(acc, alpha)
            new_acc = pl.matmul_acc(kept, weights, value_block)
            last_max, last_sum, last_acc = pl.yield_(new_max, new_sum, new_acc)
        result = pl.row_expand_div(last_acc, last_sum)
        stored = pl.store(result, [head, 0], out)
        return stored

    @pl.function(type=pl.FunctionType.Orchestration)
    def main(
        self,
        q: pl.Tensor[[8, 80], pl.FP32],
        k: pl.Tensor[[4106, 80], pl.FP32],
        v: pl.Tensor[[4106, 96], pl.FP32],
        out: pl.Out[pl.Tensor[[8, 96], pl.FP32]],
    ) -> pl.Tensor[[8, 96], pl.FP32]:
        for head, (out_i,) in pl.parallel(8, init_values=(out,)):
            next_out = self.attend(q, k, v, out_i, head)
            result = pl.yield_(next_out)
        return result
