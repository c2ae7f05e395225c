#include "tools/quantize/progress_bar.h"

#include "gtest/gtest.h"

namespace mxtile {
namespace {

TEST(ProgressBarTest, Lines) {
  EXPECT_EQ(ProgressLine(0, 2000, 0),
            "[>                             ] 0%  0.0 of 2.0 kB");
  EXPECT_EQ(ProgressLine(1'000'000'000, 4'000'000'000, 2),
            "[=======>                      ] 25%  1.0 of 4.0 GB  500 MB/s  "
            "6 s left");
  EXPECT_EQ(ProgressLine(5'000'000, 5'000'000, 1),
            "[==============================] 100%  5.0 of 5.0 MB  5 MB/s  "
            "0 s left");
  EXPECT_EQ(ProgressLine(0, 0, 0),
            "[==============================] 100%  0.0 of 0.0 kB");
}

}  // namespace
}  // namespace mxtile
