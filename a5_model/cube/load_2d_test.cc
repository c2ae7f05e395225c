#include "a5_model/cube/load_2d.h"

#include <cstdint>
#include <random>
#include <vector>

#include "a5_model/cube/provenance_test_util.h"
#include "a5_model/machine.h"
#include "a5_model/memory.h"
#include "a5_model/soc/soc.h"
#include "absl/status/status.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mxtile {
namespace a5 {
namespace {

using ::testing::HasSubstr;

// Byte offset of (row, byte column) in an NZ matrix with `rows` rows.
int64_t Nz(int64_t rows, int64_t row, int64_t column) {
  return column / 32 * rows * 32 + row * 32 + column % 32;
}

// Source [96 rows, 128 bytes]; all windows of whole fractals in it. The test
// speaks of matrices, the instruction of fractals.
TEST(Load2dTest, MovesEachWindowOfAMatrix) {
  constexpr int64_t kRows = 96;
  constexpr int64_t kColumns = 128;
  for (int64_t row = 0; row < kRows; row += 16) {
    for (int64_t column = 0; column < kColumns; column += 32) {
      for (int64_t rows = 16; row + rows <= kRows; rows += 16) {
        for (int64_t columns = 32; column + columns <= kColumns;
             columns += 64) {
          std::vector<int64_t> expected(rows * columns);
          for (int64_t r = 0; r < rows; ++r) {
            for (int64_t c = 0; c < columns; ++c) {
              expected[Nz(rows, r, c)] = Nz(kRows, row + r, column + c);
            }
          }
          EXPECT_EQ(
              TraceMat(kRows * kColumns, MemorySpace::kLeft, rows * columns,
                       [&](Machine& machine) {
                         return Load2d(machine, MemorySpace::kLeft,
                                       {0, 0, row / 16, column / 32, rows / 16,
                                        columns / 32, kRows / 16, rows / 16});
                       }),
              expected)
              << row << " " << column << " " << rows << " " << columns;
        }
      }
    }
  }
}

TEST(Load2dTest, TransposesEachWindowOfAMatrix) {
  constexpr int64_t kRows = 96;
  constexpr int64_t kColumns = 128;
  for (int64_t row = 0; row < kRows; row += 32) {
    for (int64_t column = 0; column < kColumns; column += 32) {
      for (int64_t rows = 32; row + rows <= kRows; rows += 32) {
        for (int64_t columns = 32; column + columns <= kColumns;
             columns += 32) {
          std::vector<int64_t> expected(rows * columns);
          for (int64_t r = 0; r < rows; ++r) {
            for (int64_t c = 0; c < columns; ++c) {
              expected[Nz(columns, c, r)] = Nz(kRows, row + r, column + c);
            }
          }
          EXPECT_EQ(
              TraceMat(kRows * kColumns, MemorySpace::kRight, rows * columns,
                       [&](Machine& machine) {
                         return Load2d(machine, MemorySpace::kRight,
                                       {0, 0, row / 16, column / 32, rows / 16,
                                        columns / 32, kRows / 16, columns / 16,
                                        /*transpose=*/true});
                       }),
              expected)
              << row << " " << column << " " << rows << " " << columns;
        }
      }
    }
  }
}

// A row of squares at a time is the same as all at once.
TEST(Load2dTest, TransposingLoadSplitsAlongM) {
  const auto whole = [](Machine& machine) {
    return Load2d(machine, MemorySpace::kRight, {0, 0, 0, 0, 6, 4, 6, 8, true});
  };
  const auto split = [](Machine& machine) {
    absl::Status status;
    for (int64_t i = 0; i < 3; ++i) {
      status.Update(
          Load2d(machine, MemorySpace::kRight,
                 {0, static_cast<uint64_t>(i * 8 * 512), 2 * i, 0, 2, 4, 6,
                  /*dst_stride=*/1, true}));
    }
    return status;
  };
  EXPECT_EQ(TraceMat(96 * 128, MemorySpace::kRight, 96 * 128, whole),
            TraceMat(96 * 128, MemorySpace::kRight, 96 * 128, split));
}

// The worked example of the layout page: an NZ tile [128, 256], extracted at
// (64, 128) with size [64, 128].
TEST(Load2dTest, WorkedExample) {
  const std::vector<int64_t> from =
      TraceMat(128 * 256, MemorySpace::kLeft, 64 * 128, [](Machine& machine) {
        return Load2d(machine, MemorySpace::kLeft, {0, 0, 4, 4, 4, 4, 8, 4});
      });
  for (int64_t i = 0; i < 4; ++i) {
    for (int64_t j = 0; j < 4; ++j) {
      for (int64_t byte = 0; byte < 512; ++byte) {
        ASSERT_EQ(from[(j * 4 + i) * 512 + byte],
                  ((4 + j) * 8 + (4 + i)) * 512 + byte);
      }
    }
  }
}

// A row-major [64, 64] as NZ, to Right with transpose: element (k, n) = (5,
// 40).
TEST(Load2dTest, WorkedExampleTransposed) {
  const std::vector<int64_t> from =
      TraceMat(64 * 64, MemorySpace::kRight, 64 * 64, [](Machine& machine) {
        return Load2d(machine, MemorySpace::kRight,
                      {0, 0, 0, 0, 4, 2, 4, 4, /*transpose=*/true});
      });
  EXPECT_EQ(from[40 * 32 + 5], 1 * 64 * 32 + 5 * 32 + 8);
  EXPECT_EQ(from[1285], 2216);
}

// ---- 4-bit elements

Load2dParams FourBit(Load2dParams params) {
  params.element = Load2dElement::k4Bit;
  return params;
}

std::vector<uint8_t> RandomBytes(int64_t size, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<uint8_t> bytes(size);
  for (uint8_t& byte : bytes) byte = random();
  return bytes;
}

// Element (row, column) of an NZ matrix of nibbles: its byte is that of the
// matrix of bytes with half the columns, the even column has the low nibble.
int NibbleAt(const std::vector<uint8_t>& nz, int64_t rows, int64_t row,
             int64_t column) {
  return nz[Nz(rows, row, column / 2)] >> column % 2 * 4 & 0xF;
}

TEST(Load2dS4Test, WithoutTransposeMovesTheSameBytes) {
  for (const MemorySpace to : {MemorySpace::kLeft, MemorySpace::kRight}) {
    const Load2dParams params = {0, 512, 1, 1, 4, 3, 6, 5};
    EXPECT_EQ(TraceMat(96 * 128, to, 16 * 512,
                       [&](Machine& machine) {
                         return Load2d(machine, to, FourBit(params));
                       }),
              TraceMat(96 * 128, to, 16 * 512, [&](Machine& machine) {
                return Load2d(machine, to, params);
              }));
  }
}

// Source [192, 192] elements; all windows of whole squares in it.
TEST(Load2dS4Test, TransposesEachWindowOfAMatrix) {
  constexpr int64_t kRows = 192;
  constexpr int64_t kColumns = 192;
  const std::vector<uint8_t> source = RandomBytes(kRows * kColumns / 2, 5);
  for (const MemorySpace to : {MemorySpace::kLeft, MemorySpace::kRight}) {
    for (int64_t window = 0; window < 81; ++window) {
      const int64_t row = window % 3 * 64;
      const int64_t rows = window / 3 % 3 * 64 + 64;
      const int64_t column = window / 9 % 3 * 64;
      const int64_t columns = window / 27 * 64 + 64;
      if (row + rows > kRows || column + columns > kColumns) continue;
      Machine machine;
      machine.memory(MemorySpace::kMat).Poke(0x4000, source);
      MX_ASSERT_OK(
          Load2d(machine, to,
                 FourBit({0x4000, 0x2000, row / 16, column / 64, rows / 16,
                          columns / 64, kRows / 16, columns / 16, true})));
      const std::vector<uint8_t> moved =
          machine.memory(to).Peek(0x2000, rows * columns / 2);
      for (int64_t r = 0; r < rows; ++r) {
        for (int64_t c = 0; c < columns; ++c) {
          ASSERT_EQ(NibbleAt(moved, columns, c, r),
                    NibbleAt(source, kRows, row + r, column + c))
              << "window " << window << ", element " << r << ", " << c;
        }
      }
      EXPECT_FALSE(machine.memory(to).HasValue(0x1FFF, 1));
      EXPECT_FALSE(machine.memory(to).HasValue(0x2000 + moved.size(), 1));
    }
  }
}

// The NZ of a 4-bit [64, 128], 64 rows of K: element (k, n) = (5, 70) moves
// from the low nibble of byte 2211 to the high nibble of byte 2242.
TEST(Load2dS4Test, WorkedExampleTransposed) {
  std::vector<uint8_t> source(64 * 64);
  source[2211] = 0x09;
  Machine machine;
  machine.memory(MemorySpace::kMat).Poke(0, source);
  MX_ASSERT_OK(Load2d(machine, MemorySpace::kRight,
                      FourBit({0, 0, 0, 0, 4, 2, 4, 8, true})));
  std::vector<uint8_t> expected(64 * 64);
  expected[2242] = 0x90;
  EXPECT_EQ(machine.memory(MemorySpace::kRight).Peek(0, 64 * 64), expected);
}

// Two bytes of the source give a byte of the destination.
TEST(Load2dS4Test, AByteHasAValueWhenBothItsNibblesHave) {
  for (int64_t row = 0; row < 64; ++row) {
    Machine machine;
    Memory& mat = machine.memory(MemorySpace::kMat);
    mat.Poke(0, RandomBytes(2048, 6));
    mat.Forget(row * 32 + 9, 1);  // columns 18 and 19 of this row
    MX_ASSERT_OK(Load2d(machine, MemorySpace::kLeft,
                        FourBit({0, 0, 0, 0, 4, 1, 4, 4, true})));
    for (int64_t byte = 0; byte < 2048; ++byte) {
      EXPECT_EQ(machine.memory(MemorySpace::kLeft).HasValue(byte, 1),
                byte != 18 * 32 + row / 2 && byte != 19 * 32 + row / 2)
          << row << " " << byte;
    }
  }
}

TEST(Load2dTest, MissingValuesMoveAlong) {
  Machine machine;
  machine.memory(MemorySpace::kMat).Poke(0, std::vector<uint8_t>(320, 1));
  MX_ASSERT_OK(Load2d(machine, MemorySpace::kLeft, {0, 512, 0, 0, 1, 1, 1, 1}));
  EXPECT_TRUE(machine.memory(MemorySpace::kLeft).HasValue(512, 320));
  EXPECT_FALSE(machine.memory(MemorySpace::kLeft).HasValue(832, 1));
}

absl::Status Load(const Load2dParams& params) {
  Machine machine;
  return Load2d(machine, MemorySpace::kRight, params);
}

TEST(Load2dTest, Traps) {
  EXPECT_THAT(Load({0, 256, 0, 0, 1, 1, 1, 1}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("LOAD_2D L0B (instruction 1): writes [0x100, "
                                 "0x300) of Right: the address is no multiple "
                                 "of 512 bytes (A5-MEM-2)")));
  EXPECT_THAT(Load({8, 0, 0, 0, 1, 1, 1, 1}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("reads [0x8, 0x208) of Mat")));
  EXPECT_THAT(Load({0, 65024, 0, 0, 2, 1, 2, 2}),
              StatusIs(absl::StatusCode::kOutOfRange,
                       HasSubstr("writes 512 bytes at 0x10000")));
  EXPECT_THAT(Load({524288 - 512, 0, 1, 0, 1, 1, 1, 1}),
              StatusIs(absl::StatusCode::kOutOfRange,
                       HasSubstr("reads 512 bytes at 0x80000")));
  EXPECT_THAT(Load({0, 0, 0, 0, 2, 2, 2, 1}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("already written by the same instruction")));
  EXPECT_THAT(Load({0, 0, 0, 0, 4, 2, 4, 2, true}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("already written by the same instruction")));
  EXPECT_THAT(Load({0, 0, 0, 0, 3, 1, 4, 2, true}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("mStep is 3: a transposing load")));
  EXPECT_THAT(
      Load(FourBit({0, 0, 0, 0, 6, 1, 8, 4, true})),
      StatusIs(absl::StatusCode::kInvalidArgument,
               "LOAD_2D_S4 L0B (instruction 1): mStep is 6: a transposing load "
               "of 4-bit elements moves squares of 64x64, 4 fractals each "
               "(A5-FIELD-1)"));
  EXPECT_THAT(Load(FourBit({0, 0, 0, 0, 8, 2, 8, 4, true})),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("already written by the same instruction")));
}

TEST(Load2dTest, FieldRanges_A5_FIELD_1) {
  const auto names = [](const Load2dParams& params, const char* field) {
    EXPECT_THAT(Load(params),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(field)));
  };
  names({0, 0, -1, 0, 1, 1, 1, 1}, "mStart is -1");
  names({0, 0, 0, 65536, 1, 1, 1, 1}, "kStart is 65536");
  names({0, 0, 0, 0, 0, 1, 1, 1}, "mStep is 0");
  names({0, 0, 0, 0, 1, 256, 1, 1}, "kStep is 256, not in [1, 255]");
  names({0, 0, 0, 0, 1, 1, 0, 1}, "srcStride is 0");
  names({0, 0, 0, 0, 1, 1, 1, 0}, "dstStride is 0");
}

TEST(Load2dTest, BooksBytesAndCycles) {
  Machine machine;
  MX_ASSERT_OK(Load2d(machine, MemorySpace::kLeft, {0, 0, 0, 0, 4, 4, 4, 4}));
  MX_ASSERT_OK(
      Load2d(machine, MemorySpace::kRight, {0, 0, 0, 0, 4, 4, 4, 8, true}));
  EXPECT_EQ(machine.timeline().stats(Pipe::kMte1).bytes, 2 * 8192);
  EXPECT_EQ(machine.timeline().stats(Pipe::kMte1).cycles, 40 + 37);
  EXPECT_EQ(machine.timeline().events()[1].name, "LOAD_2D L0B 4x4 transposed");
  MX_ASSERT_OK(
      Load2d(machine, MemorySpace::kLeft, FourBit({0, 0, 0, 0, 4, 4, 4, 4})));
  EXPECT_EQ(machine.timeline().stats(Pipe::kMte1).cycles, 40 + 37 + 40);
  EXPECT_EQ(machine.timeline().events()[2].name, "LOAD_2D_S4 L0A 4x4");
}

}  // namespace
}  // namespace a5
}  // namespace mxtile
