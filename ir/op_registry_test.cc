#include "ir/op_registry.h"

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mxtile::ir {
namespace {

using ::testing::ElementsAre;

OpDef Named(std::string name, std::string short_name = "") {
  OpDef def;
  def.name = std::move(name);
  def.short_name = std::move(short_name);
  return def;
}

TEST(OpRegistryTest, FindsByNameAndShortName) {
  OpRegistry registry;
  const OpDef* load = registry.Register(Named("tile.load", "load"));
  const OpDef* alloc = registry.Register(Named("tile.alloc"));
  EXPECT_EQ(registry.Find("tile.load"), load);
  EXPECT_EQ(registry.Find("tile.alloc"), alloc);
  EXPECT_EQ(registry.Find("load"), nullptr);
  EXPECT_EQ(registry.FindShort("load"), load);
  EXPECT_EQ(registry.FindShort("tile.load"), nullptr);
  EXPECT_EQ(registry.FindShort(""), nullptr);
}

TEST(OpRegistryTest, KeepsTheOrderAndTheAddresses) {
  OpRegistry registry;
  std::vector<const OpDef*> made;
  for (int i = 0; i < 100; ++i) {
    made.push_back(registry.Register(Named("op" + std::to_string(i))));
  }
  std::vector<const OpDef*> listed;
  for (const auto& op : registry.ops()) listed.push_back(op.get());
  EXPECT_EQ(listed, made);
  EXPECT_EQ(registry.Find("op0"), made[0]);
}

TEST(OpRegistryDeathTest, NamesAreNew) {
  OpRegistry registry;
  registry.Register(Named("tile.load", "load"));
  EXPECT_DEATH(registry.Register(Named("tile.load")),
               "tile.load is registered twice");
  EXPECT_DEATH(registry.Register(Named("tensor.load", "load")),
               "pl.load stands for two operators");
}

}  // namespace
}  // namespace mxtile::ir
