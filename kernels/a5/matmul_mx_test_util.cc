#include "kernels/a5/matmul_mx_test_util.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "a5_model/machine.h"
#include "a5_model/soc/soc.h"
#include "absl/status/status.h"
#include "absl/types/span.h"
#include "base/int_math.h"
#include "base/status_macros.h"
#include "base/status_matchers.h"
#include "gtest/gtest.h"
#include "kernels/a5/gm_tensor.h"
#include "kernels/a5/load.h"
#include "kernels/a5/move.h"
#include "kernels/a5/store.h"
#include "kernels/a5/tile.h"
#include "kernels/reference/matmul_mx.h"
#include "kernels/tile_layout.h"
#include "kernels/tile_view.h"
#include "numerics/element_format.h"

namespace mxtile {
namespace a5 {
namespace {

constexpr ElementFormat kScaleFormat = ElementFormat::kF8E8M0FNU;
constexpr uint64_t kAccAddress = 0x800;

// ---- GM

// Elements from one row to the next: whole bytes.
int64_t RowPitch(ElementFormat format, int64_t cols) {
  return BitWidth(format) == 4 ? RoundUp(cols, 2) : cols;
}

// Codes [rows, cols] as a host would store them, row-major.
std::vector<uint8_t> Pack(ElementFormat format,
                          const std::vector<uint8_t>& codes, int64_t rows,
                          int64_t cols) {
  const int64_t pitch = RowPitch(format, cols);
  const int bits = BitWidth(format);
  std::vector<uint8_t> bytes(rows * pitch * bits / 8);
  for (int64_t i = 0; i < rows * cols; ++i) {
    const int64_t bit = (i / cols * pitch + i % cols) * bits;
    bytes[bit / 8] |= codes[i] << bit % 8;
  }
  return bytes;
}

std::vector<uint8_t> Transposed(const std::vector<uint8_t>& matrix,
                                int64_t rows, int64_t cols) {
  std::vector<uint8_t> result(matrix.size());
  for (int64_t i = 0; i < rows * cols; ++i) {
    result[i % cols * rows + i / cols] = matrix[i];
  }
  return result;
}

uint64_t Upload(Machine& machine, const std::string& name,
                absl::Span<const uint8_t> bytes) {
  const uint64_t address = machine.AllocateGm(name, bytes.size());
  MX_EXPECT_OK(machine.WriteGm(address, bytes));
  return address;
}

uint64_t UploadFloats(Machine& machine, const std::string& name,
                      const std::vector<float>& values) {
  return Upload(
      machine, name,
      absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(values.data()),
                          values.size() * sizeof(float)));
}

// A matrix [rows, cols] of codes, stored as it is or transposed.
GmTensor UploadData(Machine& machine, const std::string& name,
                    ElementFormat format, const std::vector<uint8_t>& codes,
                    int64_t rows, int64_t cols, bool transposed) {
  if (!transposed) {
    return {Upload(machine, name, Pack(format, codes, rows, cols)),
            format,
            {rows, cols},
            {RowPitch(format, cols), 1}};
  }
  return {Upload(machine, name,
                 Pack(format, Transposed(codes, rows, cols), cols, rows)),
          format,
          {rows, cols},
          {1, RowPitch(format, rows)}};
}

// Scales [lines, groups] as boxes (MX_A_ZZ, MX_B_NN), lines padded with scales
// that would show in the result, also NaN.
GmTensor UploadBoxes(Machine& machine, const std::string& name,
                     const std::vector<uint8_t>& scales, int64_t lines,
                     int64_t groups) {
  std::vector<uint8_t> boxes;
  for (int64_t line = 0; line < RoundUp(lines, 16); line += 16) {
    for (int64_t g = 0; g < groups; g += 2) {
      for (int64_t i = 0; i < 32; ++i) {
        boxes.push_back(line + i / 2 < lines
                            ? scales[(line + i / 2) * groups + g + i % 2]
                            : 255 - i % 2);
      }
    }
  }
  return {Upload(machine, name, boxes),
          kScaleFormat,
          {1, RoundUp(lines, 16) / 16, groups / 2, 16, 2},
          {RoundUp(lines, 16) * groups, 16 * groups, 32, 2, 1}};
}

// The same as pairs of groups of all lines (MX_A_DN, MX_B_ND).
GmTensor UploadPairs(Machine& machine, const std::string& name,
                     const std::vector<uint8_t>& scales, int64_t lines,
                     int64_t groups) {
  std::vector<uint8_t> pairs;
  for (int64_t g = 0; g < groups; g += 2) {
    for (int64_t i = 0; i < 2 * lines; ++i) {
      pairs.push_back(scales[i / 2 * groups + g + i % 2]);
    }
  }
  return {Upload(machine, name, pairs),
          kScaleFormat,
          {1, 1, groups / 2, lines, 2},
          {lines * groups, lines * groups, 2 * lines, 2, 1}};
}

GmTensor UploadScales(Machine& machine, const MatmulProblem& p,
                      const std::string& name,
                      const std::vector<uint8_t>& scales, int64_t lines) {
  const int64_t groups = p.k / 32;
  return p.interleaved_scales
             ? UploadPairs(machine, name, scales, lines, groups)
             : UploadBoxes(machine, name, scales, lines, groups);
}

// Of the scales of `lines` lines, those of one step.
GmWindow ScaleWindow(const MatmulProblem& p, int64_t lines, int64_t step) {
  const int64_t pairs = p.step_k() / 64;
  if (p.interleaved_scales) {
    return {{0, 0, step * pairs, 0, 0}, {1, 1, pairs, lines, 2}};
  }
  return {{0, 0, step * pairs, 0, 0},
          {1, RoundUp(lines, 16) / 16, pairs, 16, 2}};
}

Tile InMat(Tile tile, uint64_t address, TileLayout layout) {
  tile.space = MemorySpace::kMat;
  tile.address = address;
  tile.layout = layout;
  return tile;
}

absl::Status LoadBiasRow(Machine& machine, const MatmulProblem& p,
                         const MatmulBuffers& gm, const Tile& bias) {
  const Tile mat = InMat(bias, 0x70000, TileLayout::kNd);
  MX_RETURN_IF_ERROR(TLoad(machine, gm.bias, {{0, 0}, {1, p.n}}, mat));
  return TMovToBias(machine, mat, bias);
}

// What an earlier matmul would have left: no other way leads into Acc.
void PutAccumulators(Machine& machine, const MatmulProblem& p) {
  const int64_t rows = RoundUp(p.m, 16);
  for (int64_t i = 0; i < p.m * p.n; ++i) {
    const int64_t m = i / p.n;
    const int64_t n = i % p.n;
    std::vector<uint8_t> bytes(4);
    std::memcpy(bytes.data(), &(*p.c_in)[i], 4);
    machine.memory(MemorySpace::kAcc)
        .Poke(kAccAddress + n / 16 * rows * 64 + m * 64 + n % 16 * 4, bytes);
  }
}

std::vector<uint32_t> WordsOf(absl::Span<const uint8_t> bytes) {
  std::vector<uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), bytes.size());
  return words;
}

}  // namespace

MatmulProblem RandomMatmul(std::mt19937& random, MatmulProblem p,
                           const RandomMatmulOptions& options) {
  const auto codes = [&](int64_t count, ElementFormat format) {
    std::vector<uint8_t> result(count);
    for (uint8_t& code : result) {
      do {
        code = random() % CodeCount(format);
      } while (!options.specials && KindOf(format, code) != CodeKind::kFinite);
    }
    return result;
  };
  const auto scales = [&](int64_t count) {
    std::vector<uint8_t> result(count);
    for (uint8_t& scale : result) {
      scale = options.low_scale +
              random() % (options.high_scale - options.low_scale + 1);
    }
    return result;
  };
  p.a = codes(p.m * p.k, p.left_format);
  p.b = codes(p.k * p.n, p.right_format);
  p.sa = scales(p.m * p.k / 32);
  p.sb = scales(p.k / 32 * p.n);
  return p;
}

std::vector<float> RandomFloats(std::mt19937& random, int64_t count) {
  std::vector<float> values(count);
  for (float& value : values) {
    const uint32_t bits = random();
    std::memcpy(&value, &bits, 4);
  }
  return values;
}

MatmulBuffers UploadMatmul(Machine& machine, const MatmulProblem& p) {
  const int64_t groups = p.k / 32;
  MatmulBuffers gm;
  gm.a =
      UploadData(machine, "a", p.left_format, p.a, p.m, p.k, p.a_is_transposed);
  gm.b = UploadData(machine, "b", p.right_format, p.b, p.k, p.n,
                    p.b_is_transposed);
  gm.sa = p.mode.gemv ? GmTensor{Upload(machine, "sa", p.sa),
                                 kScaleFormat,
                                 {1, groups},
                                 {groups, 1}}
                      : UploadScales(machine, p, "sa", p.sa, p.m);
  gm.sb = UploadScales(machine, p, "sb", Transposed(p.sb, groups, p.n), p.n);
  if (p.bias) {
    gm.bias = {UploadFloats(machine, "bias", *p.bias),
               ElementFormat::kF32,
               {1, p.n},
               {p.n, 1}};
  }
  gm.c = {machine.AllocateGm("c", p.m * p.n * 4),
          ElementFormat::kF32,
          {p.m, p.n},
          {p.n, 1}};
  return gm;
}

StepTiles MakeStepTiles(const MatmulProblem& p, int64_t step) {
  const uint64_t address = step % 4 * 0x4000;
  return MakeStepTiles(p, step, {address, address});
}

StepTiles MakeStepTiles(const MatmulProblem& p, int64_t step,
                        const L0Addresses& l0) {
  const int64_t k = p.step_k();
  const int64_t groups = k / 32;
  // A transposing load writes whole squares.
  const int64_t a_side = p.a_is_transposed ? FractalColumns(p.left_format) : 16;
  const int64_t b_side =
      p.b_is_transposed ? 16 : FractalColumns(p.right_format);
  const int64_t m = RoundUp(p.m, a_side);
  const int64_t n = RoundUp(p.n, b_side);
  // Boxes are loaded whole.
  const int64_t sm = RoundUp(p.m, 16);
  const int64_t sn = RoundUp(p.n, 16);
  const int64_t valid_sm = p.interleaved_scales ? p.m : sm;
  const int64_t valid_sn = p.interleaved_scales ? p.n : sn;
  StepTiles t;
  if (p.mode.gemv) {
    const int64_t row = RoundUp(k, 16 * FractalColumns(p.left_format));
    t.operands.left = {MemorySpace::kLeft, l0.left,        1, row, 1, k,
                       p.left_format,      TileLayout::kNd};
    t.operands.left_scale = {MemorySpace::kLeftScale,
                             l0.left >> 4,
                             1,
                             groups,
                             1,
                             groups,
                             kScaleFormat,
                             TileLayout::kNd};
  } else {
    t.operands.left = {MemorySpace::kLeft, l0.left,        m, k, p.m, k,
                       p.left_format,      TileLayout::kNz};
    t.operands.left_scale = {MemorySpace::kLeftScale,
                             l0.left >> 4,
                             sm,
                             groups,
                             valid_sm,
                             groups,
                             kScaleFormat,
                             TileLayout::kZz};
  }
  t.operands.left_scale.id = 10 + step;
  t.operands.right = {MemorySpace::kRight, l0.right,       k, n, k, p.n,
                      p.right_format,      TileLayout::kZn};
  t.operands.right_scale = {MemorySpace::kRightScale,
                            l0.right >> 4,
                            groups,
                            sn,
                            groups,
                            valid_sn,
                            kScaleFormat,
                            TileLayout::kNn,
                            /*id=*/20 + step};
  const TileLayout a_layout = p.mode.gemv         ? TileLayout::kNd
                              : p.a_is_transposed ? TileLayout::kZn
                                                  : TileLayout::kNz;
  t.a_mat = InMat(t.operands.left, 0x1000, a_layout);
  t.b_mat = InMat(t.operands.right, 0x20000,
                  p.b_is_transposed ? TileLayout::kZn : TileLayout::kNz);
  t.sa_mat =
      InMat(t.operands.left_scale, 0x40000, t.operands.left_scale.layout);
  t.sb_mat = InMat(t.operands.right_scale, 0x50000, TileLayout::kNn);
  return t;
}

Tile AccTile(const MatmulProblem& p) {
  return {MemorySpace::kAcc,
          kAccAddress,
          RoundUp(p.m, 16),
          RoundUp(p.n, 16),
          p.m,
          p.n,
          ElementFormat::kF32,
          TileLayout::kNz};
}

absl::Status LoadStep(Machine& machine, const MatmulProblem& p,
                      const MatmulBuffers& gm, const StepTiles& t,
                      int64_t step) {
  const int64_t k = step * p.step_k();
  MX_RETURN_IF_ERROR(
      TLoad(machine, gm.a, {{0, k}, {p.m, p.step_k()}}, t.a_mat));
  MX_RETURN_IF_ERROR(
      TLoad(machine, gm.b, {{k, 0}, {p.step_k(), p.n}}, t.b_mat));
  const GmWindow sa = p.mode.gemv ? GmWindow{{0, k / 32}, {1, p.step_k() / 32}}
                                  : ScaleWindow(p, p.m, step);
  MX_RETURN_IF_ERROR(TLoad(machine, gm.sa, sa, t.sa_mat));
  return TLoad(machine, gm.sb, ScaleWindow(p, p.n, step), t.sb_mat);
}

absl::Status MoveStep(Machine& machine, const StepTiles& t) {
  MX_RETURN_IF_ERROR(TMovToLeft(machine, t.a_mat, t.operands.left));
  MX_RETURN_IF_ERROR(TMovToRight(machine, t.b_mat, t.operands.right));
  MX_RETURN_IF_ERROR(TMovToLeftScale(machine, t.sa_mat, t.operands.left_scale));
  return TMovToRightScale(machine, t.sb_mat, t.operands.right_scale);
}

absl::Status RunMatmul(Machine& machine, const MatmulProblem& p,
                       const MatmulBuffers& gm,
                       const std::vector<L0Addresses>& l0) {
  const Tile acc = AccTile(p);
  const Tile bias = {MemorySpace::kBias,  0x40,           1, p.n, 1, p.n,
                     ElementFormat::kF32, TileLayout::kNd};
  if (p.c_in) PutAccumulators(machine, p);
  for (int64_t step = 0; step * p.step_k() < p.k; ++step) {
    const StepTiles tiles =
        l0.empty() ? MakeStepTiles(p, step) : MakeStepTiles(p, step, l0[step]);
    MX_RETURN_IF_ERROR(LoadStep(machine, p, gm, tiles, step));
    MX_RETURN_IF_ERROR(MoveStep(machine, tiles));
    if (step > 0 || p.c_in) {
      MX_RETURN_IF_ERROR(TMatmulMxAcc(machine, acc, tiles.operands, p.mode));
    } else if (p.bias) {
      MX_RETURN_IF_ERROR(LoadBiasRow(machine, p, gm, bias));
      MX_RETURN_IF_ERROR(
          TMatmulMxBias(machine, acc, tiles.operands, bias, p.mode));
    } else {
      MX_RETURN_IF_ERROR(TMatmulMx(machine, acc, tiles.operands, p.mode));
    }
  }
  return TStoreAcc(machine, acc, gm.c, {{0, 0}, {p.m, p.n}});
}

std::vector<uint32_t> ReadC(const Machine& machine, const MatmulProblem& p,
                            const MatmulBuffers& gm) {
  const absl::StatusOr<std::vector<uint8_t>> bytes =
      machine.ReadGm(gm.c.address, p.m * p.n * 4);
  MX_EXPECT_OK(bytes.status());
  return bytes.ok() ? WordsOf(*bytes) : std::vector<uint32_t>();
}

std::vector<uint32_t> ReferenceC(const MatmulProblem& p) {
  const int64_t groups = p.k / 32;
  // As in GM: rows of 4-bit elements are whole bytes.
  TileType b_type =
      FullTile(p.right_format, p.k, RowPitch(p.right_format, p.n));
  b_type.valid_cols = p.n;
  const std::vector<uint8_t> a = Pack(p.left_format, p.a, p.m, p.k);
  const std::vector<uint8_t> b = Pack(p.right_format, p.b, p.k, p.n);
  std::vector<uint8_t> c(p.m * p.n * 4);
  const auto floats = [](const std::vector<float>& values) {
    return absl::MakeConstSpan(reinterpret_cast<const uint8_t*>(values.data()),
                               values.size() * sizeof(float));
  };
  MatmulMxTiles tiles = {
      {FullTile(ElementFormat::kF32, p.m, p.n), absl::MakeSpan(c)},
      {FullTile(p.left_format, p.m, p.k), a},
      {FullTile(kScaleFormat, p.m, groups), p.sa},
      {b_type, b},
      {FullTile(kScaleFormat, groups, p.n), p.sb},
      {},
      {}};
  if (p.c_in) {
    tiles.c_in =
        ConstTileView{FullTile(ElementFormat::kF32, p.m, p.n), floats(*p.c_in)};
  }
  if (p.bias) {
    tiles.bias =
        ConstTileView{FullTile(ElementFormat::kF32, 1, p.n), floats(*p.bias)};
  }
  MatmulMxOptions options;
  options.gemv = p.mode.gemv;
  options.saturate = p.mode.saturate;
  MX_EXPECT_OK(MatmulMx(tiles, options));
  return WordsOf(c);
}

}  // namespace a5
}  // namespace mxtile
