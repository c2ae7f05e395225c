#include "exec/simd/workloads/gemm.h"

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

absl::Status CheckShape(const GemmShape& s) {
  if (s.m >= 1 && s.n >= 1 && s.k >= 0 && s.block_m >= 1 && s.block_n >= 1 &&
      s.block_k >= 1) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("gemm of m = ", s.m, ", n = ", s.n, ", k = ", s.k,
                   " in blocks of ", s.block_m, ", ", s.block_n, ", ",
                   s.block_k, ": each must be 1 or more, k may be 0"));
}

}  // namespace

absl::StatusOr<TileProgram> BuildGemm(const GemmShape& s) {
  MX_RETURN_IF_ERROR(CheckShape(s));
  const int64_t blocks_m = CeilDivide(s.m, s.block_m);
  const int64_t blocks_n = CeilDivide(s.n, s.block_n);
  TileProgramBuilder b("gemm", blocks_m * blocks_n);
  const DimId m = b.AddDim("m", s.block_m);
  const DimId n = b.AddDim("n", s.block_n);
  const DimId k = b.AddDim("k", s.block_k);
  const ViewId a_view = b.AddView({"a", ElementType::kF32, {s.m, s.k}, 0});
  const ViewId b_view = b.AddView({"b", ElementType::kF32, {s.k, s.n}, 1});
  const ViewId c_view = b.AddView({"c", ElementType::kF32, {s.m, s.n}, 2});

  // How many of a block's elements exist, where blocks do not divide.
  const auto limit = [&b](int64_t extent, int64_t block, ValueId first) {
    if (extent % block == 0) return kNoValue;
    return b.Binary(BinaryKind::kSub, b.Index(extent), first);
  };
  const auto first = [&b](BinaryKind kind, int64_t blocks, int64_t block) {
    return b.Binary(BinaryKind::kMul,
                    b.Binary(kind, b.ProgramIndex(), b.Index(blocks)),
                    b.Index(block));
  };
  const ValueId first_m = first(BinaryKind::kFloorDiv, blocks_n, s.block_m);
  const ValueId first_n = first(BinaryKind::kMod, blocks_n, s.block_n);
  const ValueId limit_m = limit(s.m, s.block_m, first_m);
  const ValueId limit_n = limit(s.n, s.block_n, first_n);

  const std::vector<ValueId> acc = b.For(
      b.Index(0), b.Index(s.k), b.Index(s.block_k),
      {b.Broadcast(b.Constant(0), {m, n})},
      [&](ValueId first_k, std::vector<ValueId> carried) {
        const ValueId limit_k = limit(s.k, s.block_k, first_k);
        const ValueId lhs =
            b.Load(a_view, {{first_m, first_k}, {m, k}, {limit_m, limit_k}});
        const ValueId rhs =
            b.Load(b_view, {{first_k, first_n}, {k, n}, {limit_k, limit_n}});
        return std::vector<ValueId>{b.Contract(lhs, rhs, carried[0], limit_k)};
      });
  b.Store(c_view, {{first_m, first_n}, {m, n}, {limit_m, limit_n}}, acc[0]);
  return std::move(b).Finish();
}

}  // namespace mxtile::exec::simd
