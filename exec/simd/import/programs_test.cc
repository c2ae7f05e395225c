// Whole programs of testdata/, imported: the same bits as exec/reference in
// float, and for MX products those of kernels/reference.

#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "exec/simd/import/import_test_util.h"
#include "exec/simd/tile_program.h"
#include "gtest/gtest.h"
#include "ir/text/text_program_test_util.h"
#include "kernels/reference/matmul_mx.h"
#include "kernels/tile_view.h"
#include "numerics/element_format.h"

namespace mxtile::exec::simd {
namespace {

ir::TextProgram ReadProgram(absl::string_view name) {
  std::ifstream file(absl::StrCat("testdata/programs/", name, ".py"));
  return ir::TextProgram(std::string(std::istreambuf_iterator<char>(file), {}));
}

int Count(const TileProgram& program, OpKind kind) {
  int count = 0;
  for (const Op& op : program.ops) count += op.kind == kind ? 1 : 0;
  return count;
}

// Every window proven, no data moved between axes, nothing computed that nobody
// uses.
void ExpectPlain(const TileProgram& program) {
  EXPECT_EQ(Count(program, OpKind::kRelabel), 0);
  std::vector<bool> used(program.values.size());
  const auto use = [&](const std::vector<ValueId>& values) {
    for (const ValueId value : values) {
      if (value != kNoValue) used[value] = true;
    }
  };
  for (const Op& op : program.ops) {
    use(op.operands);
    use(op.window.limits);
    use({op.limit});
  }
  for (const Block& block : program.blocks) use(block.yields);
  for (const Op& op : program.ops) {
    const bool is_tile =
        op.results.size() == 1 && !program.values[op.results[0]].space.empty();
    EXPECT_TRUE(!is_tile || used[op.results[0]]) << op.place;
  }
  for (const Op& op : program.ops) EXPECT_FALSE(op.window.checked) << op.place;
}

TEST(ImportProgramsTest, AttentionDecode) {
  const ir::TextProgram program = ReadProgram("attention_decode");
  ImportRequest request;
  request.digits = {8};
  request.params.resize(5);
  request.params[4].scalar.steps = {1};
  const BothRuns runs(program, "attend", request, 1);
  runs.ExpectSameBits();
  ExpectPlain(runs.kernel().program);
}

TEST(ImportProgramsTest, AttentionPrefill) {
  const ir::TextProgram program = ReadProgram("attention_prefill");
  ImportRequest request;
  request.digits = {32};
  request.block_index.steps = {1};
  request.block_count = 32;
  const BothRuns runs(program, "attend", request, 2);
  runs.ExpectSameBits();
  ExpectPlain(runs.kernel().program);
}

TEST(ImportProgramsTest, Sgemm) {
  const ir::TextProgram program = ReadProgram("sgemm");
  ImportRequest request;
  request.digits = {4, 4};
  request.params.resize(5);
  request.params[3].scalar.steps = {64};
  request.params[4].scalar.steps = {0, 64};
  const BothRuns runs(program, "gemm", request, 3);
  runs.ExpectSameBits();
  ExpectPlain(runs.kernel().program);
}

TEST(ImportProgramsTest, MxGemm) {
  const ir::TextProgram program = ReadProgram("mxfp8_gemm");
  const BothRuns runs(program, "gemm", {}, 4);
  runs.ExpectSameBits();
  ExpectPlain(runs.kernel().program);
  // K in steps of 64 is K at once.
  const auto tile = [&](int index, ElementFormat format, int64_t rows,
                        int64_t cols) {
    return ConstTileView{FullTile(format, rows, cols), runs.bytes(index)};
  };
  std::vector<uint8_t> c(128 * 128 * 4);
  const MatmulMxTiles tiles = {
      {FullTile(ElementFormat::kF32, 128, 128), absl::MakeSpan(c)},
      tile(0, ElementFormat::kF8E4M3FN, 128, 512),
      tile(1, ElementFormat::kF8E8M0FNU, 128, 16),
      tile(2, ElementFormat::kF8E4M3FN, 512, 128),
      tile(3, ElementFormat::kF8E8M0FNU, 16, 128)};
  const absl::Status status = MatmulMx(tiles, {});
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(runs.bytes(4), c);
}

TEST(ImportProgramsTest, MxGemmInTiles) {
  const ir::TextProgram program = ReadProgram("mxfp8_gemm_tiled");
  ImportRequest request;
  request.digits = {2, 2};
  request.params.resize(7);
  request.params[5].scalar.steps = {64};
  request.params[6].scalar.steps = {0, 64};
  const BothRuns runs(program, "cell", request, 6);
  runs.ExpectSameBits();
  ExpectPlain(runs.kernel().program);
}

TEST(ImportProgramsTest, MxGemmWithBias) {
  const ir::TextProgram program = ReadProgram("mxfp8_gemm_bias");
  const BothRuns runs(program, program->functions[0]->name, {}, 5);
  runs.ExpectSameBits();
  ExpectPlain(runs.kernel().program);
}

}  // namespace
}  // namespace mxtile::exec::simd
