#include "exec/simd/kernel_runner.h"

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_matchers.h"
#include "exec/simd/buffer_span.h"
#include "exec/simd/compiled_kernel.h"
#include "exec/simd/element_type.h"
#include "exec/simd/jit/target.h"
#include "exec/simd/mx_product_form.h"
#include "exec/simd/planner.h"
#include "exec/simd/tile_program.h"
#include "exec/simd/tile_program_builder.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/reference/matmul_mx.h"
#include "kernels/reference/tile_test_util.h"
#include "kernels/tile_view.h"
#include "numerics/element_format.h"
#include "numerics/f32_product.h"

namespace mxtile::exec::simd {
namespace {

using ::testing::HasSubstr;

KernelRunnerOptions Options(int threads) {
  KernelRunnerOptions options;
  options.threads = threads;
  return options;
}

class KernelRunnerTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const absl::Status usable = CheckRunsOnHost(HostTarget());
    if (absl::IsUnimplemented(usable)) GTEST_SKIP() << usable;
  }
};

// ---- MX products: both forms against kernels/reference

// Rows of an instance, instances; the last lanes of a packet and of a vector
// are not used.
constexpr int64_t kRows = 3;
constexpr int64_t kInstances = 11;
constexpr int64_t kM = kRows * kInstances;
constexpr int64_t kN = 18;
constexpr int64_t kK = 128;
constexpr int64_t kG = kK / kMxGroup;

TileProgram MxGemm(ElementType left, ElementType right) {
  TileProgramBuilder b("mx_gemm", kInstances);
  const DimId m = b.AddDim("m", kRows);
  const DimId n = b.AddDim("n", kN);
  const DimId k = b.AddDim("k", kK);
  const DimId g = b.AddDim("g", kG);
  const ElementType scale = ElementType::kF8E8M0FNU;
  const ViewId a = b.AddView({"a", left, {kM, kK}, 0});
  const ViewId a_scale = b.AddView({"a_scale", scale, {kM, kG}, 1});
  const ViewId w = b.AddView({"b", right, {kK, kN}, 2});
  const ViewId w_scale = b.AddView({"b_scale", scale, {kG, kN}, 3});
  const ViewId c = b.AddView({"c", ElementType::kF32, {kM, kN}, 4});
  const ValueId zero = b.Index(0);
  const ValueId row =
      b.Binary(BinaryKind::kMul, b.ProgramIndex(), b.Index(kRows));
  const ValueId product = b.MxContract(b.Load(a, {{row, zero}, {m, k}}),
                                       b.Load(a_scale, {{row, zero}, {m, g}}),
                                       b.Load(w, {{zero, zero}, {k, n}}),
                                       b.Load(w_scale, {{zero, zero}, {g, n}}),
                                       b.Broadcast(b.Constant(0), {m, n}));
  b.Store(c, {{row, zero}, {m, n}}, product);
  absl::StatusOr<TileProgram> program = std::move(b).Finish();
  EXPECT_TRUE(program.ok()) << program.status();
  return *std::move(program);
}

// Scales of one operand: from .. to, and a NaN where `nans` says so.
struct Scales {
  int from;
  int to;
  bool nans = false;
};

struct MxCase {
  const char* name;
  Scales left;
  Scales right;
  bool exact;
};

std::vector<MxCase> CasesOf(const F32ProductRange& range) {
  const int low = range.min_sum / 2;
  const int rest = range.min_sum - low;
  const int high = range.max_sum / 2;
  const int room = range.max_sum - high;
  std::vector<MxCase> cases = {
      {"usual", {120, 134}, {119, 133}, true},
      {"all", {0, 254}, {0, 254}, false},
      {"usual and NaN", {120, 134, true}, {119, 133, true}, true},
      {"all and NaN", {0, 254, true}, {0, 254, true}, false},
      {"least sum", {low, low + 9}, {rest, rest + 9}, true},
      {"below it", {low, low + 9}, {rest - 1, rest - 1}, false},
      {"largest sum", {high - 9, high}, {room - 9, room}, true},
      {"above it", {high, high}, {room + 1, room + 1}, false},
      {"largest left", {range.max_left, range.max_left}, {100, 110}, true}};
  // The code after 254 is NaN.
  if (range.max_left < 254) {
    cases.push_back({"beyond it",
                     {range.max_left + 1, range.max_left + 1},
                     {100, 110},
                     false});
  }
  return cases;
}

std::vector<uint32_t> Draw(std::mt19937& random, int64_t count, uint32_t from,
                           uint32_t to) {
  std::vector<uint32_t> codes(count);
  for (uint32_t& code : codes) code = from + random() % (to - from + 1);
  return codes;
}

TestTile ScaleTile(std::mt19937& random, int64_t rows, int64_t cols,
                   const Scales& scales) {
  std::vector<uint32_t> codes =
      Draw(random, rows * cols, scales.from, scales.to);
  if (scales.nans) codes[random() % codes.size()] = 255;
  return TestTile::OfCodes(FullTile(ElementFormat::kF8E8M0FNU, rows, cols),
                           codes);
}

BufferSpan SpanOf(std::vector<uint8_t>& bytes) {
  return {bytes.data(), static_cast<int64_t>(bytes.size())};
}

class KernelRunnerMxTest : public KernelRunnerTest,
                           public ::testing::WithParamInterface<
                               std::pair<ElementType, ElementType>> {};

TEST_P(KernelRunnerMxTest, BothFormsHaveTheBitsOfTheReference) {
  const auto [left, right] = GetParam();
  const ElementFormat left_format = *FormatOf(left);
  const ElementFormat right_format = *FormatOf(right);
  const TileProgram program = MxGemm(left, right);
  KernelRunner runner(Options(2));
  std::mt19937 random(7);
  int64_t launches[] = {0, 0};  // by form
  for (const MxCase& c : CasesOf(ExactF32Products(left_format, right_format))) {
    SCOPED_TRACE(c.name);
    const TestTile a =
        TestTile::OfCodes(FullTile(left_format, kM, kK),
                          Draw(random, kM * kK, 0, CodeCount(left_format) - 1));
    const TestTile b = TestTile::OfCodes(
        FullTile(right_format, kK, kN),
        Draw(random, kK * kN, 0, CodeCount(right_format) - 1));
    const TestTile a_scale = ScaleTile(random, kM, kG, c.left);
    const TestTile b_scale = ScaleTile(random, kG, kN, c.right);
    TestTile expected(FullTile(ElementFormat::kF32, kM, kN));
    MX_ASSERT_OK(
        MatmulMx({expected.view(), a.const_view(), a_scale.const_view(),
                  b.const_view(), b_scale.const_view()},
                 {}));
    std::vector<std::vector<uint8_t>> memory = {
        a.bytes(), a_scale.bytes(), b.bytes(), b_scale.bytes(),
        std::vector<uint8_t>(kM * kN * 4)};
    std::vector<BufferSpan> buffers;
    for (std::vector<uint8_t>& bytes : memory) buffers.push_back(SpanOf(bytes));
    EXPECT_EQ(HasExactF32Products(program, buffers), c.exact);
    MX_ASSERT_OK(runner.Run(program, buffers));
    EXPECT_EQ(memory[4], expected.bytes());
    ++launches[c.exact ? 1 : 0];
  }
  // One kernel a form, however often it ran.
  ASSERT_EQ(runner.kernels().size(), 2);
  EXPECT_TRUE(runner.kernels()[0]->plan.selected.candidate().mx_f32);
  EXPECT_FALSE(runner.kernels()[1]->plan.selected.candidate().mx_f32);
  EXPECT_EQ(runner.kernels()[0]->launches, launches[1]);
  EXPECT_EQ(runner.kernels()[1]->launches, launches[0]);
}

// What would happen if the form were chosen wrongly: the bits differ, so that
// the test above can fail.
TEST_F(KernelRunnerTest, FormsDifferOutsideOfTheRange) {
  const TileProgram program =
      MxGemm(ElementType::kF8E4M3FN, ElementType::kF8E4M3FN);
  std::mt19937 random(7);
  std::vector<std::vector<uint8_t>> memory = {
      std::vector<uint8_t>(kM * kK), std::vector<uint8_t>(kM * kG, 30),
      std::vector<uint8_t>(kK * kN), std::vector<uint8_t>(kG * kN, 60),
      std::vector<uint8_t>(kM * kN * 4)};
  for (uint8_t& code : memory[0]) code = random() % 127;
  for (uint8_t& code : memory[2]) code = random() % 127;
  std::vector<BufferSpan> buffers;
  for (std::vector<uint8_t>& bytes : memory) buffers.push_back(SpanOf(bytes));
  std::vector<std::vector<uint8_t>> results;
  for (const bool mx_f32 : {false, true}) {
    PlannerOptions options;
    options.mx_f32 = mx_f32;
    MX_ASSERT_OK_AND_ASSIGN(const PlanningResult plan,
                            Plan(program, options, HostTarget()));
    MX_ASSERT_OK_AND_ASSIGN(
        const auto kernel,
        CompiledKernel::Create(program, plan.selected.candidate(), {}));
    MX_ASSERT_OK(kernel->Run(buffers));
    results.push_back(memory[4]);
  }
  EXPECT_NE(results[0], results[1]);
}

INSTANTIATE_TEST_SUITE_P(
    Formats, KernelRunnerMxTest,
    ::testing::Values(std::pair(ElementType::kF8E4M3FN, ElementType::kF8E4M3FN),
                      std::pair(ElementType::kF8E5M2, ElementType::kF8E5M2),
                      std::pair(ElementType::kF8E4M3FN, ElementType::kF8E5M2),
                      std::pair(ElementType::kF4E2M1FN, ElementType::kF4E2M1FN),
                      std::pair(ElementType::kF4E1M2, ElementType::kF4E2M1FN)),
    [](const auto& info) {
      return absl::StrCat(Name(info.param.first), "_", Name(info.param.second));
    });

// ---- The form, where it is not known

TEST_F(KernelRunnerTest, ScalesThatTheProgramWritesAreNotTrusted) {
  TileProgramBuilder b("p", 1);
  const DimId m = b.AddDim("m", 1);
  const DimId n = b.AddDim("n", 1);
  const DimId k = b.AddDim("k", 32);
  const DimId g = b.AddDim("g", 1);
  const ElementType scale = ElementType::kF8E8M0FNU;
  const ViewId a = b.AddView({"a", ElementType::kF8E4M3FN, {1, 32}, 0});
  const ViewId s = b.AddView({"s", scale, {1, 1}, 1});
  const ViewId t = b.AddView({"t", scale, {1, 1}, 2});
  const ViewId c = b.AddView({"c", ElementType::kF32, {1, 1}, 3});
  const ValueId zero = b.Index(0);
  const std::vector<ValueId> origin = {zero, zero};
  const ValueId scales = b.Load(s, {origin, {m, g}});
  const ValueId product = b.MxContract(
      b.Load(a, {origin, {m, k}}), scales, b.Load(a, {origin, {n, k}}),
      b.Load(s, {origin, {g, n}}), b.Broadcast(b.Constant(0), {m, n}));
  b.Store(c, {origin, {m, n}}, product);
  TileProgramBuilder writing = b;
  writing.Store(s, {origin, {m, g}}, writing.Load(t, {origin, {m, g}}));
  MX_ASSERT_OK_AND_ASSIGN(const TileProgram reads, std::move(b).Finish());
  MX_ASSERT_OK_AND_ASSIGN(const TileProgram writes,
                          std::move(writing).Finish());
  std::vector<uint8_t> codes(32);
  std::vector<uint8_t> s_byte = {127};
  std::vector<uint8_t> t_byte = {127};
  std::vector<uint8_t> c_bytes(4);
  const std::vector<BufferSpan> buffers = {SpanOf(codes), SpanOf(s_byte),
                                           SpanOf(t_byte), SpanOf(c_bytes)};
  EXPECT_TRUE(HasExactF32Products(reads, buffers));
  EXPECT_FALSE(HasExactF32Products(writes, buffers));
}

// ---- Kernels by contents

TileProgram AddConstant(float constant, int64_t origin = 0) {
  TileProgramBuilder b("add", 5);
  const DimId n = b.AddDim("n", 4);
  const ViewId x = b.AddView({"x", ElementType::kF32, {5, 4}, 0});
  b.SetPlace("add.py:7:5");
  Window row = {{b.ProgramIndex(), b.Index(origin)}, {kNoDim, n}};
  row.checked = true;
  b.Store(x, row,
          b.Binary(BinaryKind::kAdd, b.Load(x, row), b.Constant(constant)));
  return *std::move(b).Finish();
}

TEST_F(KernelRunnerTest, EqualProgramsAreCompiledOnce) {
  // The text has both constants as 0.1.
  const TileProgram first = AddConstant(0.1f);
  const TileProgram second = AddConstant(0.10000001f);
  ASSERT_EQ(ToText(first), ToText(second));
  EXPECT_EQ(ContentKey(first), ContentKey(AddConstant(0.1f)));
  EXPECT_NE(ContentKey(first), ContentKey(second));
  KernelRunner runner(Options(1));
  std::vector<float> x(20);
  const std::vector<BufferSpan> buffers = {{x.data(), 80}};
  MX_ASSERT_OK(runner.Run(first, buffers));
  EXPECT_EQ(x, std::vector<float>(20, 0.1f));
  MX_ASSERT_OK(runner.Run(second, buffers));
  EXPECT_EQ(x, std::vector<float>(20, 0.1f + 0.10000001f));
  MX_ASSERT_OK(runner.Run(AddConstant(0.1f), buffers));
  ASSERT_EQ(runner.kernels().size(), 2);
  EXPECT_EQ(runner.kernels()[0]->launches, 2);
  EXPECT_EQ(runner.kernels()[0]->program_count, 5);
  EXPECT_EQ(runner.kernels()[1]->launches, 1);
}

TEST_F(KernelRunnerTest, ErrorsNameTheOperation) {
  KernelRunner runner(Options(3));
  std::vector<float> x(20);
  EXPECT_THAT(
      runner.Run(AddConstant(1, 1), {{x.data(), 80}}),
      StatusIs(absl::StatusCode::kOutOfRange, HasSubstr("add.py:7:5: ")));
  EXPECT_THAT(runner.Run(AddConstant(1), {{x.data(), 79}}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("79 bytes of buffer 0")));
  KernelRunnerOptions options = Options(1);
  options.planner.mode = PlanMode::kCompat;
  options.planner.mma_output_block = 3;
  EXPECT_THAT(KernelRunner(options).Run(AddConstant(1), {{x.data(), 80}}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("must be 1, 2 or 4")));
}

}  // namespace
}  // namespace mxtile::exec::simd
