// Quantise, then multiply, as one core does it: floats in GM, TQUANT and TMOV
// in UB, through Mat into L0, MMAD_MX, back to GM. The result is that of
// kernels/reference, bit for bit, and near the product of the dequantised
// operands in float64.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "a5_model/machine.h"
#include "a5_model/memory.h"
#include "a5_model/soc/soc.h"
#include "a5_model/ub_copy.h"
#include "a5_model/vector/ub_checker.h"
#include "a5_model/vector/vector_unit.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/types/span.h"
#include "base/int_math.h"
#include "base/status_macros.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "kernels/a5/gm_tensor.h"
#include "kernels/a5/matmul_mx.h"
#include "kernels/a5/move.h"
#include "kernels/a5/store.h"
#include "kernels/a5/tile.h"
#include "kernels/a5/tmov_vector.h"
#include "kernels/a5/tquant.h"
#include "kernels/a5/ub_test_util.h"
#include "kernels/a5/ub_tile.h"
#include "kernels/group_axis.h"
#include "kernels/mx_quant_alg.h"
#include "kernels/reference/matmul_mx.h"
#include "kernels/reference/tile_test_util.h"
#include "kernels/reference/tquant.h"
#include "kernels/tile_layout.h"
#include "kernels/tile_view.h"
#include "kernels/tquant_options.h"
#include "numerics/element_format.h"
#include "numerics/scale_rule.h"

namespace mxtile {
namespace a5 {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr ElementFormat kF32 = ElementFormat::kF32;
constexpr ElementFormat kE4M3 = ElementFormat::kF8E4M3FN;
constexpr ElementFormat kE8M0 = ElementFormat::kF8E8M0FNU;

constexpr int64_t kM = 48;
constexpr int64_t kK = 128;
constexpr int64_t kN = 80;
constexpr int64_t kG = kK / 32;

// Away from 0, and the two sides at different places.
constexpr uint64_t kLeftAddress = 0x4000;
constexpr uint64_t kRightAddress = 0x2200;
constexpr uint64_t kAccAddress = 0x800;

struct Flow {
  std::string name;
  // The operand that is quantised, and how it lies in GM: along its rows K (ND)
  // or down its columns (DN).
  bool left;
  GroupAxis axis;
  MxQuantAlg alg;

  int64_t lines() const { return left ? kM : kN; }
  bool nd() const { return axis == GroupAxis::kAxis1; }
  // The source: [lines, K] or [K, lines].
  int64_t rows() const { return nd() ? lines() : kK; }
  int64_t cols() const { return nd() ? kK : lines(); }
};

// The quantised operand Q as logical [M, K] or [K, N] codes with scales
// [M, G] or [G, N], and the other operand.
struct Operands {
  std::vector<uint32_t> a, sa, b, sb;
};

std::vector<uint32_t> Transposed(const std::vector<uint32_t>& values,
                                 int64_t rows, int64_t cols) {
  std::vector<uint32_t> transposed;
  for (int64_t col = 0; col < cols; ++col) {
    for (int64_t row = 0; row < rows; ++row) {
      transposed.push_back(values[row * cols + col]);
    }
  }
  return transposed;
}

TileType SourceType(const Flow& flow) {
  return {kF32, RoundUp(flow.rows(), 32), RoundUp(flow.cols(), 32), flow.rows(),
          flow.cols()};
}

TileType Like(TileType type, ElementFormat format) {
  type.format = format;
  return type;
}

TileType ExpType(const Flow& flow) {
  // Rows of whole blocks, as the vector unit wants them.
  TileType type = flow.nd() ? FullTile(kE8M0, flow.lines(), kG)
                            : FullTile(kE8M0, kG, flow.lines());
  type.pitch = RoundUp(type.cols, 32);
  return type;
}

TileType ScratchType(const Flow& flow) {
  TileType type = Like(ExpType(flow), kF32);
  return type;
}

// What kernels/reference makes of the source.
void QuantizeByReference(const Flow& flow, const TestTile& source,
                         Operands* operands) {
  TestTile codes(Like(SourceType(flow), kE4M3));
  TestTile exp(ExpType(flow)), max(ScratchType(flow)),
      scaling(ScratchType(flow));
  ASSERT_THAT(mxtile::TQuant({flow.axis, RuleOf(flow.alg), FormatOf(flow.alg)},
                             {codes.view(), source.const_view(), exp.view(),
                              max.view(), scaling.view()}),
              IsOk());
  // K is the second axis of A and the first of B.
  const bool as_it_is = flow.left == flow.nd();
  std::vector<uint32_t> q = codes.Codes();
  std::vector<uint32_t> s = exp.Codes();
  if (!as_it_is) {
    q = Transposed(q, flow.rows(), flow.cols());
    s = Transposed(s, exp.type().rows, exp.type().cols);
  }
  (flow.left ? operands->a : operands->b) = q;
  (flow.left ? operands->sa : operands->sb) = s;
}

std::vector<float> Multiplied(const Operands& o) {
  const TestTile a = TestTile::OfCodes(FullTile(kE4M3, kM, kK), o.a);
  const TestTile sa = TestTile::OfCodes(FullTile(kE8M0, kM, kG), o.sa);
  const TestTile b = TestTile::OfCodes(FullTile(kE4M3, kK, kN), o.b);
  const TestTile sb = TestTile::OfCodes(FullTile(kE8M0, kG, kN), o.sb);
  TestTile c(FullTile(kF32, kM, kN));
  EXPECT_THAT(MatmulMx({c.view(),
                        a.const_view(),
                        sa.const_view(),
                        b.const_view(),
                        sb.const_view(),
                        {},
                        {}},
                       {}),
              IsOk());
  return c.Values();
}

// ---- on the model

// The parts of a run; a test can change what lies in Mat before it multiplies.
class ModelFlow {
 public:
  explicit ModelFlow(const Flow& flow)
      : flow_(flow), unit_(machine_), arena_(machine_, unit_) {}

  // Floats in GM to NZ codes and boxes of scales in Mat.
  absl::Status Quantize(const TestTile& source, bool with_barrier = true) {
    const TileType type = SourceType(flow_);
    const UbTile src = arena_.Place("src", type);
    const UbTile dst = arena_.Place("dst", Like(type, kE4M3));
    const UbTile exp = arena_.Place("exp", ExpType(flow_));
    const UbTile max = arena_.Place("max", ScratchType(flow_));
    const UbTile scaling = arena_.Place("scaling", ScratchType(flow_));
    TileType nz_type = Like(type, kE4M3);
    nz_type.layout = TileLayout::kNz;
    const UbTile nz = arena_.Place("nz", nz_type);
    const UbTile zz =
        arena_.Place("zz", FullTile(kE8M0, flow_.lines(), kG, TileLayout::kZz));
    MX_RETURN_IF_ERROR(Load(source, src));
    MX_RETURN_IF_ERROR(
        TQuant(unit_, {flow_.axis, RuleOf(flow_.alg), FormatOf(flow_.alg)},
               {dst, src, {exp}, {max}, {scaling}}));
    if (with_barrier) unit_.MemBar(Barrier::kVstVld);
    MX_RETURN_IF_ERROR(TMovNdToNz(unit_, nz, dst));
    if (flow_.nd()) {
      const UbTile tmp = arena_.Place(
          "tmp", FullTile(kE4M3, 1, TmpBytesForZz(zz.type, exp.type)));
      MX_RETURN_IF_ERROR(TMovNdToZz(unit_, zz, exp, tmp));
    } else {
      MX_RETURN_IF_ERROR(TMovDnToZz(unit_, zz, exp));
    }
    MX_RETURN_IF_ERROR(unit_.Finish());
    arena_.ExpectGuardsUntouched();
    MX_RETURN_IF_ERROR(ToMat(nz, kQuantizedMat));
    return ToMat(zz, kQuantizedScaleMat);
  }

  // The other operand, made on the host: NZ or ZN codes and boxes of scales.
  void PutOther(const Operands& o) {
    TestTile codes =
        flow_.left
            ? TestTile::OfCodes(FullTile(kE4M3, kK, kN, TileLayout::kZn), o.b)
            : TestTile::OfCodes(FullTile(kE4M3, kM, kK, TileLayout::kNz), o.a);
    TestTile scales =
        flow_.left
            ? TestTile::OfCodes(FullTile(kE8M0, kG, kN, TileLayout::kNn), o.sb)
            : TestTile::OfCodes(FullTile(kE8M0, kM, kG, TileLayout::kZz), o.sa);
    Memory& mat = machine_.memory(MemorySpace::kMat);
    mat.Poke(kOtherMat, codes.bytes());
    mat.Poke(kOtherScaleMat, scales.bytes());
  }

  absl::StatusOr<std::vector<float>> Multiply(bool row_major_scales = false) {
    Sides mat = MatTiles();
    if (row_major_scales) mat.left_scale.layout = TileLayout::kNd;
    const MatmulMxOperands l0 = L0Tiles();
    MX_RETURN_IF_ERROR(TMovToLeft(machine_, mat.left, l0.left));
    MX_RETURN_IF_ERROR(
        TMovToLeftScale(machine_, mat.left_scale, l0.left_scale));
    MX_RETURN_IF_ERROR(TMovToRight(machine_, mat.right, l0.right));
    MX_RETURN_IF_ERROR(
        TMovToRightScale(machine_, mat.right_scale, l0.right_scale));
    const Tile acc = {MemorySpace::kAcc,
                      kAccAddress,
                      RoundUp(kM, 16),
                      RoundUp(kN, 16),
                      kM,
                      kN,
                      kF32,
                      TileLayout::kNz};
    MX_RETURN_IF_ERROR(TMatmulMx(machine_, acc, l0));
    const GmTensor c = {
        machine_.AllocateGm("c", kM * kN * 4), kF32, {kM, kN}, {kN, 1}};
    MX_RETURN_IF_ERROR(TStoreAcc(machine_, acc, c, {{0, 0}, {kM, kN}}));
    MX_ASSIGN_OR_RETURN(const std::vector<uint8_t> bytes,
                        machine_.ReadGm(c.address, kM * kN * 4));
    std::vector<float> values(kM * kN);
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }

  Machine& machine() { return machine_; }

 private:
  static constexpr uint64_t kQuantizedMat = 0x0;
  static constexpr uint64_t kQuantizedScaleMat = 0x10000;
  static constexpr uint64_t kOtherMat = 0x20000;
  static constexpr uint64_t kOtherScaleMat = 0x30000;

  struct Sides {
    Tile left, left_scale, right, right_scale;
  };

  absl::Status Load(const TestTile& source, const UbTile& to) {
    const std::vector<uint8_t>& bytes = source.bytes();
    const uint64_t gm = machine_.AllocateGm("x", bytes.size());
    MX_RETURN_IF_ERROR(machine_.WriteGm(gm, bytes));
    const int64_t pitch = ElementsToBytes(to.type, RowPitch(to.type));
    return CopyGmToUb(
        machine_, {gm, to.address, to.type.valid_rows,
                   ElementsToBytes(to.type, to.type.valid_cols), pitch, pitch});
  }

  absl::Status ToMat(const UbTile& from, uint64_t to) {
    MX_ASSIGN_OR_RETURN(const int64_t bytes, mxtile::TileBytes(from.type));
    return CopyUbToMat(machine_, {from.address, to, bytes / 32, 32, 32, 32});
  }

  // The NZ of Q [rows, cols] is the ZN of its transpose, and the ZZ of [lines,
  // G] the NN of [G, lines].
  Sides MatTiles() const {
    const auto data = [](uint64_t address, int64_t rows, int64_t cols,
                         int64_t valid_rows, int64_t valid_cols,
                         TileLayout layout) {
      return Tile{MemorySpace::kMat, address,    rows,  cols,
                  valid_rows,        valid_cols, kE4M3, layout};
    };
    const auto scale = [](uint64_t address, bool left) {
      return left ? Tile{MemorySpace::kMat,
                         address,
                         RoundUp(kM, 16),
                         kG,
                         kM,
                         kG,
                         kE8M0,
                         TileLayout::kZz}
                  : Tile{MemorySpace::kMat,
                         address,
                         kG,
                         RoundUp(kN, 16),
                         kG,
                         kN,
                         kE8M0,
                         TileLayout::kNn};
    };
    const int64_t m = RoundUp(kM, 32);
    const int64_t n = RoundUp(kN, 32);
    const TileLayout as_it_is =
        flow_.left == flow_.nd() ? TileLayout::kNz : TileLayout::kZn;
    Sides sides;
    if (flow_.left) {
      sides.left = data(kQuantizedMat, m, kK, kM, kK, as_it_is);
      sides.right =
          data(kOtherMat, kK, RoundUp(kN, 16), kK, kN, TileLayout::kZn);
    } else {
      sides.left =
          data(kOtherMat, RoundUp(kM, 16), kK, kM, kK, TileLayout::kNz);
      sides.right = data(kQuantizedMat, kK, n, kK, kN, as_it_is);
    }
    sides.left_scale =
        scale(flow_.left ? kQuantizedScaleMat : kOtherScaleMat, true);
    sides.right_scale =
        scale(flow_.left ? kOtherScaleMat : kQuantizedScaleMat, false);
    return sides;
  }

  static MatmulMxOperands L0Tiles() {
    const int64_t m = RoundUp(kM, 32);
    const int64_t n = RoundUp(kN, 32);
    return {{MemorySpace::kLeft, kLeftAddress, m, kK, kM, kK, kE4M3,
             TileLayout::kNz},
            {MemorySpace::kLeftScale, kLeftAddress >> 4, RoundUp(kM, 16), kG,
             kM, kG, kE8M0, TileLayout::kZz, /*id=*/1},
            {MemorySpace::kRight, kRightAddress, kK, n, kK, kN, kE4M3,
             TileLayout::kZn},
            {MemorySpace::kRightScale, kRightAddress >> 4, kG, RoundUp(kN, 16),
             kG, kN, kE8M0, TileLayout::kNn, /*id=*/2}};
  }

  const Flow flow_;
  Machine machine_;
  VectorUnit unit_;
  UbArena arena_;
};

// ---- data

// Every line and every group of K has a magnitude of its own, so that a scale
// at the wrong place shows; with `outliers`, one element of a group in eight is
// a thousand times the others.
TestTile RandomSource(std::mt19937& random, const Flow& flow, bool outliers) {
  std::normal_distribution<float> normal;
  std::vector<float> values;
  for (int64_t row = 0; row < flow.rows(); ++row) {
    for (int64_t col = 0; col < flow.cols(); ++col) {
      const int64_t line = flow.nd() ? row : col;
      const int64_t k = flow.nd() ? col : row;
      const int exponent = static_cast<int>((3 * line + 5 * (k / 32)) % 11) - 5;
      float value = std::ldexp(normal(random), exponent);
      if (outliers && k % 32 == line % 32 && (line + k / 32) % 8 == 0) {
        value *= 1000;
      }
      values.push_back(value);
    }
  }
  return TestTile::OfValues(SourceType(flow), values);
}

Operands RandomOther(std::mt19937& random, const Flow& flow) {
  Operands o;
  const auto codes = [&random](int64_t count, uint32_t low, uint32_t high) {
    std::vector<uint32_t> values;
    for (int64_t i = 0; i < count; ++i) {
      values.push_back(low + random() % (high - low + 1));
    }
    return values;
  };
  (flow.left ? o.b : o.a) = codes(kK * (flow.left ? kN : kM), 0, 0x7E);
  (flow.left ? o.sb : o.sa) = codes(kG * (flow.left ? kN : kM), 115, 130);
  return o;
}

class MxFlowTest : public ::testing::TestWithParam<Flow> {
 protected:
  std::mt19937 random_{2026};
};

TEST_P(MxFlowTest, EqualsTheReference) {
  const Flow& flow = GetParam();
  for (const bool outliers : {false, true}) {
    const TestTile source = RandomSource(random_, flow, outliers);
    Operands operands = RandomOther(random_, flow);
    QuantizeByReference(flow, source, &operands);
    ModelFlow model(flow);
    MX_ASSERT_OK(model.Quantize(source));
    model.PutOther(operands);
    MX_ASSERT_OK_AND_ASSIGN(const std::vector<float> c, model.Multiply());
    EXPECT_EQ(c, Multiplied(operands));
    EXPECT_GT(model.machine().timeline().stats(Pipe::kV).cycles, 0);
    EXPECT_GT(model.machine().timeline().stats(Pipe::kMte3).bytes, 0);
  }
}

// In float64, of the dequantised operands: 1e-5 of the sum of the absolute
// products (the project's bound for runs). Of the operand before it was
// quantised: E4M3 keeps four bits, so an element is off by up to 1/16 of
// itself, or by 2^-10 of the group's maximum where it is small; OCP may clip
// the largest by 1/8.
TEST_P(MxFlowTest, IsNearTheProductInFloat64) {
  const Flow& flow = GetParam();
  for (const bool outliers : {false, true}) {
    const TestTile source = RandomSource(random_, flow, outliers);
    Operands o = RandomOther(random_, flow);
    QuantizeByReference(flow, source, &o);
    ModelFlow model(flow);
    MX_ASSERT_OK(model.Quantize(source));
    model.PutOther(o);
    MX_ASSERT_OK_AND_ASSIGN(const std::vector<float> c, model.Multiply());
    const std::vector<float> x = source.Values();
    const auto value = [](uint32_t code, uint32_t s) {
      return double{Decode(kE4M3, code)} * std::ldexp(1.0, int(s) - 127);
    };
    double squares = 0;
    double error_squares = 0;
    for (int64_t m = 0; m < kM; ++m) {
      for (int64_t n = 0; n < kN; ++n) {
        double exact = 0, magnitude = 0, unquantized = 0;
        for (int64_t k = 0; k < kK; ++k) {
          const double a = value(o.a[m * kK + k], o.sa[m * kG + k / 32]);
          const double b = value(o.b[k * kN + n], o.sb[k / 32 * kN + n]);
          const int64_t line = flow.left ? m : n;
          const double before =
              flow.nd() ? x[line * kK + k] : x[k * flow.lines() + line];
          exact += a * b;
          magnitude += std::fabs(a * b);
          unquantized += flow.left ? before * b : a * before;
        }
        const double result = c[m * kN + n];
        EXPECT_LE(std::fabs(result - exact), 1e-5 * magnitude) << m << " " << n;
        squares += unquantized * unquantized;
        error_squares += (result - unquantized) * (result - unquantized);
      }
    }
    const double error = std::sqrt(error_squares / squares);
    EXPECT_GT(error, 1e-3);
    EXPECT_LT(error, 1.0 / 8);
    RecordProperty(outliers ? "outliers" : "normal", absl::StrCat(error));
  }
}

// ---- planted faults

TEST_P(MxFlowTest, MissingBarrierIsReported) {
  ModelFlow model(GetParam());
  EXPECT_THAT(model.Quantize(RandomSource(random_, GetParam(), false),
                             /*with_barrier=*/false),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("vlds"), HasSubstr("vsts"),
                             HasSubstr("A5-VEC-1"))));
}

TEST_P(MxFlowTest, RowMajorScalesAreReported) {
  const Flow& flow = GetParam();
  Operands operands = RandomOther(random_, flow);
  QuantizeByReference(flow, RandomSource(random_, flow, false), &operands);
  ModelFlow model(flow);
  MX_ASSERT_OK(model.Quantize(RandomSource(random_, flow, false)));
  model.PutOther(operands);
  EXPECT_THAT(model.Multiply(/*row_major_scales=*/true),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("TMOV"), HasSubstr("ND"),
                             HasSubstr("A5-TILE-1"))));
}

std::vector<Flow> Flows() {
  std::vector<Flow> flows;
  for (const MxQuantAlg alg :
       {MxQuantAlg::OcpMxFp8E4M3, MxQuantAlg::NvMxFp8E4M3}) {
    const std::string rule = RuleOf(alg) == ScaleRule::kOcp ? "Ocp" : "Nv";
    flows.push_back({"NDLeft" + rule, true, GroupAxis::kAxis1, alg});
    flows.push_back({"NDRight" + rule, false, GroupAxis::kAxis1, alg});
    flows.push_back({"DNLeft" + rule, true, GroupAxis::kAxis0, alg});
    flows.push_back({"DNRight" + rule, false, GroupAxis::kAxis0, alg});
  }
  return flows;
}

INSTANTIATE_TEST_SUITE_P(Flows, MxFlowTest, ::testing::ValuesIn(Flows()),
                         [](const ::testing::TestParamInfo<Flow>& info) {
                           return info.param.name;
                         });

}  // namespace
}  // namespace a5
}  // namespace mxtile
