#include "ir/ops/standard_ops.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/op_registry.h"
#include "ir/ops/op_test_util.h"
#include "ir/type.h"

namespace mxtile::ir {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::IsEmpty;
using ::testing::Optional;

const OpDef& Op(const std::string& name) {
  const OpDef* def = StandardOps().Find(name);
  EXPECT_NE(def, nullptr) << name;
  return *def;
}

bool IsTileOp(const OpDef& op) { return op.name.rfind("tile.", 0) == 0; }

// ---- What the signature refuses

TEST(SignatureTest, ArgumentCount) {
  OpTester t;
  EXPECT_THAT(t.Deduce("tile.move", {}),
              BreaksRule("MX-OP-1", "takes 1 argument (tile), got 0"));
  EXPECT_THAT(t.Deduce("tile.load", {}),
              BreaksRule("MX-OP-1",
                         "takes 3 to 4 arguments (tensor, offsets, shapes, "
                         "valid_shape), got 0"));
}

TEST(SignatureTest, ArgumentKinds) {
  OpTester t;
  const Expr* tensor = t.Value(t.Tensor({64, 64}, DataType::kFP16));
  const Expr* tile = t.Value(t.Tile({64, 64}, DataType::kFP16));
  const Expr* list = t.List({0, 0});
  const Expr* floats =
      t.context().NewTuple(t.context().ExprList({t.context().Float(1)}));
  EXPECT_THAT(t.Deduce("tile.load", {tile, list, list}),
              BreaksRule("MX-OP-2", "tensor must be a tensor, got a tile"));
  EXPECT_THAT(t.Deduce("tile.load", {tensor, t.Dim(0), list}),
              BreaksRule("MX-OP-2", "offsets must be a list of integers"));
  EXPECT_THAT(t.Deduce("tile.load", {tensor, floats, list}),
              BreaksRule("MX-OP-2", "got a list with other elements"));
  EXPECT_THAT(t.Deduce("tile.move", {tensor}),
              BreaksRule("MX-OP-2", "tile must be a tile, got a tensor"));
  EXPECT_THAT(t.Deduce("tile.alloc", {t.Dim(1), t.context().Float(1)}),
              BreaksRule("MX-OP-2",
                         "size must be an integer scalar, got a "
                         "scalar of type pl.FP32"));
}

TEST(SignatureTest, Kwargs) {
  OpTester t;
  const Expr* tile = t.Value(t.Tile({64, 64}, DataType::kFP16));
  EXPECT_THAT(t.Deduce("tile.move", {tile}, {{"target", AttrValue::Int(1)}}),
              BreaksRule("MX-OP-3",
                         "unknown kwarg target; known: target_memory, "
                         "blayout, slayout"));
  EXPECT_THAT(
      t.Deduce("tile.move", {tile}, {{"target_memory", AttrValue::Int(1)}}),
      BreaksRule("MX-OP-4", "target_memory must be a memory space"));
  EXPECT_THAT(t.Deduce("tile.move", {tile},
                       {{"target_memory", AttrValue::Enum("Mem", "Cellar")}}),
              BreaksRule("MX-OP-4", "target_memory must be a memory space"));
  EXPECT_THAT(
      t.Deduce("tile.move", {tile},
               {{"blayout", AttrValue::Enum("TensorLayout", "row_major")}}),
      BreaksRule("MX-OP-4", "blayout must be a tile layout"));
  EXPECT_THAT(t.Deduce("tile.create", {t.List({16, 64})},
                       {{"dtype", AttrValue::String("FP16")}}),
              BreaksRule("MX-OP-4", "dtype must be an element type"));
}

// ---- Traits

TEST(StandardOpsTest, ShortForms) {
  const std::vector<std::pair<std::string, std::string>> kShortForms = {
      {"load", "tile.load"},
      {"store", "tile.store"},
      {"move", "tile.move"},
      {"create_tile", "tile.create"},
      {"cast", "tile.cast"},
      {"get_block_idx", "tile.get_block_idx"},
      {"get_block_num", "tile.get_block_num"},
      {"matmul", "tile.matmul"},
      {"matmul_acc", "tile.matmul_acc"},
      {"matmul_bias", "tile.matmul_bias"},
      {"matmul_mx", "tile.matmul_mx"},
      {"matmul_mx_acc", "tile.matmul_mx_acc"},
      {"matmul_mx_bias", "tile.matmul_mx_bias"},
      {"create_tensor", "tensor.create"},
      {"view", "tensor.view"},
  };
  for (const auto& [short_name, name] : kShortForms) {
    EXPECT_THAT(StandardOps().ShortCandidates(short_name),
                Contains(Field(&OpRegistry::Candidate::op, &Op(name))))
        << short_name;
  }
}

TEST(StandardOpsTest, CompilersOpsHaveNoShortForm) {
  EXPECT_THAT(StandardOps().ShortCandidates("tget_scale_addr"), IsEmpty());
  EXPECT_THAT(StandardOps().ShortCandidates("alloc"), IsEmpty());
}

TEST(StandardOpsTest, MxPairs) {
  const auto pair = [](int data, int scale) {
    return ::testing::AllOf(Field(&MxPair::data_index, data),
                            Field(&MxPair::scale_index, scale));
  };
  EXPECT_THAT(Op("tile.matmul_mx").mx_pairs,
              ElementsAre(pair(0, 1), pair(2, 3)));
  EXPECT_THAT(Op("tile.matmul_mx_bias").mx_pairs,
              ElementsAre(pair(0, 1), pair(2, 3)));
  EXPECT_THAT(Op("tile.matmul_mx_acc").mx_pairs,
              ElementsAre(pair(1, 2), pair(3, 4)));
  for (const auto& op : StandardOps().ops()) {
    if (op->name.rfind("tile.matmul_mx", 0) != 0) {
      EXPECT_THAT(op->mx_pairs, IsEmpty()) << op->name;
    }
  }
}

TEST(StandardOpsTest, OperandSpaces) {
  using M = MemorySpace;
  EXPECT_THAT(Op("tile.store").operand_spaces,
              ElementsAre(SpaceSet{M::kVec, M::kAcc}));
  EXPECT_THAT(Op("tile.cast").operand_spaces, ElementsAre(SpaceSet{M::kVec}));
  EXPECT_THAT(Op("tile.matmul_mx_acc").operand_spaces,
              ElementsAre(SpaceSet{M::kAcc}, SpaceSet{M::kLeft},
                          SpaceSet{M::kLeftScale}, SpaceSet{M::kRight},
                          SpaceSet{M::kRightScale}));
  EXPECT_THAT(Op("tile.matmul_mx_bias").operand_spaces,
              ElementsAre(SpaceSet{M::kLeft}, SpaceSet{M::kLeftScale},
                          SpaceSet{M::kRight}, SpaceSet{M::kRightScale},
                          SpaceSet{M::kBias}));
  EXPECT_THAT(Op("tile.load").operand_spaces, IsEmpty());
  EXPECT_THAT(Op("tile.move").operand_spaces, IsEmpty());
}

TEST(StandardOpsTest, ResultSpaces) {
  EXPECT_EQ(Op("tile.load").result_space, ResultSpace::kKwarg);
  EXPECT_EQ(Op("tile.create").result_space, ResultSpace::kKwarg);
  EXPECT_EQ(Op("tile.move").result_space, ResultSpace::kKwargOrVec);
  EXPECT_EQ(Op("tile.store").result_space, ResultSpace::kNone);
  EXPECT_EQ(Op("tile.alloc").result_space, ResultSpace::kNone);
  EXPECT_EQ(Op("tile.tget_scale_addr").result_space, ResultSpace::kFirstInput);
  for (const char* name :
       {"tile.matmul", "tile.matmul_acc", "tile.matmul_bias", "tile.matmul_mx",
        "tile.matmul_mx_acc", "tile.matmul_mx_bias"}) {
    EXPECT_EQ(Op(name).result_space, ResultSpace::kFixed) << name;
    EXPECT_THAT(Op(name).fixed_space, Optional(MemorySpace::kAcc)) << name;
  }
  EXPECT_THAT(Op("tile.cast").fixed_space, Optional(MemorySpace::kVec));
}

TEST(StandardOpsTest, SharedBuffersAndEffects) {
  EXPECT_THAT(Op("tile.store").result_aliases_arg, Optional(2));
  EXPECT_THAT(Op("tile.matmul_mx_acc").result_aliases_arg, Optional(0));
  EXPECT_THAT(Op("tile.tget_scale_addr").result_aliases_arg, Optional(0));
  EXPECT_THAT(Op("tensor.view").result_aliases_arg, Optional(0));
  EXPECT_EQ(Op("tile.matmul_mx").result_aliases_arg, std::nullopt);
  for (const auto& op : StandardOps().ops()) {
    // Views of tensors are no writes.
    if (op->result_aliases_arg.has_value() && IsTileOp(*op)) {
      EXPECT_TRUE(op->has_effect) << op->name;
    }
  }
  EXPECT_TRUE(Op("tile.alloc").has_effect);
  EXPECT_FALSE(Op("tile.load").has_effect);
  EXPECT_FALSE(Op("tile.add").has_effect);
}

TEST(StandardOpsTest, BlockQueriesAreNeverNegative) {
  for (const auto& op : StandardOps().ops()) {
    const bool is_query = op->name.find(".get_block_") != std::string::npos ||
                          op->name.find(".get_subblock_") != std::string::npos;
    EXPECT_EQ(op->result_never_negative, is_query) << op->name;
  }
}

}  // namespace
}  // namespace mxtile::ir
