// Each rule of TypeChecked, broken by a program that keeps all others, and the
// kept side of its border.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "ir/builder.h"
#include "ir/context.h"
#include "ir/data_type.h"
#include "ir/diagnostic.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/ir_test_util.h"
#include "ir/program.h"
#include "ir/stmt.h"
#include "ir/type.h"
#include "ir/verifier.h"
#include "ir/verifier_test_util.h"

namespace mxtile::ir {
namespace {

constexpr DataType kFP16 = DataType::kFP16;
constexpr DataType kFP32 = DataType::kFP32;

// What the three properties report together: a program that breaks one rule
// keeps all others.
std::string Errors(const Program& program) {
  DiagnosticSink sink;
  VerifySsaForm(program, &sink);
  VerifyUseAfterDef(program, &sink);
  VerifyTypeChecked(program, &sink);
  return Summary(sink);
}

class TypeCheckedTest : public ::testing::Test {
 protected:
  Context& ctx() { return m_.context(); }
  const Type* Scalar(DataType dtype) { return ctx().GetScalarType(dtype); }

  const TensorType* Tensor(std::vector<int64_t> shape, DataType dtype = kFP16,
                           TensorView view = {},
                           TypeKind kind = TypeKind::kTensor) {
    TensorType type;
    type.kind = kind;
    type.shape = ctx().StaticDims(shape);
    type.dtype = dtype;
    type.view = &view;
    return ctx().GetTensorType(type);
  }
  TensorView Valid(std::vector<int64_t> valid) {
    TensorView view;
    view.valid_shape = ctx().StaticDims(valid);
    return view;
  }
  const TileType* Tile(std::vector<int64_t> shape,
                       std::optional<MemorySpace> space = std::nullopt,
                       std::optional<TileView> view = std::nullopt) {
    TileType type;
    type.shape = ctx().StaticDims(shape);
    type.dtype = kFP16;
    type.space = space;
    type.view = view.has_value() ? &*view : nullptr;
    return ctx().GetTileType(type);
  }

  // y: to = x, where x: from.
  std::string ErrorsOfAssigning(const Type* from, const Type* to) {
    const Var* x = m_.Param("x", from);
    return Errors(*m_.ProgramOf({m_.New(m_.AssignTo(m_.NewVar("y", to), x))}));
  }

  MadeProgram m_;
};

constexpr char kAssigned[] = "1:1 the assigned value and 'y' do not agree: ";

// ---- MX-TYPE-1

TEST_F(TypeCheckedTest, Kind_MX_TYPE_1) {
  EXPECT_EQ(
      ErrorsOfAssigning(Tensor({16, 64}), Tile({16, 64})),
      absl::StrCat("MX-TYPE-1 ", kAssigned, "they are a tensor and a tile\n"));
}

TEST_F(TypeCheckedTest, ADistributedTensorIsNoTensor_MX_TYPE_1) {
  EXPECT_EQ(ErrorsOfAssigning(
                Tensor({16, 64}, kFP16, {}, TypeKind::kDistributedTensor),
                Tensor({16, 64})),
            absl::StrCat("MX-TYPE-1 ", kAssigned,
                         "they are a distributed tensor and a tensor\n"));
}

TEST_F(TypeCheckedTest, UnknownTypesAgreeWithAll) {
  EXPECT_EQ(ErrorsOfAssigning(ctx().GetMarkerType(TypeKind::kUnknown),
                              Tile({16, 64})),
            "");
}

// ---- MX-TYPE-2

TEST_F(TypeCheckedTest, ElementType_MX_TYPE_2) {
  EXPECT_EQ(ErrorsOfAssigning(Tensor({16}, kFP16), Tensor({16}, kFP32)),
            absl::StrCat("MX-TYPE-2 ", kAssigned,
                         "their elements are FP16 and FP32\n"));
}

TEST_F(TypeCheckedTest, ScalarType_MX_TYPE_2) {
  EXPECT_EQ(
      ErrorsOfAssigning(Scalar(DataType::kInt32), Scalar(DataType::kInt64)),
      absl::StrCat("MX-TYPE-2 ", kAssigned,
                   "their types are INT32 and INT64\n"));
}

TEST_F(TypeCheckedTest, IndexIsInt64_MX_TYPE_2) {
  EXPECT_EQ(ErrorsOfAssigning(ctx().IndexType(), Scalar(DataType::kInt64)), "");
  EXPECT_EQ(ErrorsOfAssigning(Scalar(DataType::kInt64), ctx().IndexType()), "");
}

TEST_F(TypeCheckedTest, AnIntegerLiteralFitsEveryIntegerType_MX_TYPE_2) {
  const auto errors = [](DataType dtype) {
    MadeProgram m;
    const Var* y = m.NewVar("y", m.context().GetScalarType(dtype));
    return Errors(*m.ProgramOf({m.New(m.AssignTo(y, m.Index(7)))}));
  };
  EXPECT_EQ(errors(DataType::kInt32), "");
  EXPECT_EQ(errors(DataType::kUInt64), "");
  EXPECT_EQ(errors(kFP32), absl::StrCat("MX-TYPE-2 ", kAssigned,
                                        "their types are INDEX and FP32\n"));
}

// ---- MX-TYPE-3

TEST_F(TypeCheckedTest, Rank_MX_TYPE_3) {
  EXPECT_EQ(ErrorsOfAssigning(Tensor({16, 64}), Tensor({1024})),
            absl::StrCat("MX-TYPE-3 ", kAssigned,
                         "their shapes have rank 2 and 1\n"));
}

TEST_F(TypeCheckedTest, AValidShapeHasTheRankOfItsShape_MX_TYPE_3) {
  const Type* type = Tensor({16, 64}, kFP16, Valid({16}));
  m_.Param("x", type);
  EXPECT_EQ(Errors(*m_.ProgramOf({})),
            "MX-TYPE-3 0:0 in the type of 'x' the ranks of valid shape and "
            "shape are 1 and 2\n");
}

// ---- MX-TYPE-4

TEST_F(TypeCheckedTest, ConstantDims_MX_TYPE_4) {
  EXPECT_EQ(ErrorsOfAssigning(Tile({16, 64}), Tile({16, 32})),
            absl::StrCat("MX-TYPE-4 ", kAssigned,
                         "their shapes are [16, 64] and [16, 32]\n"));
}

TEST_F(TypeCheckedTest, ConstantValidDims_MX_TYPE_4) {
  EXPECT_EQ(ErrorsOfAssigning(Tensor({16, 64}, kFP16, Valid({8, 64})),
                              Tensor({16, 64})),
            absl::StrCat("MX-TYPE-4 ", kAssigned,
                         "their valid shapes are [8, 64] and [16, 64]\n"));
}

TEST_F(TypeCheckedTest, AValidShapeLiesInsideItsShape_MX_TYPE_4) {
  m_.Param("x", Tensor({16, 64}, kFP16, Valid({17, 64})));
  m_.Param("y", Tensor({16, 64}, kFP16, Valid({16, -1})));
  m_.Param("z", Tensor({16, 64}, kFP16, Valid({16, 0})));
  EXPECT_EQ(Errors(*m_.ProgramOf({})),
            "MX-TYPE-4 0:0 in the type of 'x' the valid shape [17, 64] is not "
            "inside the shape [16, 64]\n"
            "MX-TYPE-4 0:0 in the type of 'y' the valid shape [16, -1] is not "
            "inside the shape [16, 64]\n");
}

TEST_F(TypeCheckedTest, SymbolicDimsAgreeWithAll_MX_TYPE_4) {
  const Var* n = m_.Param("n", ctx().IndexType());
  TileType type;
  const Expr* shape[] = {n, ctx().Index(64)};
  type.shape = shape;
  type.dtype = kFP16;
  EXPECT_EQ(ErrorsOfAssigning(Tile({16, 64}), ctx().GetTileType(type)), "");
}

TEST_F(TypeCheckedTest, ArrayExtents_MX_TYPE_4) {
  EXPECT_EQ(
      ErrorsOfAssigning(ctx().GetArrayType(4, DataType::kInt32),
                        ctx().GetArrayType(5, DataType::kInt32)),
      absl::StrCat("MX-TYPE-4 ", kAssigned, "their extents are 4 and 5\n"));
}

// ---- MX-TYPE-5

TEST_F(TypeCheckedTest, TupleSize_MX_TYPE_5) {
  const Type* index = ctx().IndexType();
  EXPECT_EQ(ErrorsOfAssigning(ctx().GetTupleType({index, index}),
                              ctx().GetTupleType({index})),
            absl::StrCat("MX-TYPE-5 ", kAssigned,
                         "their numbers of elements are 2 and 1\n"));
}

TEST_F(TypeCheckedTest, TupleElementsAgreeToo_MX_TYPE_2) {
  const Type* index = ctx().IndexType();
  EXPECT_EQ(ErrorsOfAssigning(ctx().GetTupleType({index, index}),
                              ctx().GetTupleType({index, Scalar(kFP16)})),
            absl::StrCat("MX-TYPE-2 ", kAssigned,
                         "in element 1 their types are INDEX and FP16\n"));
}

// Numbers of values are also SsaForm's, so only TypeChecked is asked.
TEST_F(TypeCheckedTest, NumbersOfValues_MX_TYPE_5) {
  const IterArg* a = ctx().NewIterArg("a", ctx().IndexType(), m_.Index(0));
  For loop = m_.Carrying(a, a, m_.NewVar("r"));
  loop.return_vars = {};
  If branch = m_.Choosing(m_.Index(1), m_.Index(2), m_.NewVar("s"));
  branch.else_body = m_.Body({m_.YieldOf({})});
  DiagnosticSink sink;
  VerifyTypeChecked(*m_.ProgramOf({m_.New(loop), m_.New(branch)}), &sink);
  EXPECT_EQ(Summary(sink),
            "MX-TYPE-5 2:1 the loop carries 1 values, yields 1 and has 0 "
            "results\n"
            "MX-TYPE-5 6:1 the branch yields 0 values, the if has 1 "
            "results\n");
}

// ---- MX-TYPE-6, -7, -8

TEST_F(TypeCheckedTest, AConditionIsAScalar_MX_TYPE_6) {
  const Var* x = m_.Param("x", Tensor({16}, DataType::kBool));
  If branch;
  branch.kind = StmtKind::kIf;
  branch.condition = x;
  EXPECT_EQ(Errors(*m_.ProgramOf({m_.New(branch)})),
            "MX-TYPE-6 0:0 a condition must be a scalar, it is "
            "pl.Tensor[[16], pl.BOOL]\n");
}

TEST_F(TypeCheckedTest, ALoopRunsOverScalars_MX_TYPE_7) {
  const Var* x = m_.Param("x", Tensor({16}, DataType::kInt32));
  constexpr const Expr* For::*kBounds[] = {&For::start, &For::stop, &For::step};
  std::vector<const Stmt*> loops;
  for (const Expr* For::*bound : kBounds) {
    For loop = m_.Loop({});
    loop.*bound = x;
    loops.push_back(m_.New(loop));
  }
  EXPECT_EQ(Errors(*m_.ProgramOf(loops)),
            "MX-TYPE-7 1:1 the start of a loop must be a scalar, it is "
            "pl.Tensor[[16], pl.INT32]\n"
            "MX-TYPE-7 2:1 the stop of a loop must be a scalar, it is "
            "pl.Tensor[[16], pl.INT32]\n"
            "MX-TYPE-7 3:1 the step of a loop must be a scalar, it is "
            "pl.Tensor[[16], pl.INT32]\n");
}

TEST_F(TypeCheckedTest, AConditionIsBool_MX_TYPE_8) {
  const Var* n = m_.Param("n", ctx().IndexType());
  If branch;
  branch.kind = StmtKind::kIf;
  branch.condition = n;
  While loop;
  loop.kind = StmtKind::kWhile;
  loop.condition = n;
  EXPECT_EQ(Errors(*m_.ProgramOf({m_.New(branch), m_.New(loop)})),
            "MX-TYPE-8 0:0 a condition must be BOOL, it is INDEX; compare it, "
            "as in x != 0\n"
            "MX-TYPE-8 0:0 a condition must be BOOL, it is INDEX; compare it, "
            "as in x != 0\n");
}

// ---- MX-TYPE-9

TEST_F(TypeCheckedTest, Padding_MX_TYPE_9) {
  TensorView zero = Valid({8});
  zero.pad = PadValue::kZero;
  EXPECT_EQ(ErrorsOfAssigning(Tensor({16}, kFP16, Valid({8})),
                              Tensor({16}, kFP16, zero)),
            absl::StrCat("MX-TYPE-9 ", kAssigned,
                         "their padding is null and zero\n"));
}

// ---- MX-TYPE-10

class WindowTest : public TypeCheckedTest {
 protected:
  const Type* Window() {
    return Tensor({16}, kFP16, {}, TypeKind::kDistributedTensor);
  }
  // A variable that holds a window of that allocation.
  const Var* WindowOf(const Var* base) {
    const Var* var = m_.NewVar(absl::StrCat("in_", base->name), Window());
    stmts_.push_back(m_.New(
        m_.AssignTo(var, MakeOpCall(&ctx(), "tensor.window_of",
                                    ctx().ExprList({base}), {}, Window()))));
    return var;
  }
  const Var* Base(absl::string_view name) {
    return m_.Param(name, ctx().GetMarkerType(TypeKind::kPtr));
  }

  std::vector<const Stmt*> stmts_;
};

TEST_F(WindowTest, BranchesYieldOneWindow_MX_TYPE_10) {
  const Var* a = WindowOf(Base("a"));
  const Var* b = WindowOf(Base("b"));
  stmts_.push_back(m_.New(m_.Choosing(a, b, m_.NewVar("r", Window()))));
  EXPECT_EQ(Errors(*m_.ProgramOf(stmts_)),
            "MX-TYPE-10 4:1 'r' is a window of 'a' or of 'b'; it must be one "
            "window on every path\n");
}

TEST_F(WindowTest, TwoWindowsOfOneAllocationAgree_MX_TYPE_10) {
  const Var* base = Base("a");
  const Var* first = WindowOf(base);
  const Var* second = WindowOf(base);
  const Var* r = m_.NewVar("r", Window());
  stmts_.push_back(m_.New(m_.Choosing(first, second, r)));
  EXPECT_EQ(Errors(*m_.ProgramOf(stmts_)), "");
}

TEST_F(WindowTest, ALoopStaysInItsWindow_MX_TYPE_10) {
  const Var* a = WindowOf(Base("a"));
  const Var* b = WindowOf(Base("b"));
  const IterArg* arg = ctx().NewIterArg("w", Window(), a);
  stmts_.push_back(m_.New(m_.Carrying(arg, b, m_.NewVar("r", Window()))));
  EXPECT_EQ(Errors(*m_.ProgramOf(stmts_)),
            "MX-TYPE-10 3:1 'r' is a window of 'a' or of 'b'; it must be one "
            "window on every path\n");
}

TEST_F(WindowTest, WhatIsCarriedAlongIsFollowed_MX_TYPE_10) {
  const Var* a = WindowOf(Base("a"));
  const IterArg* arg = ctx().NewIterArg("w", Window(), a);
  const Var* alias = m_.NewVar("alias", Window());
  stmts_.push_back(m_.New(m_.Carrying(arg, alias, m_.NewVar("r", Window()),
                                      {m_.New(m_.AssignTo(alias, arg))})));
  EXPECT_EQ(Errors(*m_.ProgramOf(stmts_)), "");
}

TEST_F(WindowTest, UnknownWindowsAgreeWithAll_MX_TYPE_10) {
  const Var* a = WindowOf(Base("a"));
  const Var* x = m_.Param("x", Window());
  stmts_.push_back(m_.New(m_.Choosing(a, x, m_.NewVar("r", Window()))));
  EXPECT_EQ(Errors(*m_.ProgramOf(stmts_)), "");
}

// ---- MX-TYPE-11

TEST_F(TypeCheckedTest, TileView_MX_TYPE_11) {
  TileView scale;
  scale.slayout = TileLayout::kRowMajor;
  scale.fractal = 32;
  const Type* plain = Tile({16, 2}, MemorySpace::kMat);
  EXPECT_EQ(ErrorsOfAssigning(plain, Tile({16, 2}, MemorySpace::kMat, scale)),
            absl::StrCat("MX-TYPE-11 ", kAssigned,
                         "their tile views are col_major/row_major/512 of "
                         "stride [], pad null, compact null and "
                         "row_major/row_major/32 of stride [], pad null, "
                         "compact null\n"));
}

TEST_F(TypeCheckedTest, EveryFieldOfAViewCounts_MX_TYPE_11) {
  const TileView base = ImplicitTileView(Tile({16, 64})->shape, std::nullopt);
  std::vector<TileView> changed(5, base);
  changed[0].pad = PadValue::kZero;
  changed[1].compact = CompactMode::kNormal;
  changed[2].stride = ctx().StaticDims({128, 1});
  changed[3].start_offset = ctx().Index(4);
  changed[4].blayout = TileLayout::kColMajor;
  for (const TileView& view : changed) {
    MadeProgram m;
    DiagnosticSink sink;
    const Var* x = m_.NewVar("x", Tile({16, 64}, MemorySpace::kVec));
    const Var* y = m_.NewVar("y", Tile({16, 64}, MemorySpace::kVec, view));
    VerifyTypeChecked(*m.ProgramOf({m.New(m.AssignTo(y, x))}), &sink);
    ASSERT_EQ(sink.error_count(), 1);
    EXPECT_EQ(sink.diagnostics()[0].rule_id, "MX-TYPE-11");
  }
}

// Memory spaces are inferred later, and with them layouts (case I6).
TEST_F(TypeCheckedTest, LayoutsMayDifferBeforeTheSpaceIsDecided_MX_TYPE_11) {
  EXPECT_EQ(ErrorsOfAssigning(Tile({16, 64}, MemorySpace::kVec),
                              Tile({16, 64}, MemorySpace::kAcc)),
            "");
  TileView view;
  view.fractal = 1024;
  MadeProgram m;
  const Var* x = m.Param("x", Tile({16, 64}));
  const Var* y = m.NewVar("y", Tile({16, 64}, MemorySpace::kAcc, view));
  EXPECT_EQ(Errors(*m.ProgramOf({m.New(m.AssignTo(y, x))})), "");
}

// ---- Where values meet

TEST_F(TypeCheckedTest, EveryEdgeOfALoop) {
  const Var* x = m_.Param("x", Tensor({16}));
  const Var* y = m_.Param("y", Tensor({8}));
  const auto loop = [&](const Expr* init, const Type* carried,
                        const Expr* yielded, const Type* result) {
    const IterArg* arg = ctx().NewIterArg("a", carried, init);
    return m_.New(m_.Carrying(arg, yielded, m_.NewVar("r", result)));
  };
  const std::string what = " do not agree: their shapes are [8] and [16]\n";
  EXPECT_EQ(Errors(*m_.ProgramOf({loop(y, x->type, x, x->type),
                                  loop(x, x->type, y, x->type),
                                  loop(y, y->type, y, x->type)})),
            absl::StrCat("MX-TYPE-4 2:1 the initial value and 'a'", what,
                         "MX-TYPE-4 3:1 the yielded value and 'a'", what,
                         "MX-TYPE-4 6:1 the carried value and 'r'", what));
}

TEST_F(TypeCheckedTest, BothBranchesOfAnIf) {
  const Var* x = m_.Param("x", Tensor({16}));
  const Var* y = m_.Param("y", Tensor({8}));
  const std::string what =
      " and 'r' do not agree: their shapes are [8] and [16]\n";
  EXPECT_EQ(Errors(*m_.ProgramOf(
                {m_.New(m_.Choosing(x, y, m_.NewVar("r", x->type))),
                 m_.New(m_.Choosing(y, x, m_.NewVar("r", x->type)))})),
            absl::StrCat("MX-TYPE-4 2:1 the yielded value", what,
                         "MX-TYPE-4 4:1 the yielded value", what));
}

TEST_F(TypeCheckedTest, EveryFunctionIsChecked) {
  const TestProgram program(
      "import pypto.language as pl\n"
      "@pl.function\n"
      "def g(x: pl.Tensor[[4], pl.FP16, pl.TensorView(valid_shape=[5], "
      "stride=[], layout=pl.TensorLayout.ND)]):\n"
      "    pass\n"
      "@pl.function\n"
      "def f(x: pl.Tensor[[4], pl.FP16, pl.TensorView(valid_shape=[6], "
      "stride=[], layout=pl.TensorLayout.ND)]):\n"
      "    pass\n");
  ASSERT_EQ(program.errors(), "");
  EXPECT_EQ(Errors(*program),
            "MX-TYPE-4 6:7 in the type of 'x' the valid shape [6] is not "
            "inside the shape [4]\n"
            "MX-TYPE-4 3:7 in the type of 'x' the valid shape [5] is not "
            "inside the shape [4]\n");
}

}  // namespace
}  // namespace mxtile::ir
