#include "numerics/f8e8m0fnu.h"

#include <cmath>
#include <cstdint>

#include "absl/base/casts.h"
#include "gtest/gtest.h"

namespace mxtile {
namespace {

TEST(F8E8M0FNUTest, DecodesEveryNumber) {
  for (int code = 0; code < 255; ++code) {
    EXPECT_EQ(DecodeF8E8M0FNU(code), std::ldexp(1.0, code - 127)) << code;
  }
}

TEST(F8E8M0FNUTest, TheLastCodeIsNan) {
  EXPECT_EQ(absl::bit_cast<uint32_t>(DecodeF8E8M0FNU(255)), 0x7FC00000);
}

}  // namespace
}  // namespace mxtile
