#include "exec/simd/workloads/attention.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/int_math.h"
#include "base/status_macros.h"
#include "exec/simd/element_type.h"
#include "exec/simd/tile_program.h"
#include "exec/simd/tile_program_builder.h"

namespace mxtile::exec::simd {
namespace {

// Below every score; exp(kMasked - x) is 0 for them.
constexpr float kMasked = -1e30f;

absl::Status CheckShape(const AttentionShape& s) {
  for (const int64_t extent :
       {s.batch, s.query_heads, s.kv_heads, s.queries, s.keys, s.head_dim,
        s.value_dim, s.block_queries, s.block_keys}) {
    if (extent < 1) {
      return absl::InvalidArgumentError(
          absl::StrCat("attention: ", extent, " is below 1"));
    }
  }
  if (s.query_heads % s.kv_heads != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "attention: ", s.kv_heads, " key/value heads do not divide ",
        s.query_heads, " query heads"));
  }
  if (s.queries > s.keys) {
    return absl::InvalidArgumentError(
        absl::StrCat("attention: ", s.queries, " queries, but ", s.keys,
                     " keys: the first queries would see none"));
  }
  return absl::OkStatus();
}

class AttentionBuilder {
 public:
  explicit AttentionBuilder(const AttentionShape& shape)
      : s_(shape),
        query_blocks_(CeilDivide(shape.queries, shape.block_queries)),
        b_("attention", shape.batch * shape.query_heads * query_blocks_) {}

  absl::StatusOr<TileProgram> Build() && {
    AddDimsAndViews();
    Locate();
    const ValueId q =
        b_.Load(q_view_, {{batch_, head_, first_query_, zero_},
                          {kNoDim, kNoDim, query_, channel_},
                          Limits(s_.queries, s_.block_queries, first_query_)});
    const std::vector<ValueId> state = b_.For(
        zero_, b_.Index(s_.keys), b_.Index(s_.block_keys),
        {b_.Broadcast(b_.Constant(kMasked), {query_}),
         b_.Broadcast(b_.Constant(0), {query_}),
         b_.Broadcast(b_.Constant(0), {query_, value_})},
        [&](ValueId first_key, std::vector<ValueId> carried) {
          return KeyBlock(q, first_key, carried[0], carried[1], carried[2]);
        });
    b_.SetPlace("store");
    b_.Store(out_view_,
             {{batch_, head_, first_query_, zero_},
              {kNoDim, kNoDim, query_, value_},
              Limits(s_.queries, s_.block_queries, first_query_)},
             b_.Binary(BinaryKind::kDiv, state[2], state[1]));
    return std::move(b_).Finish();
  }

 private:
  void AddDimsAndViews() {
    query_ = b_.AddDim("query", s_.block_queries);
    key_ = b_.AddDim("key", s_.block_keys);
    channel_ = b_.AddDim("channel", s_.head_dim);
    value_ = b_.AddDim("value", s_.value_dim);
    const auto add_view = [&](const char* name, int64_t heads, int64_t rows,
                              int64_t cols, int buffer) {
      return b_.AddView(
          {name, ElementType::kF32, {s_.batch, heads, rows, cols}, buffer});
    };
    q_view_ = add_view("q", s_.query_heads, s_.queries, s_.head_dim, 0);
    k_view_ = add_view("k", s_.kv_heads, s_.keys, s_.head_dim, 1);
    v_view_ = add_view("v", s_.kv_heads, s_.keys, s_.value_dim, 2);
    out_view_ = add_view("out", s_.query_heads, s_.queries, s_.value_dim, 3);
  }

  // What this instance is about.
  void Locate() {
    const auto index = [&](BinaryKind kind, ValueId a, int64_t b) {
      return b_.Binary(kind, a, b_.Index(b));
    };
    b_.SetPlace("locate");
    zero_ = b_.Index(0);
    const ValueId program = b_.ProgramIndex();
    const ValueId row = index(BinaryKind::kFloorDiv, program, query_blocks_);
    first_query_ =
        index(BinaryKind::kMul, index(BinaryKind::kMod, program, query_blocks_),
              s_.block_queries);
    head_ = index(BinaryKind::kMod, row, s_.query_heads);
    batch_ = index(BinaryKind::kFloorDiv, row, s_.query_heads);
    kv_head_ =
        index(BinaryKind::kFloorDiv, head_, s_.query_heads / s_.kv_heads);
  }

  // Of a window whose rows are a block of `rows`; none where blocks divide it.
  std::vector<ValueId> Limits(int64_t rows, int64_t block, ValueId first) {
    if (rows % block == 0) return {};
    return {kNoValue, kNoValue,
            b_.Binary(BinaryKind::kSub, b_.Index(rows), first), kNoValue};
  }

  ValueId LoadKeys(ViewId view, ValueId first_key, DimId col) {
    return b_.Load(view, {{batch_, kv_head_, first_key, zero_},
                          {kNoDim, kNoDim, key_, col},
                          Limits(s_.keys, s_.block_keys, first_key)});
  }

  // [query, key]: which query sees which key.
  ValueId Valid(ValueId first_key) {
    const ValueId key = b_.Binary(BinaryKind::kAdd, b_.Iota(key_), first_key);
    const ValueId query =
        b_.Binary(BinaryKind::kAdd, b_.Iota(query_), first_query_);
    const ValueId last_key =
        b_.Binary(BinaryKind::kAdd, query, b_.Index(s_.keys - s_.queries));
    return b_.Binary(BinaryKind::kAnd,
                     b_.Binary(BinaryKind::kLe, key, last_key, {query_, key_}),
                     b_.Binary(BinaryKind::kLt, key, b_.Index(s_.keys)));
  }

  std::vector<ValueId> KeyBlock(ValueId q, ValueId first_key, ValueId old_max,
                                ValueId old_sum, ValueId old_acc) {
    b_.SetPlace("load");
    const ValueId k = LoadKeys(k_view_, first_key, channel_);
    const ValueId v = LoadKeys(v_view_, first_key, value_);
    b_.SetPlace("scores");
    const float scale = 1.0f / std::sqrt(static_cast<float>(s_.head_dim));
    const ValueId scores = b_.Binary(
        BinaryKind::kMul,
        b_.Contract(q, k, b_.Broadcast(b_.Constant(0), {query_, key_})),
        b_.Constant(scale));
    const ValueId valid = Valid(first_key);
    const ValueId masked = b_.Select(valid, scores, b_.Constant(kMasked));
    b_.SetPlace("softmax");
    const ValueId new_max = b_.Binary(
        BinaryKind::kMax, old_max, b_.Reduce(ReduceKind::kMax, masked, key_));
    const ValueId alpha = b_.Unary(
        UnaryKind::kExp, b_.Binary(BinaryKind::kSub, old_max, new_max));
    const ValueId p = b_.Select(
        valid,
        b_.Unary(UnaryKind::kExp, b_.Binary(BinaryKind::kSub, masked, new_max)),
        b_.Constant(0));
    const ValueId new_sum =
        b_.Binary(BinaryKind::kAdd, b_.Binary(BinaryKind::kMul, old_sum, alpha),
                  b_.Reduce(ReduceKind::kSum, p, key_));
    b_.SetPlace("values");
    const ValueId new_acc =
        b_.Contract(p, v, b_.Binary(BinaryKind::kMul, old_acc, alpha));
    return {new_max, new_sum, new_acc};
  }

  const AttentionShape s_;
  const int64_t query_blocks_;
  TileProgramBuilder b_;
  DimId query_, key_, channel_, value_;
  ViewId q_view_, k_view_, v_view_, out_view_;
  ValueId zero_, batch_, head_, kv_head_, first_query_;
};

std::vector<float> Sines(int64_t count, double frequency, double phase) {
  std::vector<float> values(count);
  for (int64_t i = 0; i < count; ++i) {
    values[i] = static_cast<float>(std::sin(i * frequency + phase));
  }
  return values;
}

// Of one query over the keys 0 .. visible - 1.
std::vector<double> SoftmaxRow(const AttentionShape& s, const float* q,
                               const float* k, int64_t visible) {
  std::vector<double> row(visible);
  for (int64_t key = 0; key < visible; ++key) {
    double dot = 0;
    for (int64_t d = 0; d < s.head_dim; ++d) {
      dot += double{q[d]} * double{k[key * s.head_dim + d]};
    }
    row[key] = dot / std::sqrt(static_cast<double>(s.head_dim));
  }
  const double max = *std::max_element(row.begin(), row.end());
  double sum = 0;
  for (double& x : row) sum += x = std::exp(x - max);
  for (double& x : row) x /= sum;
  return row;
}

}  // namespace

absl::StatusOr<TileProgram> BuildAttention(const AttentionShape& shape) {
  MX_RETURN_IF_ERROR(CheckShape(shape));
  return AttentionBuilder(shape).Build();
}

AttentionInputs MakeAttentionInputs(const AttentionShape& s) {
  const int64_t kv_rows = s.batch * s.kv_heads * s.keys;
  return {Sines(s.batch * s.query_heads * s.queries * s.head_dim, 0.117, 0),
          Sines(kv_rows * s.head_dim, 0.148, 0.3),
          Sines(kv_rows * s.value_dim, 0.179, 0.6)};
}

std::vector<double> AttentionOracle(const AttentionShape& s,
                                    const AttentionInputs& inputs) {
  const int64_t group = s.query_heads / s.kv_heads;
  std::vector<double> out;
  for (int64_t head = 0; head < s.batch * s.query_heads; ++head) {
    // Batches follow each other, so heads can be counted through.
    const int64_t kv_head = head / group;
    const float* k = inputs.k.data() + kv_head * s.keys * s.head_dim;
    const float* v = inputs.v.data() + kv_head * s.keys * s.value_dim;
    for (int64_t query = 0; query < s.queries; ++query) {
      const float* q =
          inputs.q.data() + (head * s.queries + query) * s.head_dim;
      const std::vector<double> p =
          SoftmaxRow(s, q, k, query + s.keys - s.queries + 1);
      for (int64_t dv = 0; dv < s.value_dim; ++dv) {
        double sum = 0;
        for (size_t key = 0; key < p.size(); ++key) {
          sum += p[key] * double{v[key * s.value_dim + dv]};
        }
        out.push_back(sum);
      }
    }
  }
  return out;
}

}  // namespace mxtile::exec::simd
