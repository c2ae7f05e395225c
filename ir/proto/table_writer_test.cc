#include "ir/proto/table_writer.h"

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/proto/ir.pb.h"
#include "ir/source_span.h"

namespace mxtile::ir {
namespace {

using ::testing::ElementsAre;

SourceSpan At(absl::string_view file, int32_t line, int32_t column,
              int32_t end_line, int32_t end_column) {
  return {{line, column, end_line, end_column}, file};
}

v1::ProgramProto Finish(TableWriter&& tables) {
  v1::ProgramProto head;
  head.set_format_version(1);
  v1::ProgramProto rest;
  rest.add_dynamic_dims(7);
  v1::ProgramProto program;
  EXPECT_TRUE(program.ParseFromString(std::move(tables).Finish(head, &rest)));
  return program;
}

TEST(TableWriterTest, PlaceZeroIsThereFromTheStart) {
  const v1::ProgramProto program = Finish(TableWriter());
  EXPECT_EQ(program.format_version(), 1);
  EXPECT_THAT(program.strings(), ElementsAre(""));
  ASSERT_EQ(program.nodes_size(), 1);
  EXPECT_EQ(program.nodes(0).ByteSizeLong(), 0);
  EXPECT_FALSE(program.has_spans());
  EXPECT_THAT(program.dynamic_dims(), ElementsAre(7));
}

TEST(TableWriterTest, RowsThatSayTheSame) {
  TableWriter tables;
  EXPECT_EQ(tables.String("a"), 1);
  EXPECT_EQ(tables.String(""), 0);
  EXPECT_EQ(tables.String("b"), 2);
  EXPECT_EQ(tables.String("a"), 1);
  v1::Node node;
  node.set_name(2);
  EXPECT_EQ(tables.AddNode(node), 1);
  EXPECT_EQ(tables.AddOnce(node), 2);
  EXPECT_EQ(tables.AddOnce(node), 2);
  EXPECT_EQ(tables.AddNode(node), 3);
  const v1::ProgramProto program = Finish(std::move(tables));
  EXPECT_THAT(program.strings(), ElementsAre("", "a", "b"));
  ASSERT_EQ(program.nodes_size(), 4);
  for (int i = 1; i < 4; ++i) EXPECT_EQ(program.nodes(i).name(), 2);
}

// Held against a plain map: places in order of their lines and out of it, lines
// with many places, several files, places that come again.
TEST(TableWriterTest, SpansHaveTheNumbersOfTheirFirstUse) {
  constexpr uint64_t kSeed = 20261130;
  SCOPED_TRACE(kSeed);
  std::mt19937_64 random(kSeed);
  const auto below = [&](int n) { return static_cast<int32_t>(random() % n); };
  const std::vector<std::string> files = {"a.py", "b.py"};
  for (int round = 0; round < 50; ++round) {
    TableWriter tables;
    std::map<std::tuple<std::string, int, int, int, int>, uint32_t> expected;
    EXPECT_EQ(tables.Span(SourceSpan()), 0);
    const int columns = round % 2 == 0 ? 3 : 200;
    for (int i = 0; i < 2000; ++i) {
      // Mostly lines go up.
      const int32_t line = below(8) == 0 ? 1 + below(100) : 1 + i / 20;
      const std::string& file = files[below(20) == 0 ? 1 : 0];
      const int32_t column = 1 + below(columns);
      const int32_t more = below(10) == 0 ? below(3) : 0;
      const int32_t end = 1 + below(columns);
      const uint32_t number =
          tables.Span(At(file, line, column, line + more, end));
      const auto [it, is_new] = expected.emplace(
          std::make_tuple(file, line, column, line + more, end),
          static_cast<uint32_t>(expected.size() + 1));
      ASSERT_EQ(number, it->second);
    }
    const v1::SpanTable spans = Finish(std::move(tables)).spans();
    ASSERT_EQ(spans.file_size(), expected.size() + 1);
    for (const auto& [place, number] : expected) {
      EXPECT_EQ(spans.line(number), std::get<1>(place));
      EXPECT_EQ(spans.column(number), std::get<2>(place));
      EXPECT_EQ(spans.line(number) + spans.more_lines(number),
                std::get<3>(place));
      EXPECT_EQ(spans.end_column(number), std::get<4>(place));
    }
  }
}

}  // namespace
}  // namespace mxtile::ir
