// Attribute values; how expressions are made is in context_test.cc.

#include "ir/expr.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "ir/context.h"
#include "ir/data_type.h"
#include "ir/enums.h"
#include "ir/op_registry.h"

namespace mxtile::ir {
namespace {

using Kind = AttrValue::Kind;

TEST(AttrValueTest, HoldsWhatItIsMadeOf) {
  EXPECT_EQ(AttrValue::Int(7).kind, Kind::kInt);
  EXPECT_EQ(AttrValue::Int(7).int_value, 7);
  EXPECT_EQ(AttrValue::Float(0.5).kind, Kind::kFloat);
  EXPECT_EQ(AttrValue::Float(0.5).float_value, 0.5);
  EXPECT_EQ(AttrValue::Bool(true).kind, Kind::kBool);
  EXPECT_TRUE(AttrValue::Bool(true).bool_value);
  EXPECT_EQ(AttrValue::String("s").kind, Kind::kString);
  EXPECT_EQ(AttrValue::String("s").text, "s");
  EXPECT_EQ(AttrValue::Of(DataType::kBF16).kind, Kind::kDataType);
  EXPECT_EQ(AttrValue::Of(DataType::kBF16).data_type, DataType::kBF16);
}

TEST(AttrValueTest, EnumeratorsAreKeptByName) {
  const auto text = [](const AttrValue& value) {
    EXPECT_EQ(value.kind, Kind::kEnum);
    return std::string(value.enum_class) + "." + std::string(value.text);
  };
  EXPECT_EQ(text(AttrValue::Of(MemorySpace::kMat)), "Mem.Mat");
  EXPECT_EQ(text(AttrValue::Of(TensorLayout::kNZ)), "TensorLayout.NZ");
  EXPECT_EQ(text(AttrValue::Of(TileLayout::kRowMajor)), "TileLayout.row_major");
  EXPECT_EQ(text(AttrValue::Enum("PipeType", "MTE1")), "PipeType.MTE1");
}

// As the text form reads them, so that printing loses nothing.
TEST(AttrValueTest, ConstantsThatPrintAsNumbersAreNumbers) {
  const OpRegistry registry;
  Context context(&registry);
  EXPECT_EQ(AttrValue::Of(context.Index(-3)).int_value, -3);
  EXPECT_EQ(AttrValue::Of(context.Index(-3)).kind, Kind::kInt);
  EXPECT_EQ(AttrValue::Of(context.Float(0.5)).float_value, 0.5);
  EXPECT_EQ(AttrValue::Of(context.Float(0.5)).kind, Kind::kFloat);
  EXPECT_EQ(AttrValue::Of(context.Bool(true)).kind, Kind::kBool);
  for (const Expr* expr :
       std::vector<const Expr*>{context.Int(3, DataType::kInt32),
                                context.Float(0.5, DataType::kFP16),
                                context.NewVar("n", context.IndexType())}) {
    EXPECT_EQ(AttrValue::Of(expr).kind, Kind::kExpr);
    EXPECT_EQ(AttrValue::Of(expr).expr, expr);
  }
}

TEST(AttrTest, AreFoundByName) {
  const std::vector<Attr> attrs = {{"a", AttrValue::Int(1)},
                                   {"b", AttrValue::Int(2)}};
  EXPECT_EQ(FindAttr(attrs, "b"), &attrs[1].value);
  EXPECT_EQ(FindAttr(attrs, "c"), nullptr);
  EXPECT_EQ(FindAttr({}, "a"), nullptr);
}

TEST(ExprCastTest, AnIterArgIsAVarButNotTheOtherWayRound) {
  const OpRegistry registry;
  Context context(&registry);
  const Expr* var = context.NewVar("n", context.IndexType());
  const Expr* arg = context.NewIterArg("a", var->type, var);
  EXPECT_TRUE(Isa<Var>(var));
  EXPECT_FALSE(Isa<IterArg>(var));
  EXPECT_TRUE(Isa<Var>(arg));
  EXPECT_TRUE(Isa<IterArg>(arg));
  EXPECT_EQ(CheckedCast<IterArg>(arg)->init, var);
  EXPECT_EQ(AsConstInt(var), nullptr);
  EXPECT_EQ(AsConstInt(context.Index(4))->value, 4);
}

}  // namespace
}  // namespace mxtile::ir
