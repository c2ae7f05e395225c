#include "ir/op_registry.h"

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mxtile::ir {
namespace {

using ::testing::ElementsAre;

OpDef Named(std::string name, std::vector<ShortForm> short_forms = {}) {
  OpDef def;
  def.name = std::move(name);
  def.arg_names = {"lhs", "rhs"};
  def.short_forms = std::move(short_forms);
  return def;
}

TEST(OpRegistryTest, FindsByNameAndShortName) {
  OpRegistry registry;
  const OpDef* load = registry.Register(Named("tile.load", {{"load"}}));
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
  registry.Register(Named("tile.load", {{"load"}}));
  EXPECT_DEATH(registry.Register(Named("tile.load")),
               "tile.load is registered twice");
  EXPECT_DEATH(registry.Register(Named("tensor.load", {{"load"}})),
               "pl.load stands for two operators, tile.load and tensor.load");
}

// ---- Names that several operators share

class ShortFormTest : public ::testing::Test {
 protected:
  using K = OperandKind;

  OpRegistry registry_;
  const OpDef* tensors_ =
      registry_.Register(Named("tensor.add", {{"add", {K::kTensor}}}));
  const OpDef* tiles_ =
      registry_.Register(Named("tile.add", {{"add", {K::kTile, K::kTile}}}));
  const OpDef* tile_and_scalar_ =
      registry_.Register(Named("tile.adds", {{"add", {K::kTile, K::kScalar}}}));
  const OpDef* with_keyword_ = registry_.Register(
      Named("tile.addk", {{"add", {K::kTile, K::kTile}, "k"}}));

  const TileType tile_ = [] {
    TileType type;
    type.kind = TypeKind::kTile;
    return type;
  }();
  const TensorType tensor_ = [] {
    TensorType type;
    type.kind = TypeKind::kDistributedTensor;
    return type;
  }();
  const ScalarType scalar_ = [] {
    ScalarType type;
    type.kind = TypeKind::kScalar;
    return type;
  }();
};

TEST_F(ShortFormTest, AreToldApartByTheKindsOfTheFirstOperands) {
  EXPECT_EQ(registry_.FindShort("add", {{"", &tensor_}}), tensors_);
  EXPECT_EQ(registry_.FindShort("add", {{"", &tensor_}, {"", &tile_}}),
            tensors_);
  EXPECT_EQ(registry_.FindShort("add", {{"", &tile_}, {"", &tile_}}), tiles_);
  EXPECT_EQ(registry_.FindShort("add", {{"", &tile_}, {"", &scalar_}}),
            tile_and_scalar_);
  EXPECT_EQ(registry_.FindShort("add", {{"", &tile_}, {"", &tensor_}}),
            nullptr);
  EXPECT_EQ(registry_.FindShort("add", {{"", &tile_}}), nullptr);
  EXPECT_EQ(registry_.FindShort("add", {{"", &tile_}, {"", nullptr}}), nullptr);
}

TEST_F(ShortFormTest, OperandsMayBeNamed) {
  EXPECT_EQ(registry_.FindShort("add", {{"rhs", &scalar_}, {"lhs", &tile_}}),
            tile_and_scalar_);
}

TEST_F(ShortFormTest, OneWithItsKeywordComesFirst) {
  EXPECT_EQ(
      registry_.FindShort("add", {{"", &tile_}, {"", &tile_}, {"k", nullptr}}),
      with_keyword_);
}

TEST_F(ShortFormTest, Candidates) {
  std::vector<const OpDef*> ops;
  for (const auto& candidate : registry_.ShortCandidates("add")) {
    ops.push_back(candidate.op);
  }
  EXPECT_THAT(ops,
              ElementsAre(tensors_, tiles_, tile_and_scalar_, with_keyword_));
  EXPECT_TRUE(registry_.ShortCandidates("tile.add").empty());
}

}  // namespace
}  // namespace mxtile::ir
