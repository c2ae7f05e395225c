#include "ir/text/scope.h"

#include "gtest/gtest.h"
#include "ir/context.h"
#include "ir/data_type.h"
#include "ir/expr.h"
#include "ir/op_registry.h"
#include "ir/type.h"

namespace mxtile::ir::text {
namespace {

class ScopeTest : public ::testing::Test {
 protected:
  // INDEX and FP32 contradict each other.
  static bool Agrees(const Type* known, const Type* type) {
    return known == type;
  }
  const Var* Assign(const char* name) {
    return scope_.Assign(name, context_.IndexType(), {}, Agrees);
  }
  const Var* AssignFloat(const char* name) {
    return scope_.Assign(name, context_.GetScalarType(DataType::kFP32), {},
                         Agrees);
  }

  OpRegistry registry_;
  Context context_{&registry_};
  Scope scope_{&context_};
};

TEST_F(ScopeTest, BlocksHideAndReveal) {
  const Var* a = Assign("a");
  const Var* inner = context_.NewVar("a", context_.IndexType());
  scope_.OpenBlock();
  EXPECT_EQ(scope_.Find("a"), a);
  scope_.Bind(inner);
  EXPECT_EQ(scope_.Find("a"), inner);
  scope_.CloseBlock();
  EXPECT_EQ(scope_.Find("a"), a);
  EXPECT_EQ(scope_.Find("b"), nullptr);
}

TEST_F(ScopeTest, AssigningAgainFindsTheVariableOfTheSameType) {
  const Var* a = Assign("a");
  EXPECT_EQ(Assign("a"), a);
  scope_.OpenBlock();
  EXPECT_EQ(Assign("a"), a);
  scope_.CloseBlock();
  const Var* other = AssignFloat("a");
  EXPECT_NE(other, a);
  EXPECT_EQ(scope_.Find("a"), other);
}

TEST_F(ScopeTest, IterArgsAreNotAssignedTo) {
  const IterArg* arg =
      context_.NewIterArg("a", context_.IndexType(), context_.Index(0));
  scope_.Bind(arg);
  EXPECT_NE(Assign("a"), arg);
}

TEST_F(ScopeTest, ClosedNamesAreFoundBehindOthers) {
  scope_.OpenBlock();
  const Var* a = Assign("a");
  scope_.CloseBlock();
  EXPECT_EQ(scope_.Find("a"), a);
  const Var* fresh = Assign("a");
  EXPECT_NE(fresh, a);
  EXPECT_EQ(scope_.Find("a"), fresh);
  const Var* global = context_.NewVar("g", context_.IndexType());
  scope_.OpenBlock();
  Assign("g");
  scope_.CloseBlock();
  scope_.BindGlobal(global);
  EXPECT_EQ(scope_.Find("g"), global);
}

TEST_F(ScopeTest, ABlockThatRetypesANameIsRemembered) {
  Assign("a");
  scope_.OpenBlock();
  scope_.OpenBlock();
  const Var* retyped = AssignFloat("a");
  scope_.CloseBlock();
  EXPECT_EQ(scope_.Find("a"), retyped);
  scope_.CloseBlock();
  EXPECT_EQ(scope_.Find("a"), retyped);
  EXPECT_EQ(AssignFloat("a"), retyped);
}

TEST_F(ScopeTest, ALoopThatHasReadANameDoesNotRetypeIt) {
  Assign("a");
  Assign("b");
  scope_.OpenBlock(/*is_loop=*/true);
  scope_.Find("a");
  scope_.OpenBlock();
  EXPECT_EQ(AssignFloat("a"), nullptr);
  EXPECT_NE(AssignFloat("b"), nullptr);
  EXPECT_NE(Assign("a"), nullptr);
  scope_.CloseBlock();
  // A read behind the assignment is one of this round's value.
  scope_.Find("b");
  EXPECT_NE(AssignFloat("b"), nullptr);
  scope_.CloseBlock();
  EXPECT_NE(AssignFloat("a"), nullptr);
}

TEST_F(ScopeTest, MemRefsMayNameWhatIsDefinedFurtherDown) {
  const Type* ptr = context_.GetMarkerType(TypeKind::kPtr);
  const Var* base = scope_.MemRefBase("mem");
  EXPECT_EQ(scope_.MemRefBase("mem"), base);
  EXPECT_EQ(scope_.Find("mem"), nullptr);
  EXPECT_EQ(scope_.Assign("mem", ptr, {}, Agrees), base);
  EXPECT_EQ(scope_.Find("mem"), base);
  // A variable of another type is no allocation.
  Assign("n");
  EXPECT_NE(scope_.MemRefBase("n"), scope_.Find("n"));
}

TEST_F(ScopeTest, AFunctionKnowsGlobalsAndItsSignaturesAllocations) {
  const Var* global = context_.NewVar("g", context_.IndexType());
  scope_.BindGlobal(global);
  Assign("a");
  const Var* base = scope_.MemRefBase("mem");
  scope_.StartFunction();
  EXPECT_EQ(scope_.Find("g"), global);
  EXPECT_EQ(scope_.Find("a"), nullptr);
  EXPECT_NE(scope_.MemRefBase("other"), base);
  scope_.AddMemRefBase(base);
  EXPECT_EQ(scope_.MemRefBase("mem"), base);
}

}  // namespace
}  // namespace mxtile::ir::text
