#include "ir/type_walk.h"

#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/expr.h"
#include "ir/ir_test_util.h"
#include "ir/text/printer.h"
#include "ir/type.h"

namespace mxtile::ir {
namespace {

using ::testing::ElementsAre;

std::string DimsOf(const std::string& type) {
  const TestProgram program(
      InFunction("pass", "n: pl.Scalar[pl.INDEX], v: " + type));
  if (!program.has_value()) return program.errors();
  std::vector<std::string> dims;
  ForEachDim(*program.function().params[1]->type,
             [&](const Expr* e) { dims.push_back(PrintExpr(e)); });
  return absl::StrJoin(dims, "; ");
}

TEST(TypeWalkTest, DimsOfEveryField) {
  EXPECT_EQ(DimsOf("pl.Scalar[pl.INDEX]"), "");
  EXPECT_EQ(DimsOf("pl.Ptr"), "");
  EXPECT_EQ(DimsOf("pl.Array[4, pl.INDEX]"), "");
  EXPECT_EQ(DimsOf("pl.Tensor[[4, n], pl.FP32]"), "4; n");
  EXPECT_EQ(DimsOf("pl.Tensor[[4, n], pl.FP32, pl.TensorView(stride=[5, 6], "
                   "valid_shape=[7, 8]), pl.MemRef(\"m\", n + 1, 64)]"),
            "4; n; m; n + 1; 5; 6; 7; 8");
  EXPECT_EQ(DimsOf("pl.Tile[[4, n], pl.FP32]"), "4; n");
  EXPECT_EQ(DimsOf("pl.Tile[[4, n], pl.FP32, pl.MemRef(\"m\", 0, 64), "
                   "pl.Mem.Vec, pl.TileView(valid_shape=[5, 6], stride=[7, "
                   "8], start_offset=9)]"),
            "4; n; m; 0; 5; 6; 7; 8; 9");
  EXPECT_EQ(DimsOf("pl.Tuple[pl.Tensor[[1], pl.FP32], "
                   "pl.Tuple[pl.Tile[[n], pl.FP32]]]"),
            "1; n");
}

TEST(TypeWalkTest, LeavesOfTuples) {
  const TestProgram program(
      InFunction("pass",
                 "v: pl.Tuple[pl.Ptr, pl.Tuple[()], pl.Tuple[pl.Array[4, "
                 "pl.INDEX]]], w: pl.Ptr"));
  std::vector<std::string> leaves;
  for (const Var* param : program.function().params) {
    ForEachLeafType(*param->type, [&](const Type& leaf) {
      leaves.push_back(PrintType(&leaf));
    });
  }
  EXPECT_THAT(leaves, ElementsAre("pl.Ptr", "pl.Array[4, pl.INDEX]", "pl.Ptr"));
}

}  // namespace
}  // namespace mxtile::ir
