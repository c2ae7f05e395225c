#include "ir/text/names.h"

#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/builder.h"
#include "ir/context.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/op_registry.h"
#include "ir/program.h"

namespace mxtile::ir {
namespace {

using ::testing::ElementsAre;

class VarNamesTest : public ::testing::Test {
 protected:
  const Var* NewVar(const char* name) {
    return context_.NewVar(name, context_.IndexType());
  }
  // The names of these variables in the function that was built.
  std::vector<std::string> NamesOf(const std::vector<const Var*>& vars,
                                   const std::vector<const Var*>& dims = {}) {
    const VarNames names(*f_.Build(), dims);
    std::vector<std::string> result;
    for (const Var* var : vars) result.push_back(names.NameOf(var));
    return result;
  }

  OpRegistry registry_;
  Context context_{&registry_};
  FunctionBuilder f_{&context_, "f", FunctionType::kOpaque};
};

TEST_F(VarNamesTest, UniqueHintsStay) {
  const Var* a = f_.Param("a", context_.IndexType());
  const Var* b = f_.Assign("b", a);
  EXPECT_THAT(NamesOf({a, b}), ElementsAre("a", "b"));
}

TEST_F(VarNamesTest, SharedHintsGetNumbersThatAreNotTaken) {
  const Var* a = f_.Param("a", context_.IndexType());
  const Var* b = f_.Assign("a", a);
  const Var* c = f_.Assign("a_1", a);
  const Var* d = f_.Assign("a", a);
  const Var* e = f_.Assign("a_1", a);
  EXPECT_THAT(NamesOf({a, b, c, d, e}),
              ElementsAre("a", "a_2", "a_1", "a_3", "a_1_1"));
}

TEST_F(VarNamesTest, VariablesOfLoopsComeInOrder) {
  const Var* a = f_.Param("a", context_.IndexType());
  f_.BeginFor("a", a, a, a, {{"a", a}});
  const Var* loop_var = f_.loop_var();
  const Var* arg = f_.iter_arg(0);
  const Var* inside = f_.Assign("a", arg);
  const Var* result = f_.EndFor({inside}, {"a"})[0];
  EXPECT_THAT(NamesOf({a, loop_var, arg, result, inside}),
              ElementsAre("a", "a_1", "a_2", "a_3", "a_4"));
}

TEST_F(VarNamesTest, DynamicDimsKeepTheirHints) {
  const Var* dim = NewVar("M");
  const Var* param = f_.Param("M", context_.IndexType());
  EXPECT_THAT(NamesOf({dim, param}, {dim}), ElementsAre("M", "M_1"));
}

TEST_F(VarNamesTest, OthersAreFree) {
  EXPECT_THAT(NamesOf({NewVar("a")}), ElementsAre("a__FREE_VAR"));
}

TEST_F(VarNamesTest, KnowsWhatTheBodyDefines) {
  const Var* a = f_.Param("a", context_.IndexType());
  f_.BeginIf(a);
  const Var* b = f_.Assign("b", a);
  f_.EndIf();
  const VarNames names(*f_.Build(), {});
  EXPECT_FALSE(names.DefinedInBody(a));
  EXPECT_TRUE(names.DefinedInBody(b));
}

TEST_F(VarNamesTest, WithoutAFunctionEveryVariableHasItsHint) {
  const VarNames names;
  EXPECT_EQ(names.NameOf(NewVar("a")), "a");
  EXPECT_EQ(names.NameOf(NewVar("a")), "a");
}

}  // namespace
}  // namespace mxtile::ir
