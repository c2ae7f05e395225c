#include "tools/bench/ir_text.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mxtile::bench {
namespace {

using ::testing::ElementsAre;

constexpr char kModule[] = R"(; ModuleID = 'm'
source_filename = "m"

define internal void @m.team(ptr noalias align(16) %0, i64 %1, i64 %10) #0 {
entry:
  %2 = add i64 %1, 1
  switch i64 %2, label %done [
    i64 0, label %done
    i64 1, label %done
  ]

done:                                             ; preds = %entry
  ; a comment
  ret void
}

declare void @m.teams(i64)

define void @m(ptr %0) {
  call void @m.team(ptr %0, i64 0, i64 8)
  ret void
}
)";

TEST(IrTextTest, FindsFunctionsTheirLengthsCallsAndUses) {
  const IrText ir(kModule);
  ASSERT_EQ(ir.functions().size(), 2);
  const IrFunction* const team = ir.Find("m.team");
  ASSERT_NE(team, nullptr);
  EXPECT_TRUE(team->is_internal);
  EXPECT_EQ(team->instructions, 3);
  EXPECT_THAT(team->params, ElementsAre("%0", "%1", "%10"));
  EXPECT_TRUE(team->Uses("%1"));
  EXPECT_FALSE(team->Uses("%10"));
  EXPECT_FALSE(team->Uses("%0"));
  const IrFunction* const entry = ir.Find("m");
  ASSERT_NE(entry, nullptr);
  EXPECT_FALSE(entry->is_internal);
  EXPECT_EQ(entry->instructions, 2);
  EXPECT_TRUE(entry->Calls("m.team"));
  EXPECT_FALSE(entry->Calls("m.tea"));
  EXPECT_FALSE(entry->Calls("m"));
  EXPECT_EQ(ir.Find("m.teams"), nullptr);
}

TEST(IrTextTest, OfWhatIsNoModuleHasNoFunctions) {
  EXPECT_TRUE(IrText("").functions().empty());
  EXPECT_EQ(IrText("define what").functions().size(), 1);
  EXPECT_TRUE(IrText("define what").functions()[0].name.empty());
}

}  // namespace
}  // namespace mxtile::bench
