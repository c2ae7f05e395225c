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

INSTANTIATE_TEST_SUITE_P(
    Cases, VerifyPropertyTest,
    ValuesIn(std::vector<PropertyCase>{
        {"SsaForm", Property::kSsaForm, "InCore", "n: pl.Scalar[pl.INDEX]",
         "a = n\nc = a"},
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

        {"IncoreTileOps", Property::kIncoreTileOps, "InCore", kX,
         "t = pl.load(x, [0, 0], [16, 16])\n"
         "v = pl.tensor.view(x, [1024])"},
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
