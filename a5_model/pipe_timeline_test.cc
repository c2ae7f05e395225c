#include "a5_model/pipe_timeline.h"

#include <cstdint>
#include <string>
#include <vector>

#include "a5_model/soc/soc.h"
#include "absl/strings/str_cat.h"
#include "absl/types/variant.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mxtile {
namespace a5 {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> Lines(const PipeTimeline& timeline) {
  std::vector<std::string> lines;
  for (const TraceEvent& event : timeline.events()) {
    lines.push_back(absl::StrCat(Name(event.pipe), " ", event.name, " ",
                                 event.start_cycles, "+",
                                 event.duration_cycles));
  }
  return lines;
}

TEST(PipeTimelineTest, PipesAdvanceOnTheirOwn) {
  PipeTimeline timeline;
  timeline.Add(Pipe::kMte2, "a", 10, 270);
  timeline.Add(Pipe::kM, "b", 41, 0);
  timeline.Add(Pipe::kMte2, "c", 5, 135);
  EXPECT_THAT(Lines(timeline),
              ElementsAre("MTE2 a 0+10", "M b 0+41", "MTE2 c 10+5"));
  EXPECT_EQ(timeline.stats(Pipe::kMte2).cycles, 15);
  EXPECT_EQ(timeline.stats(Pipe::kMte2).bytes, 405);
  EXPECT_EQ(timeline.stats(Pipe::kMte2).instructions, 2);
  EXPECT_EQ(timeline.stats(Pipe::kM).cycles, 41);
  EXPECT_EQ(timeline.stats(Pipe::kFix).instructions, 0);
  EXPECT_EQ(timeline.Makespan(), 41);
}

TEST(PipeTimelineTest, MarksTakeNoTimeAndAreNoInstructions) {
  PipeTimeline timeline;
  timeline.Add(Pipe::kMte1, "a", 10, 270,
               {AddressArg("to", "Left", 0x800), {"tile", int64_t{7}}});
  timeline.Mark(Pipe::kMte1, "bind", {{"scale", "s"}});
  timeline.Add(Pipe::kMte1, "b", 5, 0);
  EXPECT_THAT(Lines(timeline),
              ElementsAre("MTE1 a 0+10", "MTE1 bind 10+0", "MTE1 b 10+5"));
  EXPECT_EQ(timeline.stats(Pipe::kMte1).instructions, 2);
  EXPECT_EQ(timeline.stats(Pipe::kMte1).cycles, 15);
  const std::vector<TraceEvent>& events = timeline.events();
  EXPECT_FALSE(events[0].is_mark);
  EXPECT_TRUE(events[1].is_mark);
  EXPECT_EQ(events[0].bytes, 270);
  ASSERT_EQ(events[0].args.size(), 2);
  EXPECT_EQ(events[0].args[0].name, "to");
  EXPECT_EQ(absl::get<std::string>(events[0].args[0].value), "0x800 of Left");
  EXPECT_EQ(absl::get<int64_t>(events[0].args[1].value), 7);
}

TEST(PipeTimelineTest, ClearForgets) {
  PipeTimeline timeline;
  timeline.Add(Pipe::kV, "x", 3, 0);
  timeline.Clear();
  EXPECT_EQ(timeline.Makespan(), 0);
  EXPECT_TRUE(timeline.events().empty());
}

}  // namespace
}  // namespace a5
}  // namespace mxtile
