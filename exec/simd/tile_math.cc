#include "exec/simd/tile_math.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/base/casts.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "exec/simd/element_type.h"
#include "exec/simd/tile_program.h"
#include "numerics/element_format.h"
#include "numerics/exp.h"
#include "numerics/float_bits.h"
#include "numerics/overflow.h"
#include "numerics/scaled_element.h"

namespace mxtile::exec::simd {
namespace {

// ---- elements

float Maximum(float a, float b) {
  if (std::isnan(a)) return a;
  if (std::isnan(b)) return b;
  return a >= b ? a : b;
}

float Minimum(float a, float b) {
  if (std::isnan(a)) return a;
  if (std::isnan(b)) return b;
  return a <= b ? a : b;
}

float OfFloat(UnaryKind kind, float x) {
  switch (kind) {
    case UnaryKind::kNeg:
      return -x;
    case UnaryKind::kAbs:
      return std::fabs(x);
    case UnaryKind::kExp:
      return Exp(x);
    case UnaryKind::kSqrt:
      return std::sqrt(x);
    case UnaryKind::kRsqrt:
      return 1.0f / std::sqrt(x);
    case UnaryKind::kRecip:
      return 1.0f / x;
    case UnaryKind::kRelu:
      return x < 0 ? 0.0f : x;
    case UnaryKind::kNot:
      break;
  }
  MX_CHECK(false) << "no operation of floats";
  return 0;
}

float OfFloats(BinaryKind kind, float a, float b) {
  switch (kind) {
    case BinaryKind::kAdd:
      return a + b;
    case BinaryKind::kSub:
      return a - b;
    case BinaryKind::kMul:
      return a * b;
    case BinaryKind::kMax:
      return Maximum(a, b);
    case BinaryKind::kMin:
      return Minimum(a, b);
    case BinaryKind::kDiv:
      return a / b;
    default:
      MX_CHECK(false) << "no operation of floats to a float";
      return 0;
  }
}

int64_t OfIntegers(BinaryKind kind, int64_t a, int64_t b) {
  // Unsigned arithmetic wraps.
  const uint64_t x = static_cast<uint64_t>(a);
  const uint64_t y = static_cast<uint64_t>(b);
  switch (kind) {
    case BinaryKind::kAdd:
      return static_cast<int64_t>(x + y);
    case BinaryKind::kSub:
      return static_cast<int64_t>(x - y);
    case BinaryKind::kMul:
      return static_cast<int64_t>(x * y);
    case BinaryKind::kMax:
      return std::max(a, b);
    case BinaryKind::kMin:
      return std::min(a, b);
    case BinaryKind::kFloorDiv:
      return a / b - (a % b < 0 ? 1 : 0);
    case BinaryKind::kMod:
      return a % b + (a % b < 0 ? b : 0);
    case BinaryKind::kAnd:
      return a & b;
    case BinaryKind::kOr:
      return a | b;
    default:
      MX_CHECK(false) << "no operation of integers to an integer";
      return 0;
  }
}

template <typename T>
bool Compare(BinaryKind kind, T a, T b) {
  switch (kind) {
    case BinaryKind::kLt:
      return a < b;
    case BinaryKind::kLe:
      return a <= b;
    case BinaryKind::kGt:
      return a > b;
    case BinaryKind::kGe:
      return a >= b;
    case BinaryKind::kEq:
      return a == b;
    case BinaryKind::kNe:
      return a != b;
    default:
      MX_CHECK(false) << "no comparison";
      return false;
  }
}

bool IsComparison(BinaryKind kind) {
  return kind >= BinaryKind::kLt && kind <= BinaryKind::kNe;
}

// ---- whole tiles

class Evaluation {
 public:
  Evaluation(const TileProgram& program, const Op& op,
             absl::Span<const TileValue* const> operands,
             absl::optional<int64_t> limit)
      : program_(program), op_(op), operands_(operands), limit_(limit) {
    const Value& result = program.values[op.results[0]];
    result_.type = result.type;
    result_.space = result.space;
    volume_ = program.Volume(result.space);
    if (result.type == ElementType::kF32) {
      result_.floats.resize(volume_);
    } else {
      result_.integers.resize(volume_);
    }
  }

  TileValue Run() && {
    switch (op_.kind) {
      case OpKind::kConstant:
        Constant();
        break;
      case OpKind::kIota:
        for (int64_t i = 0; i < volume_; ++i) result_.integers[i] = i;
        break;
      case OpKind::kUnary:
        Unary();
        break;
      case OpKind::kBinary:
        Binary();
        break;
      case OpKind::kSelect:
        Select();
        break;
      case OpKind::kCast:
        Cast();
        break;
      case OpKind::kBroadcast:
        CopyFrom(*operands_[0], OffsetsOf(*operands_[0]));
        break;
      case OpKind::kRelabel:
        result_.floats = operands_[0]->floats;
        result_.integers = operands_[0]->integers;
        break;
      case OpKind::kExtract:
        Extract();
        break;
      case OpKind::kReduce:
        Reduce();
        break;
      case OpKind::kContract:
        Contract();
        break;
      case OpKind::kMxContract:
        MxContract();
        break;
      default:
        MX_CHECK(false) << "an operation with effects";
    }
    return std::move(result_);
  }

 private:
  // Where the operand's elements are for each element of the result.
  std::vector<int64_t> OffsetsOf(const TileValue& operand) const {
    return Offsets(program_, result_.space, operand.space);
  }

  // How many elements along the dimension take part.
  int64_t CountAlong(DimId dim) const {
    const int64_t extent = program_.Extent(dim);
    if (!limit_.has_value()) return extent;
    return std::min(std::max<int64_t>(*limit_, 0), extent);
  }

  void CopyFrom(const TileValue& from, const std::vector<int64_t>& offsets) {
    for (int64_t i = 0; i < volume_; ++i) {
      if (result_.type == ElementType::kF32) {
        result_.floats[i] = from.floats[offsets[i]];
      } else {
        result_.integers[i] = from.integers[offsets[i]];
      }
    }
  }

  void Constant() {
    if (result_.type == ElementType::kF32) {
      result_.floats[0] = static_cast<float>(op_.constant);
    } else {
      result_.integers[0] = op_.integer;
    }
  }

  void Unary() {
    const TileValue& x = *operands_[0];
    for (int64_t i = 0; i < volume_; ++i) {
      if (op_.unary == UnaryKind::kNot) {
        result_.integers[i] = 1 - x.integers[i];
      } else {
        result_.floats[i] = OfFloat(op_.unary, x.floats[i]);
      }
    }
  }

  void Binary() {
    const TileValue& a = *operands_[0];
    const TileValue& b = *operands_[1];
    const bool floats = a.type == ElementType::kF32;
    const std::vector<int64_t> at_a = OffsetsOf(a);
    const std::vector<int64_t> at_b = OffsetsOf(b);
    for (int64_t i = 0; i < volume_; ++i) {
      if (IsComparison(op_.binary)) {
        result_.integers[i] =
            floats
                ? Compare(op_.binary, a.floats[at_a[i]], b.floats[at_b[i]])
                : Compare(op_.binary, a.integers[at_a[i]], b.integers[at_b[i]]);
      } else if (floats) {
        result_.floats[i] =
            OfFloats(op_.binary, a.floats[at_a[i]], b.floats[at_b[i]]);
      } else {
        result_.integers[i] =
            OfIntegers(op_.binary, a.integers[at_a[i]], b.integers[at_b[i]]);
      }
    }
  }

  void Select() {
    const std::vector<int64_t> at = OffsetsOf(*operands_[0]);
    const std::vector<int64_t> at_then = OffsetsOf(*operands_[1]);
    const std::vector<int64_t> at_otherwise = OffsetsOf(*operands_[2]);
    for (int64_t i = 0; i < volume_; ++i) {
      const bool then = operands_[0]->integers[at[i]] != 0;
      const TileValue& from = *operands_[then ? 1 : 2];
      const int64_t offset = then ? at_then[i] : at_otherwise[i];
      if (result_.type == ElementType::kF32) {
        result_.floats[i] = from.floats[offset];
      } else {
        result_.integers[i] = from.integers[offset];
      }
    }
  }

  static std::vector<float> AsFloats(const TileValue& x) {
    if (x.type == ElementType::kF32) return x.floats;
    std::vector<float> floats;
    for (const int64_t element : x.integers) {
      floats.push_back(
          x.type == ElementType::kIndex
              ? static_cast<float>(element)
              : Decode(*FormatOf(x.type), static_cast<uint32_t>(element)));
    }
    return floats;
  }

  void Cast() {
    const std::vector<float> floats = AsFloats(*operands_[0]);
    if (result_.type == ElementType::kF32) {
      result_.floats = floats;
      return;
    }
    for (int64_t i = 0; i < volume_; ++i) {
      result_.integers[i] =
          Encode(*FormatOf(result_.type), floats[i], Overflow::kSpecial);
    }
  }

  void Extract() {
    const TileValue& x = *operands_[0];
    int64_t first = 0;
    for (size_t i = 0; i < op_.dims.size(); ++i) {
      const int64_t last = program_.Extent(op_.dims[i]) - 1;
      const int64_t index = operands_[1 + i]->integers[0];
      const std::vector<int64_t> along =
          Offsets(program_, {op_.dims[i]}, x.space);
      first += along[std::min(std::max<int64_t>(index, 0), last)];
    }
    std::vector<int64_t> offsets = OffsetsOf(x);
    for (int64_t& offset : offsets) offset += first;
    CopyFrom(x, offsets);
  }

  void Reduce() {
    const TileValue& x = *operands_[0];
    const std::vector<int64_t> at = OffsetsOf(x);
    const std::vector<int64_t> along =
        Offsets(program_, {op_.dims[0]}, x.space);
    for (int64_t i = 0; i < volume_; ++i) {
      float acc = x.floats[at[i]];
      for (int64_t k = 1; k < CountAlong(op_.dims[0]); ++k) {
        const float element = x.floats[at[i] + along[k]];
        switch (op_.reduce) {
          case ReduceKind::kSum:
            acc = acc + element;
            break;
          case ReduceKind::kMax:
            acc = Maximum(acc, element);
            break;
          case ReduceKind::kMin:
            acc = Minimum(acc, element);
            break;
        }
      }
      result_.floats[i] = acc;
    }
  }

  void Contract() {
    const TileValue& seed = *operands_[2];
    const std::vector<float> lhs = AsFloats(*operands_[0]);
    const std::vector<float> rhs = AsFloats(*operands_[1]);
    const std::vector<int64_t> at_lhs = OffsetsOf(*operands_[0]);
    const std::vector<int64_t> at_rhs = OffsetsOf(*operands_[1]);
    const std::vector<int64_t> along_lhs =
        Offsets(program_, op_.dims, operands_[0]->space);
    const std::vector<int64_t> along_rhs =
        Offsets(program_, op_.dims, operands_[1]->space);
    const int64_t count = limit_.has_value() ? CountAlong(op_.dims[0])
                                             : program_.Volume(op_.dims);
    for (int64_t i = 0; i < volume_; ++i) {
      float acc = seed.floats[i];
      for (int64_t k = 0; k < count; ++k) {
        const float product =
            lhs[at_lhs[i] + along_lhs[k]] * rhs[at_rhs[i] + along_rhs[k]];
        acc = acc + product;
      }
      result_.floats[i] = acc;
    }
  }

  // Element times scale, which a double holds exactly.
  static double Scaled(const TileValue& x, int64_t offset,
                       const TileValue& scale, int64_t scale_offset) {
    return DecodeScaled(*FormatOf(x.type),
                        static_cast<uint8_t>(x.integers[offset]),
                        static_cast<uint8_t>(scale.integers[scale_offset]));
  }

  void MxContract() {
    const int64_t k_count = CountAlong(op_.dims[0]);
    std::vector<int64_t> at[4];     // by result
    std::vector<int64_t> along[4];  // by k
    for (int o = 0; o < 4; ++o) {
      const bool is_scale = o % 2 == 1;
      at[o] = OffsetsOf(*operands_[o]);
      along[o] =
          Offsets(program_, {op_.dims[is_scale ? 1 : 0]}, operands_[o]->space);
    }
    for (int64_t i = 0; i < volume_; ++i) {
      float acc = operands_[4]->floats[i];
      for (int64_t k = 0; k < k_count; ++k) {
        const int64_t group = k / kMxGroup;
        const double a = Scaled(*operands_[0], at[0][i] + along[0][k],
                                *operands_[1], at[1][i] + along[1][group]);
        const double b = Scaled(*operands_[2], at[2][i] + along[2][k],
                                *operands_[3], at[3][i] + along[3][group]);
        acc = static_cast<float>(static_cast<double>(acc) + a * b);
      }
      result_.floats[i] =
          std::isnan(acc) ? absl::bit_cast<float>(kFloatQuietNanBits) : acc;
    }
  }

  const TileProgram& program_;
  const Op& op_;
  const absl::Span<const TileValue* const> operands_;
  const absl::optional<int64_t> limit_;
  TileValue result_;
  int64_t volume_ = 0;
};

}  // namespace

TileValue IndexScalar(int64_t value) {
  TileValue scalar;
  scalar.type = ElementType::kIndex;
  scalar.integers = {value};
  return scalar;
}

std::vector<int64_t> Offsets(const TileProgram& program, const Space& over,
                             const Space& in) {
  std::vector<int64_t> offsets = {0};
  for (const DimId dim : over) {
    int64_t stride = 0;
    int64_t inner = 1;
    for (auto it = in.rbegin(); it != in.rend(); ++it) {
      if (*it == dim) stride = inner;
      inner *= program.Extent(*it);
    }
    std::vector<int64_t> outer = std::move(offsets);
    offsets.clear();
    for (const int64_t first : outer) {
      for (int64_t i = 0; i < program.Extent(dim); ++i) {
        offsets.push_back(first + i * stride);
      }
    }
  }
  return offsets;
}

TileValue Evaluate(const TileProgram& program, const Op& op,
                   absl::Span<const TileValue* const> operands,
                   absl::optional<int64_t> limit) {
  return Evaluation(program, op, operands, limit).Run();
}

}  // namespace mxtile::exec::simd
