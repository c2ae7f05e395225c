#include "ir/rewriter.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "ir/context.h"
#include "ir/expr.h"
#include "ir/ir_test_util.h"
#include "ir/program.h"
#include "ir/stmt.h"
#include "ir/text/printer.h"
#include "ir/type.h"

namespace mxtile::ir {
namespace {

// A function of every statement and of variables in every place that has some.
constexpr char kEverything[] =
    "import pypto.language as pl\n"
    "M = pl.dynamic(\"M\")\n"
    "@pl.program\n"
    "class P:\n"
    "    # the function\n"
    "    @pl.function\n"
    "    def f(self, n: pl.Scalar[pl.INDEX], b: pl.Scalar[pl.BOOL], "
    "x: pl.Tensor[[M, n], pl.FP32, pl.TensorView(stride=[n, 1], "
    "layout=pl.TensorLayout.ND)]) -> pl.Tensor[[M, n], pl.FP32]:\n"
    "        pl.func_attr({\"core_num\": n, \"list\": [n, [n + 1]]})\n"
    "        mem: pl.Ptr = pl.tile.alloc(pl.Mem.Vec, n * 4)\n"
    "        # a tile\n"
    "        t: pl.Tile[[16, 64], pl.FP32, pl.MemRef(mem, n, 4096), "
    "pl.Mem.Vec, "
    "pl.TileView(valid_shape=[n, 64], start_offset=n)] = pl.tile.mystery(x, "
    "[n, -n], k=n, l=[1, n], attrs={\"a\": n})\n"
    "        for i, (a, c) in pl.range(0, n, 2, init_values=(n, t), "
    "attrs={\"k\": [n]}):\n"
    "            if b and i < n:\n"
    "                d: pl.Scalar[pl.INDEX] = pl.yield_(n)\n"
    "            else:\n"
    "                d: pl.Scalar[pl.INDEX] = pl.yield_(abs(a))\n"
    "            r, s = pl.yield_(d, c)\n"
    "        for (e,) in pl.while_(init_values=(r,)):\n"
    "            pl.cond(e > n)\n"
    "            g: pl.Scalar[pl.INDEX] = pl.yield_(e - n)\n"
    "        while n > 0:\n"
    "            if b:\n"
    "                break\n"
    "            continue\n"
    "        p: pl.Tuple[pl.Tensor[[M, n], pl.FP32], pl.Scalar[pl.TASK_ID]] = "
    "pl.spmd_submit(self.f, n, b, x, core_num=n, predicate=(n > 0), "
    "attrs={\"a\": [n]})\n"
    "        q: pl.Scalar[pl.TASK_ID] = p[1]\n"
    "        u: pl.Tuple[pl.Tensor[[M, n], pl.FP32], pl.Scalar[pl.TASK_ID]] = "
    "pl.submit(self.f, g, b, x, deps=[q])\n"
    "        pl.system.mystery(s, pl.cast(n, pl.INT32))\n"
    "        return x\n";

TEST(RewriterTest, WhatDoesNotChangeIsTheSamePointer) {
  TestProgram program(kEverything);
  ASSERT_EQ(program.errors(), "");
  Rewriter rewriter(&program.context());
  EXPECT_EQ(rewriter.RewriteProgram(&*program), &*program);
  EXPECT_EQ(rewriter.RewriteFunction(&program.function()), &program.function());
}

// Doubles every integer constant in expressions; types keep theirs.
class Doubler : public Rewriter {
 public:
  using Rewriter::Rewriter;

 protected:
  const Expr* RewriteNode(const Expr* node) override {
    const ConstInt* c = AsConstInt(node);
    return c == nullptr ? node : context().Int(2 * c->value, c->dtype());
  }
};

TEST(RewriterTest, SharesWhatDoesNotChange) {
  TestProgram program(
      InFunction("y = n + i32\nz = n + 1\nif b:\n    u = n\n"
                 "else:\n    v = 3\nreturn y"));
  ASSERT_EQ(program.errors(), "");
  const Program* after = Doubler(&program.context()).RewriteProgram(&*program);
  EXPECT_NE(after, &*program);
  const Block was = program.function().body;
  const Block is = after->functions[0]->body;
  EXPECT_EQ(is[0], was[0]);
  EXPECT_NE(is[1], was[1]);
  EXPECT_EQ(CheckedCast<If>(is[2])->then_body.data(),
            CheckedCast<If>(was[2])->then_body.data());
  EXPECT_NE(CheckedCast<If>(is[2])->else_body.data(),
            CheckedCast<If>(was[2])->else_body.data());
  EXPECT_EQ(is[3], was[3]);
  EXPECT_EQ(DifferenceOf(*program, *after), "f: body[1].value.rhs: 1 | 2");
}

TEST(RewriterTest, KeepsPlacesAndComments) {
  TestProgram program(InFunction("# why\ny = n + 1"));
  const Program* after = Doubler(&program.context()).RewriteProgram(&*program);
  const Stmt* stmt = after->functions[0]->body[0];
  EXPECT_EQ(stmt->span.line, 8);
  ASSERT_EQ(stmt->comments.size(), 1);
  EXPECT_EQ(stmt->comments[0], "why");
  EXPECT_EQ(CheckedCast<Assign>(stmt)->value->span.line, 8);
}

// Gives every tensor another element type.
class ToHalf : public Rewriter {
 public:
  using Rewriter::Rewriter;

 protected:
  const Type* RewriteType(const Type* type) override {
    const Type* base = Rewriter::RewriteType(type);
    const TensorType* tensor = DynCast<TensorType>(base);
    if (tensor == nullptr) return base;
    TensorType copy = *tensor;
    copy.dtype = DataType::kFP16;
    return context().GetTensorType(copy);
  }
};

TEST(RewriterTest, AChangedTypeMakesAFreshVariableThatAllUsesFollow) {
  TestProgram program(InFunction(
      "y = x\n"
      "for i, (a,) in pl.range(n, init_values=(y,)):\n"
      "    r = pl.yield_(pl.tensor.mystery(a, k=[1, a], attrs={'k': y}))\n"
      "pl.system.mystery(r, x)"));
  ASSERT_EQ(program.errors(), "");
  const Function& before = program.function();
  ToHalf rewriter(&program.context());
  const Function* after = rewriter.RewriteFunction(&before);
  EXPECT_NE(after->params[4], before.params[4]);
  EXPECT_EQ(after->params[4]->name, before.params[4]->name);
  EXPECT_EQ(after->params[0], before.params[0]);
  const std::string text = PrintFunction(*after);
  EXPECT_EQ(text.substr(text.find("x: ")),
            "x: pl.Tensor[[64, 64], pl.FP16], t: pl.Tile[[16, 64], pl.FP32, "
            "pl.Mem.Vec]):\n"
            "    y: pl.Tensor[[64, 64], pl.FP16] = x\n"
            "    for i, (a,) in pl.range(n, init_values=(y,)):\n"
            "        r: pl.UnknownType = pl.yield_(pl.tensor.mystery(a, k=[1, "
            "a], attrs={\"k\": y}))\n"
            "    pl.system.mystery(r, x)\n");
}

// Gives the INDEX parameters of a function another type, so that every use of
// them must follow.
class WidenParams : public Rewriter {
 public:
  using Rewriter::Rewriter;

 protected:
  const Type* RewriteType(const Type* type) override {
    if (type == context().IndexType()) {
      return context().GetScalarType(DataType::kInt64);
    }
    return Rewriter::RewriteType(type);
  }
};

TEST(RewriterTest, UsesInTypesAndAttributesFollow) {
  TestProgram program(kEverything);
  ASSERT_EQ(program.errors(), "");
  const Program* after =
      WidenParams(&program.context()).RewriteProgram(&*program);
  const std::string text = PrintProgram(*after);
  // A use that did not follow would print as one without a definition.
  EXPECT_EQ(text.find("__FREE_VAR"), std::string::npos) << text;
  const Function& f = *after->functions[0];
  EXPECT_NE(f.params[0], program.function().params[0]);
  const TensorType* x = CheckedCast<TensorType>(f.params[2]->type);
  EXPECT_EQ(x->shape[1], f.params[0]);
  EXPECT_EQ(x->view->stride[0], f.params[0]);
  EXPECT_EQ(CheckedCast<TensorType>(f.return_types[0])->shape[1], f.params[0]);
  EXPECT_EQ(FindAttr(f.attrs, "core_num")->expr, f.params[0]);
  EXPECT_EQ(FindAttr(f.attrs, "list")->list[0].expr, f.params[0]);
  const TileType* t =
      CheckedCast<TileType>(CheckedCast<Assign>(f.body[1])->var->type);
  EXPECT_EQ(t->memref->base, CheckedCast<Assign>(f.body[0])->var);
  EXPECT_EQ(t->memref->byte_offset, f.params[0]);
  EXPECT_EQ(t->view->valid_shape[0], f.params[0]);
  EXPECT_EQ(t->view->start_offset, f.params[0]);
}

// Puts `pl.system.before()` in front of every store and drops evaluations.
class Inserter : public Rewriter {
 public:
  using Rewriter::Rewriter;

 protected:
  void RewriteStmt(const Stmt* stmt, std::vector<const Stmt*>* out) override {
    const Eval* eval = DynCast<Eval>(stmt);
    if (eval == nullptr) return Rewriter::RewriteStmt(stmt, out);
    const Call* call = CheckedCast<Call>(eval->expr);
    if (call->callee->name != "tile.store") return;
    Call before;
    before.kind = ExprKind::kCall;
    before.type = context().GetMarkerType(TypeKind::kUnknown);
    before.callee = context().GetOp("system.before");
    Eval inserted = *eval;
    inserted.expr = context().New(before);
    out->push_back(context().New(inserted));
    Rewriter::RewriteStmt(stmt, out);
  }
};

std::string BodyAfter(const Function& function) {
  const std::string text = PrintFunction(function);
  return text.substr(text.find("):\n") + 3);
}

TEST(RewriterTest, StatementsMayBeInsertedAndDropped) {
  TestProgram program(
      InFunction("pl.system.drop()\n"
                 "for i in pl.range(n):\n"
                 "    pl.store(t, [0, 0], x)\n"
                 "return"));
  const Function* after =
      Inserter(&program.context()).RewriteFunction(&program.function());
  EXPECT_EQ(BodyAfter(*after),
            "    for i in pl.range(n):\n"
            "        pl.system.before()\n"
            "        pl.tile.store(t, [0, 0], x)\n"
            "    return\n");
}

// Replaces what a variable of this name stands for.
class Replacer : public Rewriter {
 public:
  Replacer(Context* context, absl::string_view name, const Expr* by)
      : Rewriter(context), name_(name), by_(by) {}

 protected:
  void RewriteStmt(const Stmt* stmt, std::vector<const Stmt*>* out) override {
    const Assign* assign = DynCast<Assign>(stmt);
    if (assign != nullptr && assign->var->name == name_) {
      return Substitute(assign->var, by_);
    }
    Rewriter::RewriteStmt(stmt, out);
  }

 private:
  absl::string_view name_;
  const Expr* by_;
};

TEST(RewriterTest, SubstitutedConstantsAreCanonical) {
  TestProgram program(InFunction(
      "k = n\n"
      "y = -k\n"
      "z: pl.Tensor[[64, k * 2], pl.FP32] = pl.tensor.mystery(k=k, l=[k])"));
  ASSERT_EQ(program.errors(), "");
  Context& context = program.context();
  const Program* after =
      Replacer(&context, "k", context.Index(5)).RewriteProgram(&*program);
  // What is printed reads back to the same: a negative constant, numbers as
  // attributes.
  const std::string text = PrintAndReadBack(*after);
  EXPECT_EQ(text.substr(text.find("        y: ")),
            "        y: pl.Scalar[pl.INDEX] = -5\n"
            "        z: pl.Tensor[[64, pl.const(5, pl.INDEX) * pl.const(2, "
            "pl.INDEX)], pl.FP32] = pl.tensor.mystery(k=5, l=[5])\n");
}

TEST(RewriterTest, ReplacementsAreForgottenBetweenFunctions) {
  TestProgram program(
      "import pypto.language as pl\n"
      "M = pl.dynamic(\"M\")\n"
      "@pl.function\n"
      "def f():\n"
      "    return M\n"
      "@pl.function\n"
      "def g():\n"
      "    return M\n");
  class Once : public Rewriter {
   public:
    Once(Context* context, const Var* var) : Rewriter(context), var_(var) {}

   protected:
    void RewriteStmt(const Stmt* stmt, std::vector<const Stmt*>* out) override {
      if (!done_) Substitute(var_, context().Index(1));
      done_ = true;
      Rewriter::RewriteStmt(stmt, out);
    }

   private:
    const Var* var_;
    bool done_ = false;
  };
  const Program* after = Once(&program.context(), program->dynamic_dims[0])
                             .RewriteProgram(&*program);
  EXPECT_EQ(BodyAfter(*after->Find("f")), "    return 1\n");
  EXPECT_EQ(BodyAfter(*after->Find("g")), "    return M__FREE_VAR\n");
  EXPECT_EQ(after->Find("g"), program->Find("g"));
}

TEST(RewriterTest, AssigningAgainKeepsTheReplacement) {
  TestProgram program(InFunction("y = x\ny = y\nreturn y"));
  const Function* after =
      ToHalf(&program.context()).RewriteFunction(&program.function());
  EXPECT_EQ(BodyAfter(*after),
            "    y: pl.Tensor[[64, 64], pl.FP16] = x\n"
            "    y: pl.Tensor[[64, 64], pl.FP16] = y\n"
            "    return y\n");
}

TEST(RewriterTest, ASumOf100000TermsNeedsNoStack) {
  std::string sum = "y = n";
  for (int i = 1; i < 100'000; ++i) sum += " + 1";
  TestProgram program(InFunction(sum));
  ASSERT_EQ(program.errors(), "");
  const Program* after = Doubler(&program.context()).RewriteProgram(&*program);
  const Assign* assign = CheckedCast<Assign>(after->functions[0]->body[0]);
  const Expr* at = assign->value;
  int twos = 0;
  while (const Binary* binary = DynCast<Binary>(at)) {
    twos += binary->rhs == program.context().Index(2);
    at = binary->lhs;
  }
  EXPECT_EQ(twos, 99'999);
  EXPECT_EQ(at, program.function().params[0]);
}

TEST(WithOperandsTest, PutsOperandsInTheirPlaces) {
  TestProgram program(InFunction(
      "d = pl.submit(self.f, n)\nq = d[0]\n"
      "y = pl.spmd_submit(self.f, n, i32, deps=[q], core_num=2, predicate=b, "
      "dumps=[x], attrs={'a': f})"));
  ASSERT_EQ(program.errors(), "");
  Context& context = program.context();
  const Expr* expr = CheckedCast<Assign>(program.function().body[2])->value;
  std::vector<const Expr*> operands;
  for (const char* name : {"a", "b", "c", "d", "e", "f", "g"}) {
    operands.push_back(context.NewVar(name, context.IndexType()));
  }
  EXPECT_EQ(PrintExpr(WithOperands(&context, expr, operands, expr->type)),
            "pl.spmd_submit(self.f, a, b, deps=[c], dumps=[f], core_num=d, "
            "predicate=(e), attrs={\"a\": g})");
}

}  // namespace
}  // namespace mxtile::ir
