#include "ir/ops/matmul_mx_ops.h"

#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/data_type.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/ops/op_test_util.h"
#include "ir/type.h"

namespace mxtile::ir {
namespace {

using ::testing::Eq;

constexpr DataType kE4M3 = DataType::kFP8E4M3FN;
constexpr DataType kE8M0 = DataType::kFP8E8M0;
constexpr DataType kFP32 = DataType::kFP32;
constexpr MemorySpace kAcc = MemorySpace::kAcc;

// An operand: shape, element type and, where it is not the shape, valid shape.
struct Operand {
  Ints shape;
  DataType dtype;
  Ints valid = {};
};

// The base case M 16, K 64, N 32. A case changes some operands of it.
struct Product {
  Operand lhs = {{16, 64}, kE4M3};
  Operand lhs_scale = {{16, 2}, kE8M0};
  Operand rhs = {{64, 32}, kE4M3};
  Operand rhs_scale = {{2, 32}, kE8M0};
  std::optional<Operand> acc = std::nullopt;
  std::optional<Operand> bias = std::nullopt;
};

// The base case with the valid extents M, K, N.
Product Valid(int64_t m, int64_t k, int64_t n) {
  Product p;
  const int64_t groups = (k + 31) / 32;
  p.lhs.valid = {m, k};
  p.lhs_scale.valid = {m, groups};
  p.rhs.valid = {k, n};
  p.rhs_scale.valid = {groups, n};
  return p;
}

const Expr* ValueOf(OpTester& t, const Operand& operand) {
  const bool all_valid = operand.valid.empty();
  return t.Value(all_valid
                     ? t.Tile(operand.shape, operand.dtype)
                     : t.Tile(operand.shape, operand.dtype, std::nullopt,
                              t.ValidView(operand.shape, {}, operand.valid)));
}

absl::StatusOr<const Type*> DeduceProduct(OpTester& t, const Product& p) {
  std::vector<const Expr*> args = {ValueOf(t, p.lhs), ValueOf(t, p.lhs_scale),
                                   ValueOf(t, p.rhs), ValueOf(t, p.rhs_scale)};
  if (p.acc.has_value()) {
    args.insert(args.begin(), ValueOf(t, *p.acc));
    return t.Deduce("tile.matmul_mx_acc", args);
  }
  if (p.bias.has_value()) {
    args.push_back(ValueOf(t, *p.bias));
    return t.Deduce("tile.matmul_mx_bias", args);
  }
  return t.Deduce("tile.matmul_mx", args);
}

struct RejectedCase {
  std::string name;
  Product product;
  std::string rule;
  std::string fragment;
};

std::ostream& operator<<(std::ostream& out, const RejectedCase& c) {
  return out << c.name;
}

std::vector<RejectedCase> RejectedCases() {
  std::vector<RejectedCase> cases;
  auto add = [&cases](std::string name, Product product, std::string rule,
                      std::string fragment) {
    cases.push_back({name, product, rule, fragment});
  };
  auto with = [](auto change, Product base = {}) {
    change(base);
    return base;
  };

  add("M4_bothFp4", with([](Product& p) {
        p.lhs.dtype = p.rhs.dtype = DataType::kFP4;
        p.rhs.shape = {64, 64};
        p.rhs_scale.shape = {2, 64};
      }),
      "MX-MATMUL-1", "lhs dtype FP8E4M3FN, got FP4");
  add("M4_hint", with([](Product& p) { p.lhs.dtype = DataType::kFP4; }),
      "MX-MATMUL-1", "pl.cast");
  add("M5_rhsFp4", with([](Product& p) { p.rhs.dtype = DataType::kFP4; }),
      "MX-MATMUL-1", "rhs dtype FP8E4M3FN, got FP4");
  add("M5_hint", with([](Product& p) { p.rhs.dtype = DataType::kFP4; }),
      "MX-MATMUL-1", "pl.cast");
  add("M6_bothE5m2",
      with([](Product& p) { p.lhs.dtype = p.rhs.dtype = DataType::kFP8E5M2; }),
      "MX-MATMUL-1", "lhs dtype FP8E4M3FN, got FP8E5M2");
  add("M6_rhsE5m2", with([](Product& p) { p.rhs.dtype = DataType::kFP8E5M2; }),
      "MX-MATMUL-1", "rhs dtype FP8E4M3FN, got FP8E5M2");
  add("M7_lhsScale",
      with([](Product& p) { p.lhs_scale.dtype = DataType::kFP16; }),
      "MX-MATMUL-2", "lhs_scale dtype FP8E8M0, got FP16");
  add("M7_rhsScale",
      with([](Product& p) { p.rhs_scale.dtype = DataType::kUInt8; }),
      "MX-MATMUL-2", "rhs_scale dtype FP8E8M0, got UINT8");
  add("M8", with([](Product& p) {
        p.lhs.shape = {8, 64};
        p.lhs_scale.shape = {8, 2};
      }),
      "MX-MATMUL-3", "M divisible by 16");
  add("M9", with([](Product& p) {
        p.lhs.shape = {16, 96};
        p.lhs_scale.shape = {16, 3};
        p.rhs.shape = {96, 32};
        p.rhs_scale.shape = {3, 32};
      }),
      "MX-MATMUL-3", "divisible by 64");
  add("M10", with([](Product& p) {
        p.rhs.shape = {64, 16};
        p.rhs_scale.shape = {2, 16};
      }),
      "MX-MATMUL-3", "N divisible by 32 for fp8e4m3fn");
  const auto rhs_k = [](int64_t k, int64_t groups) {
    Product p;
    p.lhs.shape = {16, kSymbolic};
    p.rhs.shape = {k, 32};
    p.rhs_scale.shape = {groups, 32};
    return p;
  };
  add("M11", rhs_k(96, 3), "MX-MATMUL-3", "rhs K=96");
  add("M12", rhs_k(0, 1), "MX-MATMUL-3", "rhs K=0");
  add("M13", rhs_k(128, 2), "MX-MATMUL-8", "rhs_scale physical rows=4");
  add("M13_negativeK", rhs_k(-64, 2), "MX-MATMUL-3", "rhs K=-64");
  add("DifferentK", with([](Product& p) {
        p.rhs.shape = {128, 32};
      }),
      "MX-MATMUL-4", "lhs K=64 and rhs K=128");
  add("M17",
      with(
          [](Product& p) {
            p.rhs.valid = {40, 32};
          },
          Valid(16, 48, 32)),
      "MX-MATMUL-5", "matching valid K");
  add("M18", with([](Product& p) {
        p.lhs_scale.shape = {16, 1};
      }),
      "MX-MATMUL-8", "lhs_scale physical cols=2");
  add("M19",
      with(
          [](Product& p) {
            p.lhs_scale.valid = {16, 1};
          },
          Valid(16, 48, 32)),
      "MX-MATMUL-8", "lhs_scale valid cols=2");
  add("ScaleRows", with([](Product& p) {
        p.lhs_scale.shape = {32, 2};
      }),
      "MX-MATMUL-8", "lhs_scale physical rows=16");
  add("ScaleValidRows",
      with(
          [](Product& p) {
            p.lhs_scale.valid = {16, 2};
          },
          Valid(8, 64, 32)),
      "MX-MATMUL-8", "lhs_scale valid rows=8");
  add("M20", Valid(16, 0, 32), "MX-MATMUL-6", "positive valid K");
  add("M21", Valid(16, 31, 32), "MX-MATMUL-7", "scale-group count");
  add("M22",
      with(
          [](Product& p) {
            p.acc = {{16, 32}, kFP32};
          },
          Valid(8, 64, 16)),
      "MX-MATMUL-9", "acc valid rows=8");
  add("AccCols", with([](Product& p) {
        p.acc = {{16, 64}, kFP32};
      }),
      "MX-MATMUL-9", "acc physical cols=32");
  add("AccType", with([](Product& p) {
        p.acc = {{16, 32}, DataType::kBF16};
      }),
      "MX-MATMUL-9", "acc dtype FP32");
  add("BiasType", with([](Product& p) {
        p.bias = {{1, 32}, DataType::kBF16};
      }),
      "MX-MATMUL-10", "bias dtype FP32");
  add("BiasRows", with([](Product& p) {
        p.bias = {{2, 32}, kFP32};
      }),
      "MX-MATMUL-10", "bias physical rows=1");
  add("BiasCols", with([](Product& p) {
        p.bias = {{1, 64}, kFP32};
      }),
      "MX-MATMUL-10", "bias physical cols=32");
  add("M25",
      with(
          [](Product& p) {
            p.bias = {{1, 32}, kFP32};
          },
          Valid(8, 64, 16)),
      "MX-MATMUL-10", "bias valid cols=16");

  const std::string rank = "valid_shape rank (1) must match its tile rank (2)";
  add("M23_lhs", with([](Product& p) { p.lhs.valid = {16}; }), "MX-OP-5", rank);
  add("M23_lhsScale", with([](Product& p) { p.lhs_scale.valid = {16}; }),
      "MX-OP-5", rank);
  add("M23_rhs", with([](Product& p) { p.rhs.valid = {64}; }), "MX-OP-5", rank);
  add("M23_rhsScale", with([](Product& p) { p.rhs_scale.valid = {2}; }),
      "MX-OP-5", rank);
  add("M24_acc", with([](Product& p) {
        p.acc = {{16, 32}, kFP32, {16}};
      }),
      "MX-OP-5", rank);
  add("M24_bias", with([](Product& p) {
        p.bias = {{1, 32}, kFP32, {1}};
      }),
      "MX-OP-5", rank);
  add("OneDimensional", with([](Product& p) { p.lhs.shape = {64}; }), "MX-OP-5",
      "lhs must be a 2D tile, its rank is 1");
  return cases;
}

class MatmulMxRejected : public ::testing::TestWithParam<RejectedCase> {};

TEST_P(MatmulMxRejected, NamesRuleAndValues) {
  OpTester t;
  EXPECT_THAT(DeduceProduct(t, GetParam().product),
              BreaksRule(GetParam().rule, GetParam().fragment));
}

INSTANTIATE_TEST_SUITE_P(Cases, MatmulMxRejected,
                         ::testing::ValuesIn(RejectedCases()),
                         [](const auto& info) { return info.param.name; });

TEST(MatmulMxTest, M1_BaseIsFp32InAcc) {
  OpTester t;
  EXPECT_THAT(DeduceProduct(t, Product()),
              IsOkAndHolds(Eq(t.Tile({16, 32}, kFP32, kAcc))));
}

TEST(MatmulMxTest, M1_OperandSpacesDoNotMatter) {
  OpTester t;
  const auto value = [&t](const Ints& shape, DataType dtype, MemorySpace s) {
    return t.Value(t.Tile(shape, dtype, s));
  };
  EXPECT_THAT(t.Deduce("tile.matmul_mx",
                       {value({16, 64}, kE4M3, MemorySpace::kLeft),
                        value({16, 2}, kE8M0, MemorySpace::kLeftScale),
                        value({64, 32}, kE4M3, MemorySpace::kRight),
                        value({2, 32}, kE8M0, MemorySpace::kRightScale)}),
              IsOkAndHolds(Eq(t.Tile({16, 32}, kFP32, kAcc))));
}

TEST(MatmulMxTest, M2_AccIsTheResult) {
  OpTester t;
  Product p;
  p.acc = {{16, 32}, kFP32};
  EXPECT_THAT(DeduceProduct(t, p),
              IsOkAndHolds(Eq(t.Tile({16, 32}, kFP32, kAcc))));
}

TEST(MatmulMxTest, M2_AccKeepsItsCompactMode) {
  OpTester t;
  const Product p = Valid(8, 64, 32);
  const Type* first = *DeduceProduct(t, p);
  EXPECT_THAT(
      t.Deduce("tile.matmul_mx_acc",
               {t.Value(first), ValueOf(t, p.lhs), ValueOf(t, p.lhs_scale),
                ValueOf(t, p.rhs), ValueOf(t, p.rhs_scale)}),
      IsOkAndHolds(Eq(first)));
}

TEST(MatmulMxTest, M3_Bias) {
  OpTester t;
  Product p;
  p.bias = {{1, 32}, kFP32};
  EXPECT_THAT(DeduceProduct(t, p),
              IsOkAndHolds(Eq(t.Tile({16, 32}, kFP32, kAcc))));
}

// A cast would not help: E5M2 has to be quantised anew.
TEST(MatmulMxTest, M6_NoCastHintForE5m2) {
  Product both;
  both.lhs.dtype = both.rhs.dtype = DataType::kFP8E5M2;
  Product only_rhs;
  only_rhs.rhs.dtype = DataType::kFP8E5M2;
  for (const Product& p : {both, only_rhs}) {
    OpTester t;
    const auto result = DeduceProduct(t, p);
    EXPECT_THAT(result, BreaksRule("MX-MATMUL-1", "got FP8E5M2"));
    EXPECT_THAT(std::string(result.status().message()),
                ::testing::Not(::testing::HasSubstr("pl.cast")));
  }
}

TEST(MatmulMxTest, M14_NarrowKKeepsAllOfTheResult) {
  OpTester t;
  EXPECT_THAT(DeduceProduct(t, Valid(16, 48, 32)),
              IsOkAndHolds(Eq(t.Tile({16, 32}, kFP32, kAcc))));
}

TEST(MatmulMxTest, M15_NarrowRowsAreCompact) {
  OpTester t;
  TileView view = t.ValidView({16, 32}, kAcc, {8, 16});
  view.compact = CompactMode::kNormal;
  EXPECT_THAT(DeduceProduct(t, Valid(8, 64, 16)),
              IsOkAndHolds(Eq(t.Tile({16, 32}, kFP32, kAcc, view))));
}

TEST(MatmulMxTest, M16_NarrowColumnsAreNot) {
  OpTester t;
  EXPECT_THAT(DeduceProduct(t, Valid(16, 64, 16)),
              IsOkAndHolds(Eq(t.Tile({16, 32}, kFP32, kAcc,
                                     t.ValidView({16, 32}, kAcc, {16, 16})))));
}

TEST(MatmulMxTest, SymbolicValidRowsAreCompact) {
  OpTester t;
  TileView view = t.ValidView({16, 32}, kAcc, {kSymbolic, 32});
  view.compact = CompactMode::kNormal;
  EXPECT_THAT(DeduceProduct(t, Valid(kSymbolic, 64, 32)),
              IsOkAndHolds(Eq(t.Tile({16, 32}, kFP32, kAcc, view))));
}

TEST(MatmulMxTest, SymbolicRowsThatAreAllValidAreNotCompact) {
  OpTester t;
  Product p;
  p.lhs.shape = {kSymbolic, 64};
  p.lhs_scale.shape = {kSymbolic, 2};
  EXPECT_THAT(DeduceProduct(t, p),
              IsOkAndHolds(Eq(t.Tile({kSymbolic, 32}, kFP32, kAcc))));
}

TEST(MatmulMxTest, SymbolicKTakesTheDeclaredGroups) {
  OpTester t;
  Product p;
  p.lhs.shape = {16, kSymbolic};
  p.lhs_scale.shape = {16, 8};
  p.rhs.shape = {kSymbolic, 32};
  p.rhs_scale.shape = {8, 32};
  EXPECT_THAT(DeduceProduct(t, p),
              IsOkAndHolds(Eq(t.Tile({16, 32}, kFP32, kAcc))));
}

TEST(MatmulMxTest, ScalesAreDifferentTiles) {
  OpTester t;
  const Expr* scale = ValueOf(t, {{32, 32}, kE8M0});
  EXPECT_THAT(
      t.Deduce("tile.matmul_mx", {ValueOf(t, {{32, 1024}, kE4M3}), scale,
                                  ValueOf(t, {{1024, 32}, kE4M3}), scale}),
      BreaksRule("MX-MATMUL-11", "different tiles"));
}

// ---- tile.tget_scale_addr

struct BindOperand {
  Ints shape;
  DataType dtype;
  std::optional<MemorySpace> space;
  Ints valid = {};
};

struct BindCase {
  std::string name;
  BindOperand scale;
  BindOperand data;
  std::string rule = "";  // Empty: accepted.
  std::string fragment = "";
};

std::ostream& operator<<(std::ostream& out, const BindCase& c) {
  return out << c.name;
}

std::vector<BindCase> BindCases() {
  constexpr MemorySpace kLeft = MemorySpace::kLeft;
  constexpr MemorySpace kRight = MemorySpace::kRight;
  constexpr MemorySpace kLeftScale = MemorySpace::kLeftScale;
  constexpr MemorySpace kRightScale = MemorySpace::kRightScale;
  const BindOperand left_scale = {{16, 2}, kE8M0, kLeftScale};
  const BindOperand left = {{16, 64}, kE4M3, kLeft};
  const BindOperand right_scale = {{2, 32}, kE8M0, kRightScale};
  const BindOperand right = {{64, 32}, kE4M3, kRight};
  const std::string rank = "valid_shape rank (1) must match its tile rank (2)";
  return {
      {"T1_right", right_scale, right},
      {"T1_left", left_scale, left},
      {"T1_narrowed",
       {{16, 2}, kE8M0, kLeftScale, {8, 2}},
       {{16, 64}, kE4M3, kLeft, {8, 48}}},
      {"T2",
       right_scale,
       {{64, 32}, DataType::kFP4, kRight},
       "MX-BIND-2",
       "src dtype FP8E4M3FN"},
      {"T3", left_scale, right, "MX-BIND-4", "LeftScale and src in Right"},
      {"T3_rightScaleWithLeft", right_scale, left, "MX-BIND-4",
       "RightScale and src in Left"},
      {"T3_notAScale",
       {{2, 32}, kE8M0, MemorySpace::kMat},
       right,
       "MX-BIND-4",
       "dst_scale in Mat"},
      {"T4",
       {{2, 32}, DataType::kUInt8, kRightScale},
       right,
       "MX-BIND-1",
       "FP8E8M0"},
      {"T5",
       right_scale,
       {{64, 32}, DataType::kFP16, kRight},
       "MX-BIND-2",
       "src dtype FP8E4M3FN"},
      {"T6",
       {{16, 1}, kE8M0, kLeftScale},
       left,
       "MX-BIND-5",
       "dst_scale physical cols=2"},
      {"T6_validRows",
       left_scale,
       {{16, 64}, kE4M3, kLeft, {8, 64}},
       "MX-BIND-5",
       "dst_scale valid rows=8"},
      {"T7_scale",
       {{2, 32}, kE8M0, {}},
       right,
       "MX-BIND-3",
       "resolved dst_scale and src memory spaces"},
      {"T7_data",
       right_scale,
       {{64, 32}, kE4M3, {}},
       "MX-BIND-3",
       "resolved dst_scale and src memory spaces"},
      {"T8_scale", {{2, 32}, kE8M0, kRightScale, {2}}, right, "MX-OP-5", rank},
      {"T8_data",
       right_scale,
       {{64, 32}, kE4M3, kRight, {64}},
       "MX-OP-5",
       rank},
      {"T9_left",
       {{16, 7}, kE8M0, kLeftScale},
       {{16, kSymbolic}, kE4M3, kLeft}},
      {"T9_leftRows",
       {{32, 7}, kE8M0, kLeftScale},
       {{16, kSymbolic}, kE4M3, kLeft},
       "MX-BIND-5",
       "dst_scale physical rows=16"},
      {"T9_right",
       {{7, 32}, kE8M0, kRightScale},
       {{kSymbolic, 32}, kE4M3, kRight}},
      {"T9_rightCols",
       {{7, 64}, kE8M0, kRightScale},
       {{kSymbolic, 32}, kE4M3, kRight},
       "MX-BIND-5",
       "dst_scale physical cols=32"},
  };
}

const TileType* TypeOf(OpTester& t, const BindOperand& o) {
  return o.valid.empty() ? t.Tile(o.shape, o.dtype, o.space)
                         : t.Tile(o.shape, o.dtype, o.space,
                                  t.ValidView(o.shape, o.space, o.valid));
}

class ScaleAddressTest : public ::testing::TestWithParam<BindCase> {};

TEST_P(ScaleAddressTest, HasTheTypeOfTheScaleTile) {
  OpTester t;
  const TileType* scale = TypeOf(t, GetParam().scale);
  const auto result =
      t.Deduce("tile.tget_scale_addr",
               {t.Value(scale), t.Value(TypeOf(t, GetParam().data))});
  if (GetParam().rule.empty()) {
    EXPECT_THAT(result, IsOkAndHolds(Eq(scale)));
  } else {
    EXPECT_THAT(result, BreaksRule(GetParam().rule, GetParam().fragment));
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, ScaleAddressTest,
                         ::testing::ValuesIn(BindCases()),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace mxtile::ir
