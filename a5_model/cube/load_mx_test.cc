#include "a5_model/cube/load_mx.h"

#include <cstdint>
#include <vector>

#include "a5_model/cube/provenance_test_util.h"
#include "a5_model/machine.h"
#include "a5_model/soc/soc.h"
#include "absl/status/status.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mxtile {
namespace a5 {
namespace {

using ::testing::HasSubstr;

// Byte offset of the scale of (line, group) in a ZZ (NN) matrix.
int64_t Zz(int64_t groups, int64_t line, int64_t group) {
  return (line / 16 * (groups / 2) + group / 2) * 32 + line % 16 * 2 +
         group % 2;
}

// Source [64 lines, 8 groups]; all windows of whole boxes in it.
TEST(LoadMxTest, MovesEachWindowOfAMatrix) {
  constexpr int64_t kLines = 64;
  constexpr int64_t kGroups = 8;
  for (int64_t line = 0; line < kLines; line += 16) {
    for (int64_t group = 0; group < kGroups; group += 2) {
      for (int64_t lines = 16; line + lines <= kLines; lines += 16) {
        for (int64_t groups = 2; group + groups <= kGroups; groups += 2) {
          std::vector<int64_t> expected(lines * groups);
          for (int64_t i = 0; i < lines; ++i) {
            for (int64_t g = 0; g < groups; ++g) {
              expected[Zz(groups, i, g)] = Zz(kGroups, line + i, group + g);
            }
          }
          const MemorySpace to = (line / 16 + group / 2) % 2 == 0
                                     ? MemorySpace::kLeftScale
                                     : MemorySpace::kRightScale;
          EXPECT_EQ(TraceMat(kLines * kGroups, to, lines * groups,
                             [&](Machine& machine) {
                               return LoadMx(
                                   machine, to,
                                   {0, 0, line / 16, group / 2, lines / 16,
                                    groups / 2, kGroups / 2, groups / 2, 1});
                             }),
                    expected)
              << line << " " << group << " " << lines << " " << groups;
        }
      }
    }
  }
}

// The worked example of the layout page: an A scale tile [128, 8] in Mat, rows
// from 64 and groups from 4 on into a tile [64, 4].
TEST(LoadMxTest, WorkedExample) {
  const std::vector<int64_t> from =
      TraceMat(128 * 8, MemorySpace::kLeftScale, 64 * 4, [](Machine& machine) {
        return LoadMx(machine, MemorySpace::kLeftScale,
                      {0, 0, 4, 2, 4, 2, 4, 2, 1});
      });
  for (int64_t i = 0; i < 4; ++i) {
    for (int64_t j = 0; j < 2; ++j) {
      for (int64_t byte = 0; byte < 32; ++byte) {
        EXPECT_EQ(from[(i * 2 + j) * 32 + byte],
                  ((4 + i) * 4 + (2 + j)) * 32 + byte);
      }
    }
  }
}

TEST(LoadMxTest, RecordsItsFill) {
  Machine machine;
  MX_ASSERT_OK(LoadMx(machine, MemorySpace::kLeftScale,
                      {0, 0x800, 0, 0, 4, 2, 2, 2, /*fill_id=*/42}));
  MX_ASSERT_OK_AND_ASSIGN(
      const ScaleFill fill,
      machine.FindScaleFill(MemorySpace::kLeftScale, 0x800, 256));
  EXPECT_EQ(fill.space, MemorySpace::kLeftScale);
  EXPECT_EQ(fill.address, 0x800);
  EXPECT_EQ(fill.size, 256);
  EXPECT_EQ(fill.fill_id, 42);
  EXPECT_EQ(fill.instruction, 1);
}

TEST(LoadMxTest, GapsAreNotFilled) {
  Machine machine;
  MX_ASSERT_OK(LoadMx(machine, MemorySpace::kRightScale,
                      {0, 0, 0, 0, 2, 1, 2, /*dst_stride=*/2, 1}));
  EXPECT_TRUE(machine.FindScaleFill(MemorySpace::kRightScale, 0, 32).ok());
  EXPECT_FALSE(machine.FindScaleFill(MemorySpace::kRightScale, 0, 96).ok());
  EXPECT_TRUE(machine.FindScaleFill(MemorySpace::kRightScale, 64, 32).ok());
}

absl::Status Load(const LoadMxParams& params) {
  Machine machine;
  return LoadMx(machine, MemorySpace::kLeftScale, params);
}

TEST(LoadMxTest, Traps) {
  EXPECT_THAT(Load({0, 16, 0, 0, 1, 1, 1, 1, 1}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("LOAD_MX L0A_MX (instruction 1): writes "
                                 "[0x10, 0x30) of LeftScale")));
  EXPECT_THAT(Load({0, 4096 - 32, 0, 0, 2, 1, 1, 1, 1}),
              StatusIs(absl::StatusCode::kOutOfRange,
                       HasSubstr("writes 32 bytes at 0x1000")));
  EXPECT_THAT(Load({524288 - 32, 0, 0, 0, 1, 2, 2, 2, 1}),
              StatusIs(absl::StatusCode::kOutOfRange,
                       HasSubstr("reads 64 bytes at 0x7ffe0")));
  EXPECT_THAT(Load({0, 0, 0, 0, 2, 2, 2, 1, 1}),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("already written by the same instruction")));
}

TEST(LoadMxTest, FieldRanges_A5_FIELD_1) {
  const auto names = [](const LoadMxParams& params, const char* field) {
    EXPECT_THAT(Load(params),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(field)));
  };
  names({0, 0, -1, 0, 1, 1, 1, 1, 1}, "xStart is -1");
  names({0, 0, 0, -1, 1, 1, 1, 1, 1}, "yStart is -1");
  names({0, 0, 0, 0, 256, 1, 1, 1, 1}, "xStep is 256");
  names({0, 0, 0, 0, 1, 0, 1, 1, 1}, "yStep is 0");
  names({0, 0, 0, 0, 1, 1, 0, 1, 1}, "srcStride is 0");
  names({0, 0, 0, 0, 1, 1, 1, 65536, 1}, "dstStride is 65536");
}

TEST(LoadMxTest, ATrapRecordsNoFill) {
  Machine machine;
  EXPECT_FALSE(LoadMx(machine, MemorySpace::kLeftScale,
                      {0, 4096 - 32, 0, 0, 2, 1, 1, 1, 1})
                   .ok());
  EXPECT_FALSE(
      machine.FindScaleFill(MemorySpace::kLeftScale, 4096 - 32, 32).ok());
}

}  // namespace
}  // namespace a5
}  // namespace mxtile
