// The checker by itself; what instructions make of it is in load_test.cc,
// store_test.cc, stream_test.cc and vector_unit_test.cc.

#include "a5_model/vector/ub_checker.h"

#include <cstdint>

#include "a5_model/memory.h"
#include "absl/status/status.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mxtile {
namespace a5 {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr Access kLoad = {"vlds NORM", 7};

// The example of the header.
TEST(UbCheckerTest, UsableBytesEndWithTheBuffer) {
  Memory ub("Vec", {4096, 32});
  UbChecker checker(ub, {});
  MX_ASSERT_OK(
      checker.DeclareBuffer("max", 0x400, 64, BufferOverlap::kForbidden));
  int64_t usable = 0;
  MX_ASSERT_OK(checker.CheckLoad(kLoad, 0x400, 256, &usable));
  EXPECT_EQ(usable, 64);
  EXPECT_THAT(checker.warnings(),
              ElementsAre("vlds NORM (instruction 7): reads [0x400, 0x500) of "
                          "Vec, 192 bytes beyond buffer 'max' [0x400, 0x440) "
                          "(A5-VEC-3)"));
  MX_ASSERT_OK(checker.CheckLoad(kLoad, 0x420, 32, &usable));
  EXPECT_EQ(usable, 32);
  MX_ASSERT_OK(checker.CheckLoad(kLoad, 0x43F, 1, &usable));
  EXPECT_EQ(usable, 1);
  MX_ASSERT_OK(checker.CheckLoad({"vlds BLK", 8}, 0x440, 32, &usable));
  EXPECT_EQ(usable, 0);
}

// Of buffers that share an address, the one with more room counts.
TEST(UbCheckerTest, TheRoomierBufferCounts) {
  Memory ub("Vec", {4096, 32});
  UbChecker checker(ub, {});
  MX_ASSERT_OK(checker.DeclareBuffer("a", 0, 64, BufferOverlap::kForbidden));
  MX_ASSERT_OK(checker.DeclareBuffer("b", 0, 256, BufferOverlap::kAllowed));
  int64_t usable = 0;
  MX_ASSERT_OK(checker.CheckLoad(kLoad, 0, 64, &usable));
  MX_ASSERT_OK(checker.CheckLoad(kLoad, 0, 256, &usable));
  EXPECT_EQ(usable, 256);
  EXPECT_THAT(checker.warnings(), IsEmpty());
  MX_EXPECT_OK(checker.CheckStore({"vsts NORM", 9}, 0, 64));
}

// The quick questions agree with the thorough ones.
TEST(UbCheckerTest, PlainAccesses) {
  Memory ub("Vec", {4096, 32});
  UbChecker checker(ub, {});
  EXPECT_TRUE(checker.IsPlainLoad(0, 256, 0));
  EXPECT_TRUE(checker.IsPlainLoad(0, 256, 1000));  // not one of our stores
  MX_ASSERT_OK(checker.DeclareBuffer("a", 64, 64, BufferOverlap::kForbidden));
  EXPECT_FALSE(checker.IsPlainLoad(32, 32, 0));
  EXPECT_TRUE(checker.IsPlainLoad(64, 64, 0));
  EXPECT_FALSE(checker.IsPlainStore(64, 65, 0));
  checker.RecordStore({"vsts NORM", 10});
  EXPECT_TRUE(checker.IsPlainLoad(64, 64, 9));
  EXPECT_FALSE(checker.IsPlainLoad(64, 64, 10));
  EXPECT_FALSE(checker.IsPlainStore(64, 64, 10));
  checker.RecordBarrier(Barrier::kVstVst);
  EXPECT_FALSE(checker.IsPlainLoad(64, 64, 10));
  EXPECT_TRUE(checker.IsPlainStore(64, 64, 10));
  checker.RecordBarrier(Barrier::kVstVld);
  EXPECT_TRUE(checker.IsPlainLoad(64, 64, 10));
  checker.HoldBack(1, 100, 3);
  EXPECT_FALSE(checker.IsPlainLoad(64, 64, 0));
  EXPECT_TRUE(checker.IsPlainStore(64, 64, 0));
  checker.HoldBack(1, 0, 0);
  EXPECT_TRUE(checker.IsPlainLoad(64, 64, 0));
  MX_ASSERT_OK(checker.DeclareBuffer("b", 96, 64, BufferOverlap::kForbidden));
  EXPECT_FALSE(checker.IsPlainStore(64, 32, 0));
}

TEST(UbCheckerTest, HeldBytesByStream_A5_VEC_5) {
  Memory ub("Vec", {4096, 32});
  UbChecker checker(ub, {});
  int64_t usable = 0;
  checker.HoldBack(1, 100, 3);
  checker.HoldBack(2, 200, 1);
  checker.HoldBack(1, 104, 2);  // the first stream went on
  MX_EXPECT_OK(checker.CheckLoad(kLoad, 100, 4, &usable));
  EXPECT_THAT(checker.CheckLoad(kLoad, 105, 1, &usable),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("holds [0x68, 0x6a) of Vec")));
  EXPECT_THAT(checker.CheckLoad(kLoad, 192, 32, &usable),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("holds [0xc8, 0xc9) of Vec")));
  checker.HoldBack(1, 0, 0);
  MX_EXPECT_OK(checker.CheckLoad(kLoad, 105, 1, &usable));
  EXPECT_THAT(checker.CheckFlushed("stage 'x'"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       HasSubstr("stage 'x' ends while a vstus stream still "
                                 "holds [0xc8, 0xc9) of Vec")));
  checker.HoldBack(2, 0, 0);
  MX_EXPECT_OK(checker.CheckFlushed("stage 'x'"));
}

}  // namespace
}  // namespace a5
}  // namespace mxtile
