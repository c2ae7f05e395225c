#include "exec/scalar.h"

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status_matchers.h"
#include "exec/value.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/data_type.h"
#include "ir/expr.h"

namespace mxtile::exec {
namespace {

using ir::BinaryOp;
using ir::DataType;
using ir::UnaryOp;
using ::testing::HasSubstr;

constexpr int64_t kMin64 = std::numeric_limits<int64_t>::min();
constexpr int64_t kMax64 = std::numeric_limits<int64_t>::max();
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

constexpr DataType kIntegerTypes[] = {
    DataType::kInt4,   DataType::kInt8,   DataType::kInt16, DataType::kInt32,
    DataType::kInt64,  DataType::kIndex,  DataType::kUInt4, DataType::kUInt8,
    DataType::kUInt16, DataType::kUInt32, DataType::kUInt64};

// A value of each kind, for short tables.
Value I(int64_t v) { return Value(v); }
Value F(double v) { return Value(v); }
Value B(bool v) { return Value(v); }

std::string Text(const Value& value) {
  if (value.is_bool()) return value.AsBool() ? "true" : "false";
  if (value.is_int()) return absl::StrCat(value.AsInt());
  if (!value.is_float()) return "neither number nor bool";
  return std::isnan(value.AsFloat()) ? "nan"
                                     : absl::StrCat("float ", value.AsFloat());
}
// The error's message instead, for an error.
std::string Text(const absl::StatusOr<Value>& value) {
  if (value.ok()) return Text(*value);
  EXPECT_EQ(value.status().code(), absl::StatusCode::kInvalidArgument);
  return absl::StrCat("error: ", value.status().message());
}

// What `value` is modulo 2^bits, in the range of the type, by definition.
__int128 Congruent(__int128 value, DataType type) {
  const __int128 modulus = __int128{1} << ir::BitWidth(type);
  __int128 rest = value % modulus;
  if (rest < 0) rest += modulus;
  if (ir::IsSignedInteger(type) && rest >= modulus / 2) rest -= modulus;
  return rest;
}

// A 64-bit unsigned value travels as the signed one of the same bits.
__int128 Meaning(int64_t value, DataType type) {
  return type == DataType::kUInt64 ? __int128{static_cast<uint64_t>(value)}
                                   : __int128{value};
}

TEST(WrapToWidthTest, KeepsTheLowBits) {
  std::vector<int64_t> values = {kMin64, kMin64 + 1, kMax64, kMax64 - 1};
  for (int64_t v = -70000; v <= 70000; ++v) values.push_back(v);
  for (int bit = 17; bit < 63; ++bit) {
    for (int64_t d = -2; d <= 2; ++d) {
      values.push_back((int64_t{1} << bit) + d);
      values.push_back(-(int64_t{1} << bit) + d);
    }
  }
  for (const DataType type : kIntegerTypes) {
    for (const int64_t v : values) {
      ASSERT_TRUE(Meaning(WrapToWidth(v, type), type) == Congruent(v, type))
          << v << " as " << ir::DataTypeName(type);
    }
  }
}

// ---- Integers

// The quotient rounds towards minus infinity: the one pair with
// a = q*b + r, |r| < |b| and r of b's sign or 0.
void ExpectFloorDivision(int64_t a, int64_t b, DataType type) {
  MX_ASSERT_OK_AND_ASSIGN(const Value q,
                          EvalBinary(BinaryOp::kFloorDiv, I(a), I(b), type));
  MX_ASSERT_OK_AND_ASSIGN(const Value r,
                          EvalBinary(BinaryOp::kFloorMod, I(a), I(b), type));
  const __int128 rest = Meaning(r.AsInt(), type);
  const __int128 divisor = Meaning(b, type);
  ASSERT_TRUE(Congruent(Meaning(q.AsInt(), type) * divisor + rest, type) ==
              Meaning(a, type))
      << a << ", " << b;
  ASSERT_TRUE(rest == 0 || (rest < 0) == (divisor < 0)) << a << ", " << b;
  ASSERT_TRUE((rest < 0 ? -rest : rest) < (divisor < 0 ? -divisor : divisor))
      << a << ", " << b;
}

TEST(IntegerTest, FloorDivisionOnCompleteSmallDomains) {
  for (int64_t a = -128; a <= 127; ++a) {
    for (int64_t b = -128; b <= 127; ++b) {
      if (b != 0) ExpectFloorDivision(a, b, DataType::kInt8);
    }
  }
  for (int64_t a = 0; a <= 255; ++a) {
    for (int64_t b = 1; b <= 255; ++b) {
      ExpectFloorDivision(a, b, DataType::kUInt8);
    }
  }
}

TEST(IntegerTest, FloorDivisionAtTheEnds) {
  for (const DataType type : {DataType::kInt64, DataType::kUInt64}) {
    for (const int64_t a :
         {kMin64, kMin64 + 1, int64_t{-1}, int64_t{0}, int64_t{7}, kMax64}) {
      for (const int64_t b :
           {kMin64, int64_t{-3}, int64_t{-1}, int64_t{1}, int64_t{2}, kMax64}) {
        ExpectFloorDivision(a, b, type);
      }
    }
  }
}

TEST(IntegerTest, RingOperationsWrapAtEveryWidth) {
  const std::vector<int64_t> values = {kMin64, -70000, -129,  -128,  -9, -1,
                                       0,      1,      7,     8,     15, 127,
                                       128,    255,    65535, kMax64};
  for (const DataType type : kIntegerTypes) {
    for (const int64_t raw_a : values) {
      for (const int64_t raw_b : values) {
        const int64_t a = WrapToWidth(raw_a, type);
        const int64_t b = WrapToWidth(raw_b, type);
        const __int128 x = Meaning(a, type);
        const __int128 y = Meaning(b, type);
        // Products of two 64-bit numbers fit 128 bits only when signed, and
        // wrap alike.
        const struct {
          BinaryOp op;
          __int128 exact;
        } kCases[] = {{BinaryOp::kAdd, x + y},
                      {BinaryOp::kSub, x - y},
                      {BinaryOp::kMul, __int128{a} * b},
                      {BinaryOp::kMin, x < y ? x : y},
                      {BinaryOp::kMax, x < y ? y : x}};
        for (const auto& test : kCases) {
          MX_ASSERT_OK_AND_ASSIGN(const Value result,
                                  EvalBinary(test.op, I(a), I(b), type));
          ASSERT_TRUE(Meaning(result.AsInt(), type) ==
                      Congruent(test.exact, type))
              << a << ", " << b << " as " << ir::DataTypeName(type);
        }
        const struct {
          BinaryOp op;
          bool holds;
        } kComparisons[] = {{BinaryOp::kEq, x == y}, {BinaryOp::kNe, x != y},
                            {BinaryOp::kLt, x < y},  {BinaryOp::kLe, x <= y},
                            {BinaryOp::kGt, x > y},  {BinaryOp::kGe, x >= y}};
        for (const auto& test : kComparisons) {
          MX_ASSERT_OK_AND_ASSIGN(const Value result,
                                  EvalBinary(test.op, I(a), I(b), type));
          ASSERT_EQ(result.AsBool(), test.holds)
              << a << ", " << b << " as " << ir::DataTypeName(type);
        }
      }
    }
  }
}

TEST(IntegerTest, PowerWraps) {
  for (int64_t base = -8; base <= 7; ++base) {
    __int128 exact = 1;
    for (int64_t exponent = 0; exponent <= 20; ++exponent) {
      MX_ASSERT_OK_AND_ASSIGN(
          const Value result,
          EvalBinary(BinaryOp::kPow, I(base), I(exponent), DataType::kInt8));
      ASSERT_TRUE(result.AsInt() == Congruent(exact, DataType::kInt8))
          << base << "**" << exponent;
      exact *= base;
    }
  }
}

// A shift by n is a multiplication or a floor division by 2^n.
TEST(IntegerTest, Shifts) {
  for (const DataType type : kIntegerTypes) {
    const int bits = ir::BitWidth(type);
    for (const int64_t raw : {kMin64, int64_t{-77}, int64_t{-1}, int64_t{0},
                              int64_t{5}, int64_t{200}, kMax64}) {
      const int64_t a = WrapToWidth(raw, type);
      for (int count = 0; count < bits; ++count) {
        MX_ASSERT_OK_AND_ASSIGN(
            const Value left,
            EvalBinary(BinaryOp::kShiftL, I(a), I(count), type));
        MX_ASSERT_OK_AND_ASSIGN(
            const Value right,
            EvalBinary(BinaryOp::kShiftR, I(a), I(count), type));
        const __int128 power = __int128{1} << count;
        const __int128 x = Meaning(a, type);
        const __int128 quotient = x / power - (x % power < 0 ? 1 : 0);
        ASSERT_TRUE(Meaning(left.AsInt(), type) ==
                    Congruent(__int128{a} * power, type))
            << a << " << " << count << " as " << ir::DataTypeName(type);
        ASSERT_TRUE(Meaning(right.AsInt(), type) == quotient)
            << a << " >> " << count << " as " << ir::DataTypeName(type);
      }
      for (const int64_t count : {int64_t{-1}, int64_t{bits}, kMin64, kMax64}) {
        for (const BinaryOp op : {BinaryOp::kShiftL, BinaryOp::kShiftR}) {
          EXPECT_EQ(Text(EvalBinary(op, I(a), I(count), type)),
                    absl::StrCat("error: shift of ", ir::DataTypeName(type),
                                 " by ", count));
        }
      }
    }
  }
}

TEST(IntegerTest, BitsAndUnary) {
  for (int64_t a = -128; a <= 127; ++a) {
    const auto unary = [&](UnaryOp op) {
      return Text(EvalUnary(op, I(a), DataType::kInt8));
    };
    // -(-128) and abs(-128) do not fit and wrap to themselves.
    EXPECT_EQ(unary(UnaryOp::kNeg), absl::StrCat(a == -128 ? a : -a));
    EXPECT_EQ(unary(UnaryOp::kAbs), absl::StrCat(a == -128 ? a : std::abs(a)));
    EXPECT_EQ(unary(UnaryOp::kBitNot), absl::StrCat(-a - 1));
    EXPECT_EQ(unary(UnaryOp::kNot), a == 0 ? "true" : "false");
    for (const int64_t b : {-128, -1, 0, 0x55, 127}) {
      const auto binary = [&](BinaryOp op) {
        return Text(EvalBinary(op, I(a), I(b), DataType::kInt8));
      };
      EXPECT_EQ(binary(BinaryOp::kBitAnd), absl::StrCat(a & b));
      EXPECT_EQ(binary(BinaryOp::kBitOr), absl::StrCat(a | b));
      EXPECT_EQ(binary(BinaryOp::kBitXor), absl::StrCat(a ^ b));
    }
  }
  // Unsigned: the largest value is not below zero.
  EXPECT_EQ(Text(EvalUnary(UnaryOp::kAbs, I(-1), DataType::kUInt64)), "-1");
  EXPECT_EQ(Text(EvalUnary(UnaryOp::kNeg, I(1), DataType::kUInt8)), "255");
  EXPECT_EQ(Text(EvalUnary(UnaryOp::kBitNot, I(0), DataType::kUInt16)),
            "65535");
}

// ---- Other kinds, and errors

struct BinaryCase {
  BinaryOp op;
  Value lhs;
  Value rhs;
  DataType type;
  std::string want;
};

TEST(BinaryTest, Table) {
  const DataType kIdx = DataType::kIndex;
  const DataType kF32 = DataType::kFP32;
  const DataType kBool = DataType::kBool;
  const std::string kNotForBool =
      "error: this operator is not defined for booleans";
  const std::vector<BinaryCase> cases = {
      {BinaryOp::kFloatDiv, I(7), I(2), kIdx, "float 3.5"},
      {BinaryOp::kFloatDiv, I(-1), I(1), DataType::kUInt64,
       absl::StrCat("float ", 18446744073709551615.0)},
      {BinaryOp::kAdd, F(0.5), F(2), kF32, "float 2.5"},
      {BinaryOp::kSub, F(0.5), I(2), kF32, "float -1.5"},
      {BinaryOp::kMul, I(3), F(0.5), kF32, "float 1.5"},
      {BinaryOp::kFloatDiv, F(1), F(0), kF32, "float inf"},
      {BinaryOp::kFloorDiv, F(-7), F(2), kF32, "float -4"},
      {BinaryOp::kMin, F(-7), F(2), kF32, "float -7"},
      {BinaryOp::kMax, F(-7), F(2), kF32, "float 2"},
      {BinaryOp::kPow, F(2), F(-1), kF32, "float 0.5"},
      {BinaryOp::kLt, F(1), F(2), kF32, "true"},
      {BinaryOp::kGe, F(1), F(2), kF32, "false"},
      // NaN is unequal to all and unordered.
      {BinaryOp::kEq, F(kNaN), F(kNaN), kF32, "false"},
      {BinaryOp::kNe, F(kNaN), F(kNaN), kF32, "true"},
      {BinaryOp::kLe, F(kNaN), F(1), kF32, "false"},
      {BinaryOp::kGt, F(kNaN), F(1), kF32, "false"},
      {BinaryOp::kGe, F(1), F(kNaN), kF32, "false"},
      {BinaryOp::kAnd, B(true), B(false), kBool, "false"},
      {BinaryOp::kOr, B(true), B(false), kBool, "true"},
      {BinaryOp::kXor, B(true), B(true), kBool, "false"},
      {BinaryOp::kBitXor, B(true), B(false), kBool, "true"},
      {BinaryOp::kEq, B(false), B(false), kBool, "true"},
      {BinaryOp::kNe, B(false), B(false), kBool, "false"},

      {BinaryOp::kFloorDiv, I(1), I(0), kIdx, "error: division by zero"},
      {BinaryOp::kFloorMod, I(1), I(0), kIdx, "error: division by zero"},
      {BinaryOp::kFloatDiv, I(1), I(0), kIdx, "error: division by zero"},
      {BinaryOp::kFloorDiv, I(1), I(0), DataType::kUInt64,
       "error: division by zero"},
      {BinaryOp::kPow, I(2), I(-1), kIdx,
       "error: negative exponent of an integer power"},
      {BinaryOp::kAnd, I(1), I(1), kIdx,
       "error: this operator is not defined for integers"},
      {BinaryOp::kFloorMod, F(1), F(1), kF32,
       "error: this operator is not defined for floating point"},
      {BinaryOp::kShiftL, F(1), I(1), kF32,
       "error: this operator is not defined for floating point"},
      {BinaryOp::kAdd, B(true), B(true), kBool, kNotForBool},
      {BinaryOp::kLt, B(true), B(true), kBool, kNotForBool},
      {BinaryOp::kAdd, B(true), I(1), kBool,
       "error: operands of different kinds"},
      {BinaryOp::kAdd, Value(), I(1), kIdx,
       "error: operands of different kinds"},
  };
  for (size_t i = 0; i < cases.size(); ++i) {
    const BinaryCase& c = cases[i];
    EXPECT_EQ(Text(EvalBinary(c.op, c.lhs, c.rhs, c.type)), c.want)
        << "case " << i << ": " << Text(c.lhs) << ", " << Text(c.rhs);
  }
}

TEST(UnaryTest, Table) {
  const struct {
    UnaryOp op;
    Value operand;
    std::string want;
  } kCases[] = {
      {UnaryOp::kNot, B(true), "false"},
      {UnaryOp::kNot, B(false), "true"},
      {UnaryOp::kAbs, F(-1.5), "float 1.5"},
      {UnaryOp::kNeg, F(1.5), "float -1.5"},
      {UnaryOp::kNot, F(1.5), "error: operator and operand do not fit"},
      {UnaryOp::kBitNot, F(1.5), "error: operator and operand do not fit"},
      {UnaryOp::kNeg, B(true), "error: operator and operand do not fit"},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(Text(EvalUnary(c.op, c.operand, DataType::kFP32)), c.want)
        << Text(c.operand);
  }
}

TEST(CastTest, Table) {
  const DataType kF32 = DataType::kFP32;
  const struct {
    Value operand;
    DataType from;
    DataType to;
    std::string want;
  } kCases[] = {
      {I(300), DataType::kIndex, DataType::kInt8, "44"},
      {I(-1), DataType::kIndex, DataType::kUInt16, "65535"},
      {B(true), DataType::kBool, DataType::kIndex, "1"},
      {B(true), DataType::kBool, kF32, "float 1"},
      {I(2), DataType::kIndex, DataType::kBool, "true"},
      {F(0), kF32, DataType::kBool, "false"},
      {B(false), DataType::kBool, DataType::kBool, "false"},
      {I(3), DataType::kIndex, kF32, "float 3"},
      {I(-1), DataType::kUInt64, kF32,
       absl::StrCat("float ", 18446744073709551615.0)},
      {F(1.5), kF32, DataType::kFP16, "float 1.5"},
      // Truncates, and has to fit.
      {F(2.9), kF32, DataType::kIndex, "2"},
      {F(-2.9), kF32, DataType::kIndex, "-2"},
      {F(-0.9), kF32, DataType::kUInt8, "0"},
      {F(127.9), kF32, DataType::kInt8, "127"},
      {F(-128.9), kF32, DataType::kInt8, "-128"},
      {F(128), kF32, DataType::kInt8, "error: cast of 128 to INT8"},
      {F(-129), kF32, DataType::kInt8, "error: cast of -129 to INT8"},
      {F(-1), kF32, DataType::kUInt8, "error: cast of -1 to UINT8"},
      {F(256), kF32, DataType::kUInt8, "error: cast of 256 to UINT8"},
      {F(-0x1p63), kF32, DataType::kInt64, absl::StrCat(kMin64)},
      {F(0x1p63), kF32, DataType::kUInt64, absl::StrCat(kMin64)},
      {F(kNaN), kF32, DataType::kInt32, "error: cast of nan to INT32"},
      {F(kInf), kF32, DataType::kInt64, "error: cast of inf to INT64"},
      {F(-kInf), kF32, DataType::kUInt64, "error: cast of -inf to UINT64"},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(Text(EvalCast(c.operand, c.from, c.to)), c.want)
        << Text(c.operand) << " to " << ir::DataTypeName(c.to);
  }
  for (const DataType type : {DataType::kInt64, DataType::kIndex}) {
    EXPECT_THAT(Text(EvalCast(F(0x1p63), kF32, type)), HasSubstr("error"));
  }
  EXPECT_THAT(Text(EvalCast(F(0x1p64), kF32, DataType::kUInt64)),
              HasSubstr("error"));
}

}  // namespace
}  // namespace mxtile::exec
