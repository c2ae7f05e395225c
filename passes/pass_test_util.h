#ifndef PASSES_PASS_TEST_UTIL_H_
#define PASSES_PASS_TEST_UTIL_H_

// For tests of passes: types in a line, a pass run with its properties
// verified, and programs as short text.
//
//   class MyPassTest : public PassTest {};
//   TEST_F(MyPassTest, Renames) {
//     ir::FunctionBuilder f = InCore("cell");
//     ...
//     MX_ASSERT_OK_AND_ASSIGN(const auto* after, Run(MyPass(), Program(f)));
//     EXPECT_EQ(Sketch(*after->functions[0]), "x:Vec = load(t)\n");
//   }

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "gtest/gtest.h"
#include "ir/builder.h"
#include "ir/context.h"
#include "ir/data_type.h"
#include "ir/diagnostic.h"
#include "ir/enums.h"
#include "ir/expr.h"
#include "ir/op_registry.h"
#include "ir/ops/standard_ops.h"
#include "ir/program.h"
#include "ir/stmt.h"
#include "ir/text/printer.h"
#include "ir/type.h"
#include "passes/pass.h"
#include "passes/pass_manager.h"

namespace mxtile {

// The statements of a block, one a line, without types: "v:Vec = load(t)". A
// variable that is a tile shows its space; arguments that are no variables or
// calls are left out.
inline std::string SketchBlock(ir::Block block, absl::string_view indent = "");

class PassTest : public ::testing::Test {
 protected:
  explicit PassTest(const ir::OpRegistry& ops = ir::StandardOps()) : ctx(&ops) {
    pass_context.ir = &ctx;
    pass_context.sink = &sink;
  }

  // ---- Types and values

  const ir::TensorType* Tensor(
      const std::vector<int64_t>& shape, ir::DataType dtype,
      ir::TensorLayout layout = ir::TensorLayout::kND) {
    ir::TensorView view;
    view.layout = layout;
    ir::TensorType type;
    type.kind = ir::TypeKind::kTensor;
    type.shape = ctx.StaticDims(shape);
    type.dtype = dtype;
    type.view = &view;
    return ctx.GetTensorType(type);
  }
  const ir::TileType* Tile(
      const std::vector<int64_t>& shape, ir::DataType dtype,
      std::optional<ir::MemorySpace> space = std::nullopt) {
    ir::TileType type;
    type.shape = ctx.StaticDims(shape);
    type.dtype = dtype;
    type.space = space;
    return ctx.GetTileType(type);
  }
  const ir::Expr* List(const std::vector<int64_t>& values) {
    return ctx.NewTuple(ctx.StaticDims(values));
  }
  static ir::Attr Target(ir::MemorySpace space) {
    return {"target_memory", ir::AttrValue::Of(space)};
  }

  // ---- Programs

  ir::FunctionBuilder InCore(
      absl::string_view name,
      ir::FunctionType type = ir::FunctionType::kInCore) {
    return ir::FunctionBuilder(&ctx, name, type);
  }
  // name = tile.load of the whole tensor.
  const ir::Var* Load(ir::FunctionBuilder& f, absl::string_view name,
                      const ir::Var* tensor, std::vector<ir::Attr> kwargs) {
    const auto* type = ir::CheckedCast<ir::TensorType>(tensor->type);
    const std::vector<int64_t> zeros(type->shape.size(), 0);
    const ir::Expr* shape = ctx.NewTuple(type->shape);
    return f.AssignOp(name, "tile.load", {tensor, List(zeros), shape, shape},
                      kwargs);
  }
  const ir::Var* Move(ir::FunctionBuilder& f, absl::string_view name,
                      const ir::Expr* tile, ir::MemorySpace space) {
    return f.AssignOp(name, "tile.move", {tile}, {Target(space)});
  }
  // A parameter of that shape, and a load of all of it.
  const ir::Var* LoadParam(ir::FunctionBuilder& f, absl::string_view name,
                           const std::vector<int64_t>& shape,
                           ir::DataType dtype, ir::TensorLayout layout,
                           std::vector<ir::Attr> kwargs) {
    const ir::Var* tensor =
        f.Param(absl::StrCat(name, "_t"), Tensor(shape, dtype, layout));
    return Load(f, name, tensor, kwargs);
  }
  const ir::Program* Program(ir::FunctionBuilder& f) {
    return ir::MakeProgram(&ctx, "P", {f.Build()});
  }

  // ---- Running

  absl::StatusOr<const ir::Program*> Run(const Pass& pass,
                                         const ir::Program* program) {
    return PassManager({&pass}).Run(program, pass_context);
  }
  // The rule that the last diagnostic names, with its message.
  std::string LastError() const {
    if (sink.diagnostics().empty()) return "no diagnostic";
    const ir::Diagnostic& last = sink.diagnostics().back();
    return absl::StrCat(last.rule_id, ": ", last.message);
  }

  static std::string Sketch(const ir::Function& function) {
    return SketchBlock(function.body);
  }
  static std::string Sketch(const ir::Program& program) {
    std::string out;
    for (const ir::Function* function : program.functions) {
      absl::StrAppend(&out, Sketch(*function));
    }
    return out;
  }

  ir::Context ctx;
  ir::DiagnosticSink sink;
  PassContext pass_context;
};

// ---- Sketches

inline std::string SketchVar(const ir::Var* var) {
  const auto* tile = ir::DynCast<ir::TileType>(var->type);
  if (tile == nullptr) return std::string(var->name);
  return absl::StrCat(
      var->name, ":",
      tile->space.has_value() ? ir::EnumName(*tile->space) : "none");
}

template <typename List>
std::string SketchVars(const List& vars) {
  std::string out;
  for (const ir::Var* var : vars) {
    absl::StrAppend(&out, out.empty() ? "" : ", ", SketchVar(var));
  }
  return out;
}

inline std::string SketchExpr(const ir::Expr* expr) {
  if (const auto* var = ir::DynCast<ir::Var>(expr)) {
    return std::string(var->name);
  }
  const auto* call = ir::DynCast<ir::Call>(expr);
  if (call == nullptr) return ir::PrintExpr(expr);
  std::string args;
  for (const ir::Expr* arg : call->args) {
    if (!ir::Isa<ir::Var>(arg) && !ir::Isa<ir::Call>(arg)) continue;
    absl::StrAppend(&args, args.empty() ? "" : ", ", SketchExpr(arg));
  }
  return absl::StrCat(absl::StripPrefix(call->callee->name, "tile."), "(", args,
                      ")");
}

inline std::string SketchExprs(ir::Exprs exprs) {
  std::string out;
  for (const ir::Expr* expr : exprs) {
    absl::StrAppend(&out, out.empty() ? "" : ", ", SketchExpr(expr));
  }
  return out;
}

inline std::string SketchStmt(const ir::Stmt* stmt, absl::string_view indent) {
  const std::string inner = absl::StrCat(indent, "  ");
  if (const auto* assign = ir::DynCast<ir::Assign>(stmt)) {
    return absl::StrCat(indent, SketchVar(assign->var), " = ",
                        SketchExpr(assign->value), "\n");
  }
  if (const auto* eval = ir::DynCast<ir::Eval>(stmt)) {
    return absl::StrCat(indent, SketchExpr(eval->expr), "\n");
  }
  if (const auto* yield = ir::DynCast<ir::Yield>(stmt)) {
    return absl::StrCat(indent, "yield ", SketchExprs(yield->values), "\n");
  }
  if (const auto* ret = ir::DynCast<ir::Return>(stmt)) {
    if (ret->values.empty()) return "";
    return absl::StrCat(indent, "return ", SketchExprs(ret->values), "\n");
  }
  if (const auto* branch = ir::DynCast<ir::If>(stmt)) {
    std::string out =
        absl::StrCat(indent, "if:\n", SketchBlock(branch->then_body, inner));
    if (!branch->else_body.empty()) {
      absl::StrAppend(&out, indent, "else:\n",
                      SketchBlock(branch->else_body, inner));
    }
    if (!branch->return_vars.empty()) {
      absl::StrAppend(&out, indent, "-> ", SketchVars(branch->return_vars),
                      "\n");
    }
    return out;
  }
  if (const auto* loop = ir::DynCast<ir::For>(stmt)) {
    std::string out = absl::StrCat(indent, "for ", loop->loop_var->name);
    for (const ir::IterArg* arg : loop->iter_args) {
      absl::StrAppend(&out, ", ", SketchVar(arg), "=", SketchExpr(arg->init));
    }
    absl::StrAppend(&out, ":\n", SketchBlock(loop->body, inner));
    if (!loop->return_vars.empty()) {
      absl::StrAppend(&out, indent, "-> ", SketchVars(loop->return_vars), "\n");
    }
    return out;
  }
  return absl::StrCat(indent, "?\n");
}

inline std::string SketchBlock(ir::Block block, absl::string_view indent) {
  std::string out;
  for (const ir::Stmt* stmt : block) {
    absl::StrAppend(&out, SketchStmt(stmt, indent));
  }
  return out;
}

}  // namespace mxtile

#endif  // PASSES_PASS_TEST_UTIL_H_
