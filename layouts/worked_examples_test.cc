// The worked numbers and the equalities of the project's notes on PTO-ISA's
// layouts, section by section. A move of the machine from one tile into another
// is a composition: the map of the one at a window's corner, the map of the
// other. The examples of one order alone are in mx/ and nz/.

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "layouts/conversion.h"
#include "layouts/index_map.h"
#include "layouts/layout_test_util.h"
#include "layouts/mx/scale_layout.h"
#include "layouts/nd/nd_layout.h"
#include "layouts/nz/nz_layout.h"

namespace mxtile {
namespace {

ScaleLayout Scale(ScaleOrder order, int64_t rows, int64_t cols) {
  return ScaleLayout::Create(order, rows, cols).value();
}

ScaleLayout Scale(ScaleOrder order, int64_t rows, int64_t cols, int64_t pitch) {
  return ScaleLayout::Create(order, rows, cols, pitch).value();
}

NdLayout Nd(int64_t rows, int64_t cols, int bits) {
  return NdLayout::Create(rows, cols, bits).value();
}

NzLayout Nz(NzOrder order, int64_t rows, int64_t cols, int bits) {
  return NzLayout::Create(order, rows, cols, bits).value();
}

// Section 2: of FP4 as the A5 sees it, bytes of pairs in boxes of 16 x 32.
TEST(DataExamplesTest, NZOfFP4IsNZOfItsBytes) {
  const NzLayout fp4 = Nz(NzOrder::kNZ, 40, 160, 4);
  const NzLayout bytes = Nz(NzOrder::kNZ, 40, 80, 8);
  for (int64_t r = 0; r < 40; ++r) {
    for (int64_t c = 0; c < 160; ++c) {
      const int64_t cb = c / 2;
      ASSERT_EQ(fp4.Offset(r, c) / 2, (cb / 32) * 48 * 32 + r * 32 + cb % 32);
      ASSERT_EQ(fp4.Offset(r, c) / 2, bytes.Offset(r, cb));
      ASSERT_EQ(fp4.Offset(r, c) % 2, c % 2);
    }
  }
}

// Section 2: the public simulator's boxes of 16 x 32 nibbles are another
// layout: that of bytes, taken for nibbles.
TEST(DataExamplesTest, TheSimulatorsFP4BoxesAreOthers) {
  const NzLayout a5 = Nz(NzOrder::kNZ, 32, 128, 4);
  const NzLayout simulator = Nz(NzOrder::kNZ, 32, 128, 8);
  EXPECT_EQ(simulator.Offset(1, 33), (33 / 32) * 32 * 32 + 1 * 32 + 33 % 32);
  EXPECT_FALSE(SameOffsets(a5.map(), simulator.map()));
}

// Section 2: with a single column of boxes and whole boxes nothing moves.
TEST(DataExamplesTest, NDToNZIsTheIdentityInOneStrip) {
  for (const int bits : {4, 8, 16, 32}) {
    const int64_t n = 256 / bits;
    for (int64_t m = 1; m <= 512; ++m) {
      const NdLayout nd = Nd(m, n, bits);
      const NzLayout nz = Nz(NzOrder::kNZ, m, n, bits);
      ASSERT_TRUE(SameOffsets(nd.map(), nz.map()));
      // Byte for byte only when there is no row of padding below.
      ASSERT_EQ(nd.size_bytes() == nz.size_bytes(), m % 16 == 0) << m;
    }
    EXPECT_FALSE(SameOffsets(Nd(32, 2 * n, bits).map(),
                             Nz(NzOrder::kNZ, 32, 2 * n, bits).map()));
  }
}

// Section 2, second formula: boxes of 512 bytes.
TEST(DataExamplesTest, NZAsBoxes) {
  const NzLayout nz = Nz(NzOrder::kNZ, 48, 96, 8);
  for (int64_t r = 0; r < 48; ++r) {
    for (int64_t c = 0; c < 96; ++c) {
      ASSERT_EQ(nz.Offset(r, c),
                ((c / 32) * (48 / 16) + r / 16) * 512 + (r % 16) * 32 + c % 32);
    }
  }
}

// Section 2: the spare row of M=16, N=64 is bytes 512..543 and 1056..1087.
TEST(DataExamplesTest, SpareBytesOfRowPlusOne) {
  const NzLayout nz = NzLayout::CreateRowPlusOne(16, 64, 8).value();
  for (int64_t offset = 0; offset < 17 * 64; ++offset) {
    const bool spare = (offset >= 512 && offset <= 543) || offset >= 1056;
    EXPECT_EQ(nz.map().IndexAt(offset).has_value(), !spare) << offset;
  }
}

// Sections 5 and 8: ND->ZN, and FP4's boxes of 64 (k) x 16 (n).
TEST(DataExamplesTest, ZN) {
  const NzLayout zn = Nz(NzOrder::kZN, 64, 48, 8);
  const NzLayout fp4 = Nz(NzOrder::kZN, 128, 48, 4);
  for (int64_t n = 0; n < 48; ++n) {
    for (int64_t k = 0; k < 64; ++k) {
      ASSERT_EQ(zn.Offset(k, n),
                (k / 32) * 48 * 32 + (n / 16) * 512 + (n % 16) * 32 + k % 32);
    }
    for (int64_t k = 0; k < 128; ++k) {
      ASSERT_EQ(fp4.Offset(k, n),
                (k / 64) * 48 * 64 + (n / 16) * 1024 + (n % 16) * 64 + k % 64);
    }
  }
}

// Section 8: L0C in bytes.
TEST(DataExamplesTest, L0C) {
  const NzLayout l0c = Nz(NzOrder::kL0C, 32, 48, 32);
  for (int64_t m = 0; m < 32; ++m) {
    for (int64_t n = 0; n < 48; ++n) {
      ASSERT_EQ(4 * l0c.Offset(m, n),
                (n / 16) * 32 * 64 + m * 64 + (n % 16) * 4);
    }
  }
}

// Section 3: E.reshape(M/16,16,G/2,2).transpose(0,2,1,3); and section 5: as
// 16-bit units, the source index of a gather.
TEST(ScaleExamplesTest, NDToZZ) {
  for (int64_t m = 16; m <= 64; m += 16) {
    for (int64_t g = 2; g <= 20; g += 2) {
      const int64_t pairs = g / 2;
      const Conversion nd_to_zz =
          Conversion::Create(Scale(ScaleOrder::kND, m, g).map(),
                             Scale(ScaleOrder::kZZ, m, g).map())
              .value();
      int64_t destination = 0;
      for (int64_t rb = 0; rb < m / 16; ++rb) {
        for (int64_t p = 0; p < pairs; ++p) {
          for (int64_t q = 0; q < 16; ++q) {
            const int64_t unit = (16 * rb + q) * pairs + p;
            for (int64_t d = 0; d < 2; ++d) {
              const int64_t source = (16 * rb + q) * g + 2 * p + d;
              ASSERT_EQ(source, 2 * unit + d);
              ASSERT_EQ(nd_to_zz.Destination(source), destination++);
            }
          }
        }
      }
    }
  }
}

// Section 3: one pair a row is in place already.
TEST(ScaleExamplesTest, NDToZZIsTheIdentityForOnePair) {
  for (int64_t m = 1; m <= 512; ++m) {
    ASSERT_TRUE(SameOffsets(Scale(ScaleOrder::kND, m, 2).map(),
                            Scale(ScaleOrder::kZZ, m, 2).map()));
  }
  EXPECT_FALSE(SameOffsets(Scale(ScaleOrder::kND, 16, 4).map(),
                           Scale(ScaleOrder::kZZ, 16, 4).map()));
}

// Section 5: DN [4, 32], "destination = (group, line)".
TEST(ScaleExamplesTest, DNToZZExample) {
  const Conversion zz_to_dn =
      Conversion::Create(Scale(ScaleOrder::kZZ, 32, 4).LineMap(),
                         Scale(ScaleOrder::kDN, 4, 32).LineMap())
          .value();
  const int64_t examples[][3] = {
      {0, 0, 0},  {1, 1, 0},   {2, 0, 1},   {31, 1, 15}, {32, 2, 0},
      {33, 3, 0}, {63, 3, 15}, {64, 0, 16}, {96, 2, 16}, {127, 3, 31}};
  for (const auto& [destination, group, line] : examples) {
    EXPECT_EQ(zz_to_dn.Destination(destination), group * 32 + line);
  }
}

// The theorem (section 5): E_ZZ[cb, p, q, d] = E_DN[2p + d][16 cb + q], the
// source at (2p + d) N + 16 cb + q; and that a box comes from two runs of 16.
// all_layouts_exhaustive_test has every shape.
TEST(ScaleExamplesTest, DNToZZTheorem) {
  for (int64_t h = 2; h <= 64; h += 2) {
    for (int64_t n = 16; n <= 128; n += 16) {
      const ScaleLayout zz = Scale(ScaleOrder::kZZ, n, h);
      const Conversion zz_to_dn =
          Conversion::Create(zz.LineMap(),
                             Scale(ScaleOrder::kDN, h, n).LineMap())
              .value();
      ASSERT_EQ(zz.size_bytes(), h * n);
      for (int64_t box = 0; box < h * n / 32; ++box) {
        const int64_t cb = box / (h / 2), p = box % (h / 2);
        const int64_t even = 2 * p * n + 16 * cb, odd = even + n;
        for (int64_t q = 0; q < 16; ++q) {
          ASSERT_EQ(zz_to_dn.Destination(32 * box + 2 * q), even + q);
          ASSERT_EQ(zz_to_dn.Destination(32 * box + 2 * q + 1), odd + q);
        }
      }
    }
  }
}

// Section 5: the block-strided store of the device's program puts box b of
// vector v of pair p at ((8 v + b) (H/2) + p) * 32.
TEST(ScaleExamplesTest, BlockStridesOfDNToZZ) {
  const int64_t h = 8, n = 256;
  const ScaleLayout zz = Scale(ScaleOrder::kZZ, n, h);
  for (int64_t p = 0; p < h / 2; ++p) {
    for (int64_t v = 0; v < n / 128; ++v) {
      for (int64_t b = 0; b < 8; ++b) {
        EXPECT_EQ(zz.Offset(128 * v + 16 * b, 2 * p),
                  ((8 * v + b) * (h / 2) + p) * 32);
      }
    }
  }
}

// Section 6: byte E[p, 2c + d] = E_DN[2p + d][c] of a tile whose pitch is its
// columns, 2 N rounded up to 32: MX_B_ND with that pitch.
TEST(ScaleExamplesTest, InterleavedExponentsAreMxBNDWithAPitch) {
  for (const int64_t n : {16, 20, 32, 48, 100}) {
    const int64_t tile_cols = (2 * n + 31) / 32 * 32;
    const ScaleLayout tile = Scale(ScaleOrder::kMxBND, 6, n, tile_cols);
    EXPECT_EQ(tile.size_bytes(), 3 * tile_cols);
    for (int64_t p = 0; p < 3; ++p) {
      for (int64_t c = 0; c < n; ++c) {
        for (int64_t d = 0; d < 2; ++d) {
          EXPECT_EQ(tile.Offset(2 * p + d, c), p * tile_cols + 2 * c + d);
        }
      }
    }
  }
}

// Sections 4, 5 and 7, for every legal shape: each line one equality.
TEST(ScaleEqualitiesTest, EveryLegalShape) {
  for (int64_t lines = 1; lines <= 512; ++lines) {
    for (int64_t groups = 2; groups <= 512; groups += 2) {
      const IndexMap zz = Scale(ScaleOrder::kZZ, lines, groups).map();
      const IndexMap nn = Scale(ScaleOrder::kNN, groups, lines).map();
      const IndexMap nd = Scale(ScaleOrder::kND, lines, groups).map();
      const IndexMap a_nd = Scale(ScaleOrder::kMxAND, lines, groups).map();
      const IndexMap a_dn = Scale(ScaleOrder::kMxADN, lines, groups).map();
      const IndexMap b_nd = Scale(ScaleOrder::kMxBND, groups, lines).map();
      const IndexMap b_dn = Scale(ScaleOrder::kMxBDN, groups, lines).map();
      // Whole maps cheaply: equal digits are equal functions.
      const auto same = [](const IndexMap& a, const IndexMap& b) {
        const auto equal = [](const std::vector<IndexMap::Digit>& x,
                              const std::vector<IndexMap::Digit>& y) {
          if (x.size() != y.size()) return false;
          for (size_t i = 0; i < x.size(); ++i) {
            if (x[i].extent != y[i].extent || x[i].stride != y[i].stride) {
              return false;
            }
          }
          return true;
        };
        return a.rows() == b.rows() && a.cols() == b.cols() &&
               equal(a.row_digits(), b.row_digits()) &&
               equal(a.col_digits(), b.col_digits());
      };
      ASSERT_TRUE(same(nn, zz.Transposed())) << lines << ", " << groups;
      ASSERT_TRUE(same(b_nd, a_dn.Transposed())) << lines << ", " << groups;
      ASSERT_TRUE(same(b_dn, a_nd.Transposed())) << lines << ", " << groups;
      ASSERT_TRUE(same(a_nd, nd)) << lines << ", " << groups;
    }
  }
}

// Section 7: a quantiser's plain [G, N] is an MX_B_ND for one line only.
TEST(ScaleEqualitiesTest, PlainDNIsNoMxBND) {
  for (int64_t n = 2; n <= 40; ++n) {
    EXPECT_FALSE(SameOffsets(Scale(ScaleOrder::kDN, 4, n).map(),
                             Scale(ScaleOrder::kMxBND, 4, n).map()));
  }
  EXPECT_TRUE(SameOffsets(Scale(ScaleOrder::kDN, 4, 1).map(),
                          Scale(ScaleOrder::kMxBND, 4, 1).map()));
}

// Section 7: the 5-D shapes and strides of the table, walked.
TEST(ScaleExamplesTest, FiveDimensionalStrides) {
  const int64_t m = 48, g = 6;
  const ScaleLayout zz = Scale(ScaleOrder::kZZ, m, g);
  const ScaleLayout a_dn = Scale(ScaleOrder::kMxADN, m, g);
  const ScaleLayout b_dn = Scale(ScaleOrder::kMxBDN, g, m);
  for (int64_t line = 0; line < m; ++line) {
    for (int64_t group = 0; group < g; ++group) {
      EXPECT_EQ(zz.Offset(line, group), line / 16 * 16 * g + group / 2 * 32 +
                                            line % 16 * 2 + group % 2);
      EXPECT_EQ(a_dn.Offset(line, group),
                group / 2 * 2 * m + line * 2 + group % 2);
      EXPECT_EQ(b_dn.Offset(group, line), line * g + group / 2 * 2 + group % 2);
    }
  }
}

// Section 7: a load of ZZ into L1 is bursts of 16*G bytes, one for each 16
// rows, at a pitch of 16 times the tile's columns.
TEST(ScaleExamplesTest, BurstsOfALoadIntoL1) {
  const int64_t m = 40, g = 6, tile_cols = 10;
  const Conversion load =
      Conversion::Create(Scale(ScaleOrder::kZZ, m, g).map(),
                         Scale(ScaleOrder::kZZ, m, g, 16 * tile_cols).map())
          .value();
  for (int64_t offset = 0; offset < m * g; ++offset) {
    const auto destination = load.Destination(offset);
    if (!destination.has_value()) continue;
    EXPECT_EQ(*destination,
              offset / (16 * g) * (16 * tile_cols) + offset % (16 * g));
  }
}

// Section 7: unboxed scales become ZZ by the modes that make NZ, with a pair as
// one element of 16 bits: ZZ of [M, G] is NZ of the pairs as [G/2, M].
TEST(ScaleExamplesTest, ZZIsNZOfPairs) {
  for (const int64_t pairs : {16, 32}) {
    for (const int64_t m : {16, 40, 64}) {
      const ScaleLayout zz = Scale(ScaleOrder::kZZ, m, 2 * pairs);
      const NzLayout nz = Nz(NzOrder::kNZ, pairs, m, 16);
      EXPECT_EQ(zz.size_bytes(), nz.size_bytes());
      for (int64_t line = 0; line < m; ++line) {
        for (int64_t group = 0; group < 2 * pairs; ++group) {
          ASSERT_EQ(zz.Offset(line, group),
                    2 * nz.Offset(group / 2, line) + group % 2);
        }
      }
    }
  }
}

// Section 12: LOAD_MX of rows 64.. and groups 4.. of a [128, 8] tile into a
// [64, 4] tile. Box (i, j) comes from box (4 + i) * 4 + (2 + j).
TEST(MoveExamplesTest, LoadMxMovesWholeBoxes) {
  const ScaleLayout source = Scale(ScaleOrder::kZZ, 128, 8);
  const ScaleLayout destination = Scale(ScaleOrder::kZZ, 64, 4);
  for (int64_t m = 0; m < 64; ++m) {
    for (int64_t g = 0; g < 4; ++g) {
      const int64_t from = source.Offset(64 + m, 4 + g);
      const int64_t to = destination.Offset(m, g);
      const int64_t i = m / 16, j = g / 2;
      EXPECT_EQ(from / 32, (4 + i) * 4 + (2 + j));
      EXPECT_EQ(to / 32, i * 2 + j);
      EXPECT_EQ(from % 32, to % 32);
    }
  }
}

// Section 12: LOAD_2Dv2 of 64 x 128 at (64, 128) of a [128, 256] NZ tile.
// Fractal (i, j) comes from fractal (4 + j) * 8 + (4 + i).
TEST(MoveExamplesTest, Load2DMovesWholeFractals) {
  const NzLayout source = Nz(NzOrder::kNZ, 128, 256, 8);
  const NzLayout destination = Nz(NzOrder::kNZ, 64, 128, 8);
  for (int64_t r = 0; r < 64; ++r) {
    for (int64_t c = 0; c < 128; ++c) {
      const int64_t from = source.Offset(64 + r, 128 + c);
      const int64_t to = destination.Offset(r, c);
      const int64_t i = r / 16, j = c / 32;
      EXPECT_EQ(from / 512, (4 + j) * 8 + (4 + i));
      EXPECT_EQ(to / 512, j * 4 + i);
      EXPECT_EQ(from % 512, to % 512);
    }
  }
}

}  // namespace
}  // namespace mxtile
