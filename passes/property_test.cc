#include "passes/property.h"

#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/diagnostic.h"
#include "ir/text/text_program_test_util.h"

namespace mxtile {
namespace {

using ir::FunctionText;
using ir::ProgramText;
using ir::TextProgram;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;
using ::testing::TestParamInfo;
using ::testing::TestWithParam;
using ::testing::ValuesIn;

// Every property, in the order of the enumeration.
std::vector<Property> AllProperties() {
  std::vector<Property> all;
  for (int i = 0; i < kNumProperties; ++i) {
    all.push_back(static_cast<Property>(i));
  }
  return all;
}

TEST(PropertyNameTest, RoundTrips) {
  for (const Property property : AllProperties()) {
    EXPECT_EQ(PropertyFromName(PropertyName(property)), property);
  }
  EXPECT_EQ(PropertyName(Property::kSsaForm), "ssa_form");
  EXPECT_EQ(PropertyName(Property::kAllocatedMemoryAddr),
            "allocated_memory_addr");
  EXPECT_EQ(PropertyNames(),
            "ssa_form, type_checked, use_after_def, call_types, "
            "normalized_stmt_structure, no_redundant_blocks, "
            "no_nested_calls, split_incore_orch, incore_tile_ops, "
            "tile_ops_2d, mx_views_blocked, tile_memory_inferred, "
            "tensor_view_canonical_weak, tensor_view_canonical, "
            "allocated_memory_addr");
  EXPECT_EQ(PropertyFromName("SSAForm"), std::nullopt);
  EXPECT_EQ(PropertyFromName(""), std::nullopt);
}

TEST(PropertySetTest, IsOrderedByTheEnumeration) {
  PropertySet set = {Property::kAllocatedMemoryAddr, Property::kSsaForm};
  EXPECT_THAT(set.ToVector(),
              ElementsAre(Property::kSsaForm, Property::kAllocatedMemoryAddr));
  set.Insert(Property::kTileOps2D);
  set.Insert(Property::kTileOps2D);
  set.Erase(Property::kSsaForm);
  set.Erase(Property::kUseAfterDef);
  EXPECT_THAT(set.ToVector(), ElementsAre(Property::kTileOps2D,
                                          Property::kAllocatedMemoryAddr));
  EXPECT_TRUE(set.Contains(Property::kTileOps2D));
  EXPECT_FALSE(set.Contains(Property::kSsaForm));
  EXPECT_THAT(PropertySet().ToVector(), IsEmpty());
  PropertySet all;
  for (const Property property : AllProperties()) all.Insert(property);
  EXPECT_EQ(all.ToVector(), AllProperties());
}

struct PropertyCase {
  std::string name;
  Property property;
  std::string function_type;
  std::string params;
  std::string body;
  // The errors, each by its beginning; none when the property holds.
  std::vector<std::string> want;
  std::string at;  // Part of the line of the first error.
};
std::ostream& operator<<(std::ostream& os, const PropertyCase& c) {
  return os << PropertyName(c.property) << " of\n" << c.body;
}

class VerifyPropertyTest : public TestWithParam<PropertyCase> {};

TEST_P(VerifyPropertyTest, Reports) {
  const PropertyCase& c = GetParam();
  const TextProgram program(
      ProgramText({FunctionText(c.function_type, "f", c.params, c.body)}));
  ir::DiagnosticSink sink;
  VerifyProperty(c.property, *program, &sink);
  std::vector<::testing::Matcher<std::string>> want;
  for (const std::string& start : c.want) want.push_back(StartsWith(start));
  std::vector<std::string> got;
  for (const ir::Diagnostic& d : sink.diagnostics()) {
    got.push_back(absl::StrCat(d.rule_id, " ", d.message));
  }
  EXPECT_THAT(got, ::testing::ElementsAreArray(want));
  if (!c.at.empty() && !got.empty()) {
    EXPECT_EQ(sink.diagnostics()[0].span.line, program.LineOf(c.at));
  }
}

const std::string kX = "x: pl.Tensor[[32, 32], pl.FP16]";
const std::string kBlocked =
    "s: pl.Tensor[[1, 1, 1, 16, 2], pl.FP8E8M0, pl.MX_A_ZZ]";
const std::string kStamp =
    "pl.func_attr({\"mx_tensor_views_blocked\": True})\n";
const std::string kVecTile = "pl.Tile[[16, 16], pl.FP16, pl.Mem.Vec]";

// A parameter that is a tensor with a view.
std::string View(const std::string& name, const std::string& shape,
                 const std::string& stride, const std::string& layout) {
  const std::string dtype = layout == "MX_A_ZZ" ? "FP8E8M0" : "FP16";
  return absl::StrCat(name, ": pl.Tensor[", shape, ", pl.", dtype,
                      ", pl.TensorView(stride=", stride,
                      ", layout=pl.TensorLayout.", layout, ")]");
}

INSTANTIATE_TEST_SUITE_P(
    Cases, VerifyPropertyTest,
    ValuesIn(std::vector<PropertyCase>{
        {"SsaForm", Property::kSsaForm, "InCore", "n: pl.Scalar[pl.INDEX]",
         "a = n\nc = a"},
        {"NoNestedCalls", Property::kNoNestedCalls, "InCore", kX,
         "t = pl.load(x, [0, 0], [32, 32])\n"
         "pl.tile.write(t, [0, 0], 1.0)\n"
         "return x"},
        {"NoNestedCalls_Bad",
         Property::kNoNestedCalls,
         "InCore",
         kX,
         "b = pl.tile.get_block_idx() * 2\n"
         "for i in pl.range(pl.tile.get_block_num()):\n"
         "    c = i\n"
         "return b",
         {"MX-PROP-11 pl.tile.get_block_idx() is part of another expression or "
          "statement; it must be assigned to a variable",
          "MX-PROP-11 pl.tile.get_block_num()"},
         "get_block_idx"},
        {"SsaForm_Bad",
         Property::kSsaForm,
         "InCore",
         "n: pl.Scalar[pl.INDEX]",
         "a = n\na = n + 1",
         {"MX-SSA-2"},
         "a = n + 1"},
        {"UseAfterDef", Property::kUseAfterDef, "InCore",
         "n: pl.Scalar[pl.INDEX]", "a = n\na = a + 1"},
        {"UseAfterDef_Bad",
         Property::kUseAfterDef,
         "InCore",
         "n: pl.Scalar[pl.INDEX]",
         "for i in pl.range(n):\n"
         "    a = i\n"
         "c = i + 1",
         {"MX-DEF-1"},
         "c = i"},

        {"TypeChecked", Property::kTypeChecked, "InCore",
         "n: pl.Scalar[pl.INDEX]", "if n > 0:\n    a = n"},
        {"TypeChecked_Bad",
         Property::kTypeChecked,
         "InCore",
         "n: pl.Scalar[pl.INDEX]",
         "if n:\n    a = n",
         {"MX-TYPE-8"},
         "if n"},
        {"CallTypes_Bad",
         Property::kCallTypes,
         "Orchestration",
         "self, n: pl.Scalar[pl.INDEX], x: pl.Scalar[pl.FP32]",
         "a = self.f(x, x)",
         {"MX-CALL-1 argument 0 of 'f' is pl.Scalar[pl.FP32]"},
         "self.f"},
        {"NormalizedStmtStructure", Property::kNormalizedStmtStructure,
         "InCore", "n: pl.Scalar[pl.INDEX]", "if n > 0:\n    a = n"},
        {"NoRedundantBlocks", Property::kNoRedundantBlocks, "InCore",
         "n: pl.Scalar[pl.INDEX]", "if n > 0:\n    a = n"},

        {"SplitIncoreOrch", Property::kSplitIncoreOrch, "Orchestration",
         "self, n: pl.Scalar[pl.INDEX]",
         "with pl.at(level=pl.Level.CHIP):\n    a = n\n"
         "with pl.cluster():\n    c = n"},
        {"SplitIncoreOrch_InCore", Property::kSplitIncoreOrch, "InCore",
         "n: pl.Scalar[pl.INDEX]",
         "with pl.at(level=pl.Level.CORE_GROUP):\n    a = n"},
        {"SplitIncoreOrch_Bad",
         Property::kSplitIncoreOrch,
         "Opaque",
         "self, n: pl.Scalar[pl.INDEX]",
         "if n > 0:\n"
         "    with pl.at(level=pl.Level.CORE_GROUP):\n"
         "        a = n",
         {"MX-PROP-10 an in-core scope is left in function 'f'"},
         "pl.at"},

        {"IncoreTileOps", Property::kIncoreTileOps, "InCore", kX,
         "t = pl.load(x, [0, 0], [16, 16])\n"
         "v = pl.tensor.view(x, [1024])\n"
         "e: pl.Scalar[pl.FP16] = pl.tensor.read(x, [0, 0])\n"
         "pl.tensor.write(x, [0, 1], e)"},
        {"IncoreTileOps_Orchestration", Property::kIncoreTileOps,
         "Orchestration", "self", "c = pl.tensor.create([16], dtype=pl.FP16)"},
        {"IncoreTileOps_Bad",
         Property::kIncoreTileOps,
         "InCore",
         kX,
         "c = pl.tensor.create([16], dtype=pl.FP16)",
         {"MX-PROP-1 tensor.create works on tensors"},
         "tensor.create"},
        {"IncoreTileOps_BadWithoutResult",
         Property::kIncoreTileOps,
         "AIC",
         kX,
         "if True:\n    pl.tensor.dump(x)",
         {"MX-PROP-1 tensor.dump"},
         "tensor.dump"},

        {"TileOps2D", Property::kTileOps2D, "AIV",
         "r: pl.Tile[[2, 16, 16], pl.FP16, pl.Mem.Vec]",
         "t: pl.Tile[[16, 16], pl.FP16, pl.Mem.Vec] = pl.test.make()\n"
         "u: pl.Tile[[16], pl.FP16, pl.Mem.Vec] = pl.test.make()"},
        {"TileOps2D_Orchestration", Property::kTileOps2D, "Orchestration",
         "self",
         "t: pl.Tile[[2, 16, 16], pl.FP16, pl.Mem.Vec] = pl.test.make()"},
        {"TileOps2D_Bad",
         Property::kTileOps2D,
         "AIV",
         "",
         "t: pl.Tile[[2, 16, 16], pl.FP16, pl.Mem.Vec] = pl.test.make()\n"
         "for i, (c,) in pl.range(2, init_values=(t,)):\n"
         "    r = pl.yield_(c)",
         {"MX-PROP-2 tile 't' has rank 3", "MX-PROP-2 tile 'c' has rank 3",
          "MX-PROP-2 tile 'r' has rank 3"},
         "test.make"},
        {"TileOps2D_BadInATuple",
         Property::kTileOps2D,
         "InCore",
         "",
         "t: pl.Tuple[pl.Tile[[2, 16, 16], pl.FP16, pl.Mem.Vec]] = "
         "pl.test.make()",
         {"MX-PROP-2 tile 't' has rank 3"},
         "test.make"},

        {"TileOps2D_Operands", Property::kTileOps2D, "AIV",
         absl::StrCat("t: ", kVecTile, ", u: ", kVecTile),
         absl::StrCat("a: ", kVecTile,
                      " = pl.tile.assemble(t, u, [0, 0])\n"
                      "c: ",
                      kVecTile, " = pl.tile.transpose(t, 0, 1, u)")},
        {"TileOps2D_BadOffset",
         Property::kTileOps2D,
         "AIV",
         absl::StrCat("t: ", kVecTile, ", u: ", kVecTile),
         absl::StrCat("a: ", kVecTile, " = pl.tile.assemble(t, u, [1, 0, 0])"),
         {"MX-PROP-7 the offset of tile.assemble is [1, 0, 0]; it must be "
          "written as [row, col]"},
         "tile.assemble"},
        {"TileOps2D_BadTranspose",
         Property::kTileOps2D,
         "AIV",
         absl::StrCat("t: ", kVecTile),
         absl::StrCat("a: ", kVecTile, " = pl.tile.transpose(t, 0, 1)"),
         {"MX-PROP-8 tile.transpose has 3 arguments, not 4"},
         "tile.transpose"},

        {"MxViewsBlocked", Property::kMxViewsBlocked, "InCore", kBlocked,
         kStamp},
        {"MxViewsBlocked_BadStamp",
         Property::kMxViewsBlocked,
         "InCore",
         kBlocked,
         "pl.func_attr({\"mx_tensor_views_blocked\": False})",
         {"MX-PROP-3 function 'f' has no mx_tensor_views_blocked"}},
        {"MxViewsBlocked_BadRank",
         Property::kMxViewsBlocked,
         "Orchestration",
         "self, s: pl.Tensor[[16, 2], pl.FP8E8M0, pl.MX_A_ZZ]",
         kStamp,
         {"MX-PROP-3 MX tensor 's' has rank 2, not 5"},
         "def f"},
        {"MxViewsBlocked_BadVariable",
         Property::kMxViewsBlocked,
         "InCore",
         "x: pl.Tensor[[1, 32], pl.FP8E8M0]",
         absl::StrCat(kStamp,
                      "v = pl.tensor.view(x, [2, 16], "
                      "layout=pl.TensorLayout.MX_B_NN)"),
         {"MX-PROP-3 MX tensor 'v' has rank 2"},
         "tensor.view"},

        {"TileMemoryInferred", Property::kTileMemoryInferred, "InCore",
         absl::StrCat(kX, ", o: pl.Out[pl.Tensor[[32, 32], pl.FP16]]"),
         "t = pl.load(x, [0, 0], [16, 16])\n"
         "r = pl.store(t, [0, 0], o)"},
        // Only what an assignment binds is looked at.
        {"TileMemoryInferred_Carried", Property::kTileMemoryInferred, "InCore",
         "t: pl.Tile[[16, 16], pl.FP16]",
         "for i, (c,) in pl.range(2, init_values=(t,)):\n"
         "    r = pl.yield_(c)"},
        {"TileMemoryInferred_Bad",
         Property::kTileMemoryInferred,
         "InCore",
         kX,
         "t = pl.tile.load(x, [0, 0], [16, 16])",
         {"MX-PROP-4 tile 't' has no memory space"},
         "tile.load"},
        {"TileMemoryInferred_BadOperand",
         Property::kTileMemoryInferred,
         "InCore",
         absl::StrCat(kX, ", o: pl.Out[pl.Tensor[[32, 32], pl.FP16]]"),
         "t = pl.load(x, [0, 0], [16, 16], target_memory=pl.Mem.Mat)\n"
         "pl.tile.store(t, [0, 0], o)",
         {"MX-PROP-4 operand 0 of tile.store is in Mat; it must be in Vec or "
          "Acc"},
         "tile.store"},
        {"TileMemoryInferred_BadParameterAsOperand",
         Property::kTileMemoryInferred,
         "InCore",
         "t: pl.Tile[[16, 16], pl.FP16], "
         "o: pl.Out[pl.Tensor[[32, 32], pl.FP16]]",
         "r = pl.store(t, [0, 0], o)",
         {"MX-PROP-4 operand 0 of tile.store is in no memory space"},
         "pl.store"},

        {"TensorViewCanonical", Property::kTensorViewCanonical, "InCore",
         absl::StrCat(kX,
                      ", y: pl.Tensor[[32, 32], pl.FP16, "
                      "pl.TensorView(stride=[32, 1], "
                      "layout=pl.TensorLayout.NZ)]"),
         ""},
        {"TensorViewCanonical_Bad",
         Property::kTensorViewCanonical,
         "Orchestration",
         "self, y: pl.Tensor[[32, 32], pl.FP16, pl.NZ]",
         "",
         {"MX-PROP-5 the view of tensor 'y' has no strides"},
         "def f"},

        {"TensorViewCanonicalWeak", Property::kTensorViewCanonicalWeak,
         "Orchestration",
         absl::StrCat("self, y: pl.Tensor[[32, 32], pl.FP16, pl.NZ], ",
                      View("z", "[2, 4, 8]", "[64, 16, 1]", "ND"), ", ",
                      View("d", "[2, 4, 8]", "[32, 1, 4]", "DN"), ", ",
                      View("e", "[2, 4, 8]", "[64, 1, 8]", "DN"), ", ",
                      View("s", "[1, 1, 1, 16, 2]", "[32, 32, 32, 2, 1]",
                           "MX_A_ZZ")),
         ""},
        {"TensorViewCanonicalWeak_Bad",
         Property::kTensorViewCanonicalWeak,
         "Orchestration",
         absl::StrCat("self, ", View("a", "[4, 8]", "[8, 2]", "ND"), ", ",
                      View("b", "[4, 8]", "[7, 1]", "ND"), ", ",
                      View("d", "[2, 4, 8]", "[32, 8, 1]", "DN"), ", ",
                      View("e", "[2, 4, 8]", "[31, 1, 4]", "DN"), ", ",
                      View("f", "[4]", "[1]", "DN")),
         "",
         {"MX-PROP-9 the strides of tensor 'a' are not those of layout ND: "
          "that of axis 1 is 2, it must be 1",
          "MX-PROP-9 the strides of tensor 'b' are not those of layout ND: "
          "that of axis 0 is 7, it must be at least 8",
          "MX-PROP-9 the strides of tensor 'd' are not those of layout DN: "
          "that of axis 1 is 8, it must be 1",
          "MX-PROP-9 the strides of tensor 'e' are not those of layout DN: "
          "that of axis 0 is 31, it must be at least 32",
          "MX-PROP-9 the strides of tensor 'f' are not those of layout DN: DN "
          "needs two axes"},
         "def f"},
        // What is symbolic is not known, and asks nothing of the others.
        {"TensorViewCanonicalWeak_Symbolic", Property::kTensorViewCanonicalWeak,
         "Orchestration",
         absl::StrCat("self, n: pl.Scalar[pl.INDEX], ",
                      View("a", "[4, 8]", "[n, 1]", "ND"), ", ",
                      View("b", "[4, n]", "[1, 1]", "ND")),
         ""},
        {"TensorViewCanonical_BadStride",
         Property::kTensorViewCanonical,
         "Orchestration",
         absl::StrCat("self, ", View("b", "[4, 8]", "[7, 1]", "ND")),
         "",
         {"MX-PROP-9"},
         "def f"},

        {"AllocatedMemoryAddr", Property::kAllocatedMemoryAddr, "InCore", "",
         "t: pl.Tile[[16, 16], pl.FP16, pl.MemRef(\"m\", 0, 512), "
         "pl.Mem.Vec] = pl.test.make()"},
        {"AllocatedMemoryAddr_Orchestration", Property::kAllocatedMemoryAddr,
         "Orchestration", "self",
         absl::StrCat("t: ", kVecTile, " = pl.test.make()")},
        {"AllocatedMemoryAddr_Bad",
         Property::kAllocatedMemoryAddr,
         "InCore",
         "",
         absl::StrCat("t: ", kVecTile, " = pl.test.make()"),
         {"MX-PROP-6 tile 't' has no address"},
         "test.make"},
    }),
    [](const TestParamInfo<PropertyCase>& info) { return info.param.name; });

}  // namespace
}  // namespace mxtile
