// A pass that is wrong is caught and named, whatever it does wrong and wherever
// in the pipeline it stands.
//
// Each fault is a rewrite of one place, as a bug in a pass would make it. The
// planted pass stands at every position of the A5 pipeline; where it finds its
// place in the program, the validator must stop behind it.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "ir/context.h"
#include "ir/diagnostic.h"
#include "ir/expr.h"
#include "ir/program.h"
#include "ir/rewriter.h"
#include "ir/stmt.h"
#include "ir/text/printer.h"
#include "ir/text/text_program_test_util.h"
#include "passes/a5_pipeline.h"
#include "passes/pass.h"
#include "passes/pass_manager.h"
#include "tools/validate/execution_validator.h"
#include "tools/validate/stage_run.h"
#include "tools/validate/validation_report.h"

namespace mxtile {
namespace {

using ir::CheckedCast;
using ir::Context;
using ir::DynCast;
using ir::Expr;
using ir::Program;
using ir::Stmt;

// A product whose accumulator a loop carries; two more steps than the first.
constexpr char kGemm[] = R"(# pypto.program: Gemm
import pypto.language as pl

@pl.program
class Gemm:
    @pl.function(type=pl.FunctionType.InCore)
    def main(
        a: pl.Tensor[[32, 192], pl.FP8E4M3FN],
        a_scale: pl.Tensor[[32, 6], pl.FP8E8M0, pl.MX_A_ZZ],
        b: pl.Tensor[[192, 64], pl.FP8E4M3FN],
        b_scale: pl.Tensor[[6, 64], pl.FP8E8M0, pl.MX_B_NN],
        c: pl.Out[pl.Tensor[[32, 64], pl.FP32]],
    ) -> pl.Tensor[[32, 64], pl.FP32]:
        a0 = pl.load(a, [0, 0], [32, 64], target_memory=pl.Mem.Mat)
        sa0 = pl.load(a_scale, [0, 0], [32, 2])
        b0 = pl.load(b, [0, 0], [64, 64], target_memory=pl.Mem.Mat)
        sb0 = pl.load(b_scale, [0, 0], [2, 64])
        first = pl.matmul_mx(a0, sa0, b0, sb0)
        for k0, (acc,) in pl.range(64, 192, 64, init_values=(first,)):
            a1 = pl.load(a, [0, k0], [32, 64], target_memory=pl.Mem.Mat)
            sa1 = pl.load(a_scale, [0, k0 // 32], [32, 2])
            b1 = pl.load(b, [k0, 0], [64, 64], target_memory=pl.Mem.Mat)
            sb1 = pl.load(b_scale, [k0 // 32, 0], [2, 64])
            acc_next = pl.matmul_mx_acc(acc, a1, sa1, b1, sb1)
            total = pl.yield_(acc_next)
        result = pl.store(total, [0, 0], c)
        return result
)";

// Arithmetic of the vector core, on tiles of which a part is valid.
constexpr char kVector[] = R"(# pypto.program: Vector
import pypto.language as pl

@pl.program
class Vector:
    @pl.function(type=pl.FunctionType.InCore)
    def main(
        x: pl.Tensor[[16, 64], pl.FP32],
        y: pl.Tensor[[16, 64], pl.FP32],
        z: pl.Out[pl.Tensor[[16, 64], pl.FP16]],
        w: pl.Out[pl.Tensor[[16, 64], pl.FP32]],
    ) -> pl.Tensor[[16, 64], pl.FP16]:
        s = pl.load(x, [0, 0], [16, 64], target_memory=pl.Mem.Vec)
        t = pl.load(y, [0, 0], [16, 64], target_memory=pl.Mem.Vec)
        u = pl.load(y, [0, 0], [16, 64], [10, 64], target_memory=pl.Mem.Vec)
        d = pl.tile.sub(s, t)
        h = pl.tile.cast(d, target_type=pl.FP16, mode="rint")
        v = pl.store(u, [0, 0], w)
        z_next = pl.store(h, [0, 0], z)
        return z_next
)";

// ---- Faults

// Changes the first place at which a function makes something else of what it
// is given.
class Planter : public ir::Rewriter {
 public:
  // Null: not the place.
  using OnExpr = std::function<const Expr*(Context&, const Expr*)>;
  // Nullopt: not the place.
  using OnStmt = std::function<std::optional<std::vector<const Stmt*>>(
      Context&, const Stmt*)>;

  Planter(Context* context, OnExpr on_expr, OnStmt on_stmt)
      : Rewriter(context),
        on_expr_(std::move(on_expr)),
        on_stmt_(std::move(on_stmt)) {}

 protected:
  const Expr* RewriteNode(const Expr* node) override {
    if (done_ || on_expr_ == nullptr) return node;
    const Expr* other = on_expr_(context(), node);
    done_ = other != nullptr;
    return done_ ? other : node;
  }
  void RewriteStmt(const Stmt* stmt, std::vector<const Stmt*>* out) override {
    if (!done_ && on_stmt_ != nullptr) {
      const auto other = on_stmt_(context(), stmt);
      if (other.has_value()) {
        done_ = true;
        out->insert(out->end(), other->begin(), other->end());
        return;
      }
    }
    Rewriter::RewriteStmt(stmt, out);
  }

 private:
  OnExpr on_expr_;
  OnStmt on_stmt_;
  bool done_ = false;
};

struct Fault {
  std::string name;
  const char* program;
  Planter::OnExpr on_expr;
  Planter::OnStmt on_stmt;
  // Where it can be seen, and as what.
  Engine engine = Engine::kReference;
  std::string rule = "MX-VALIDATE-1";
};

class PlantedPass : public Pass {
 public:
  explicit PlantedPass(const Fault& fault) : fault_(fault) {}
  absl::string_view name() const override { return "planted"; }
  absl::string_view pypto_name() const override { return "Planted"; }
  absl::StatusOr<const Program*> Run(const Program* program,
                                     PassContext& context) const override {
    return Planter(context.ir, fault_.on_expr, fault_.on_stmt)
        .RewriteProgram(program);
  }

 private:
  const Fault& fault_;
};

const ir::Call* AsOp(const Expr* expr, absl::string_view op) {
  const auto* call = DynCast<ir::Call>(expr);
  return call != nullptr && call->callee->name == op ? call : nullptr;
}

// The call with another argument.
const Expr* WithArg(Context& context, const ir::Call& call, size_t index,
                    const Expr* arg) {
  std::vector<const Expr*> args(call.args.begin(), call.args.end());
  args[index] = arg;
  ir::Call copy = call;
  copy.args = context.List(args);
  return context.New(copy);
}

// A tuple of these integers.
const Expr* Integers(Context& context, std::vector<int64_t> values) {
  std::vector<const Expr*> items;
  for (const int64_t value : values) items.push_back(context.Index(value));
  return context.NewTuple(context.List(items));
}

// The call of `op` with two arguments exchanged.
Planter::OnExpr Swap(absl::string_view op, size_t i, size_t j) {
  return [=](Context& context, const Expr* expr) -> const Expr* {
    const ir::Call* call = AsOp(expr, op);
    if (call == nullptr) return nullptr;
    const Expr* first = WithArg(context, *call, i, call->args[j]);
    return WithArg(context, *CheckedCast<ir::Call>(first), j, call->args[i]);
  };
}

const Expr* OtherOffset(Context& context, const Expr* expr) {
  const ir::Call* call = AsOp(expr, "tile.store");
  if (call == nullptr) return nullptr;
  // The 10 rows of u, of which w has 16.
  const auto* tensor = CheckedCast<ir::TensorType>(call->args[2]->type);
  return tensor->dtype == ir::DataType::kFP32
             ? WithArg(context, *call, 1, Integers(context, {1, 0}))
             : nullptr;
}

const Expr* OtherLoadOffset(Context& context, const Expr* expr) {
  const ir::Call* call = AsOp(expr, "tile.load");
  if (call == nullptr) return nullptr;
  const auto* tensor = CheckedCast<ir::TensorType>(call->args[0]->type);
  // The operand b, 64 rows of 192 at row 0.
  return tensor->dtype == ir::DataType::kFP8E4M3FN &&
                 ir::AsConstInt(tensor->shape[0])->value == 192
             ? WithArg(context, *call, 1, Integers(context, {64, 0}))
             : nullptr;
}

const Expr* OtherValidShape(Context& context, const Expr* expr) {
  const ir::Call* call = AsOp(expr, "tile.load");
  if (call == nullptr || call->args.size() < 4) return nullptr;
  const auto* valid = DynCast<ir::Tuple>(call->args[3]);
  return valid != nullptr && ir::AsConstInt(valid->elements[0])->value == 10
             ? WithArg(context, *call, 3, Integers(context, {9, 64}))
             : nullptr;
}

const Expr* OtherCastMode(Context& context, const Expr* expr) {
  const ir::Call* call = AsOp(expr, "tile.cast");
  if (call == nullptr) return nullptr;
  std::vector<ir::Attr> kwargs(call->kwargs.begin(), call->kwargs.end());
  for (ir::Attr& kwarg : kwargs) {
    if (kwarg.name == "mode") {
      kwarg.value = ir::AttrValue::String(context.Intern("trunc"));
    }
  }
  ir::Call copy = *call;
  copy.kwargs = context.List(kwargs);
  return context.New(copy);
}

// The store into w, whose result nobody uses.
std::optional<std::vector<const Stmt*>> DropStore(Context&, const Stmt* stmt) {
  const auto* assign = DynCast<ir::Assign>(stmt);
  if (assign == nullptr || assign->var->name != "v") return std::nullopt;
  return std::vector<const Stmt*>();
}

std::optional<std::vector<const Stmt*>> OneRoundLess(Context& context,
                                                     const Stmt* stmt) {
  const auto* loop = DynCast<ir::For>(stmt);
  if (loop == nullptr) return std::nullopt;
  ir::For copy = *loop;
  copy.stop = context.Index(128);
  return std::vector<const Stmt*>{context.New(copy)};
}

// The loop hands on what came in.
std::optional<std::vector<const Stmt*>> OtherCarriedValue(Context& context,
                                                          const Stmt* stmt) {
  const auto* loop = DynCast<ir::For>(stmt);
  if (loop == nullptr) return std::nullopt;
  std::vector<const Stmt*> body(loop->body.begin(), loop->body.end());
  ir::Yield yield = *ir::TrailingYield(loop->body);
  yield.values = context.ExprList({loop->iter_args[0]});
  body.back() = context.New(yield);
  ir::For copy = *loop;
  copy.body = context.List(body);
  return std::vector<const Stmt*>{context.New(copy)};
}

// The tile type with another place; null where it has none.
const ir::TileType* Elsewhere(Context& context, const ir::Type* type,
                              int64_t address) {
  const auto* tile = DynCast<ir::TileType>(type);
  if (tile == nullptr || tile->memref == nullptr) return nullptr;
  ir::MemRef memref = *tile->memref;
  memref.byte_offset = context.Index(address);
  ir::TileType copy = *tile;
  copy.memref = context.New(memref);
  return context.GetTileType(copy);
}

int64_t AddressOf(const ir::Type* type) {
  return ir::AsConstInt(CheckedCast<ir::TileType>(type)->memref->byte_offset)
      ->value;
}

// Puts the tile of a variable elsewhere, where it has an address.
class Mover : public ir::Rewriter {
 public:
  using Change = std::function<const ir::Type*(Context&, const ir::Var*)>;
  Mover(Context* context, Change change)
      : Rewriter(context), change_(std::move(change)) {}

 protected:
  void RewriteStmt(const Stmt* stmt, std::vector<const Stmt*>* out) override {
    const auto* assign = DynCast<ir::Assign>(stmt);
    const ir::Type* type =
        assign == nullptr ? nullptr : change_(context(), assign->var);
    if (type == nullptr) return Rewriter::RewriteStmt(stmt, out);
    ir::Assign copy = *CheckedCast<ir::Assign>(RewriteParts(stmt));
    const ir::Var* fresh = context().NewVar(assign->var->name, type);
    Substitute(assign->var, fresh);
    copy.var = fresh;
    out->push_back(context().New(copy));
  }

 private:
  Change change_;
};

const std::vector<Fault>& Faults() {
  static const auto* const faults = new std::vector<Fault>{
      {"wrong store offset", kVector, OtherOffset, nullptr},
      {"wrong load offset", kGemm, OtherLoadOffset, nullptr},
      {"wrong valid shape", kVector, OtherValidShape, nullptr},
      {"swapped operands", kVector, Swap("tile.sub", 0, 1), nullptr},
      {"dropped statement", kVector, nullptr, DropStore},
      // The reference knows no such rounding, and nobody wrote it.
      {"wrong cast mode", kVector, OtherCastMode, nullptr, Engine::kReference,
       "MX-VALIDATE-2"},
      {"wrong loop bound", kGemm, nullptr, OneRoundLess},
      {"wrong carried value", kGemm, nullptr, OtherCarriedValue},
  };
  return *faults;
}

// ---- Validating

struct Validation {
  absl::Status status;
  ValidationReport report;
  std::string lowered;
};

Validation Validate(absl::string_view text,
                    const std::vector<const Pass*>& passes) {
  const ir::TextProgram program(text);
  ir::DiagnosticSink sink;
  PassContext context;
  context.ir = &program.context();
  context.sink = &sink;
  context.options.entry = "main";
  ValidatorOptions options;
  options.context = &program.context();
  options.entry = "main";
  options.is_complete = true;
  ExecutionValidator validator(options, &sink);
  PassManager manager(passes);
  manager.AddHook(&validator);
  const absl::StatusOr<const Program*> lowered =
      manager.Run(program.get(), context);
  Validation result;
  result.status = lowered.ok() ? validator.Finish() : lowered.status();
  result.report = validator.report();
  if (lowered.ok()) result.lowered = ir::PrintProgram(**lowered);
  return result;
}

std::vector<const Pass*> PipelineWith(const Pass* planted, size_t position) {
  std::vector<const Pass*> passes = A5Pipeline();
  passes.insert(passes.begin() + position, planted);
  return passes;
}

TEST(PlantedFaultsTest, WithoutAFaultBothEnginesRunTheLoweredProgram) {
  for (const char* program : {kGemm, kVector}) {
    const Validation validation = Validate(program, A5Pipeline());
    EXPECT_TRUE(validation.status.ok()) << validation.status << "\n"
                                        << ToText(validation.report);
    EXPECT_TRUE(validation.report.validated());
    EXPECT_EQ(validation.report.stages.size(), A5Pipeline().size() + 1);
    const StageReport& last = validation.report.stages.back();
    EXPECT_EQ(last.reference.outcome, Outcome::kRan);
    EXPECT_EQ(last.model.outcome, Outcome::kRan)
        << ToText(validation.report) << validation.lowered;
  }
}

TEST(PlantedFaultsTest, EachFaultIsCaughtAtEachPosition) {
  for (const Fault& fault : Faults()) {
    const PlantedPass planted(fault);
    for (size_t position = 0; position <= A5Pipeline().size(); ++position) {
      SCOPED_TRACE(fault.name + " at " + std::to_string(position));
      const Validation validation =
          Validate(fault.program, PipelineWith(&planted, position));
      EXPECT_EQ(validation.status.code(), absl::StatusCode::kInternal);
      EXPECT_FALSE(validation.report.validated());
      ASSERT_TRUE(validation.report.fault.has_value())
          << validation.status << "\n"
          << ToText(validation.report);
      const ValidationFault& found = *validation.report.fault;
      EXPECT_EQ(found.pass, "planted");
      EXPECT_EQ(found.suspects, std::vector<std::string>{"planted"});
      EXPECT_EQ(found.engine, fault.engine);
      EXPECT_EQ(found.rule, fault.rule) << FaultMessage(found);
    }
  }
}

// ---- What only the machine sees: behind the pipeline, where tiles have places

class MovingPass : public Pass {
 public:
  explicit MovingPass(Mover::Change change) : change_(std::move(change)) {}
  absl::string_view name() const override { return "planted"; }
  absl::string_view pypto_name() const override { return "Planted"; }
  absl::StatusOr<const Program*> Run(const Program* program,
                                     PassContext& context) const override {
    return Mover(context.ir, change_).RewriteProgram(program);
  }

 private:
  Mover::Change change_;
};

void ExpectCaughtOnTheModel(const char* program, const Pass& planted,
                            absl::string_view rule) {
  const Validation validation =
      Validate(program, PipelineWith(&planted, A5Pipeline().size()));
  ASSERT_TRUE(validation.report.fault.has_value())
      << validation.status << "\n"
      << ToText(validation.report) << validation.lowered;
  const ValidationFault& found = *validation.report.fault;
  EXPECT_EQ(found.pass, "planted");
  EXPECT_EQ(found.suspects, std::vector<std::string>{"planted"});
  EXPECT_EQ(found.engine, Engine::kModel);
  EXPECT_EQ(found.rule, rule) << FaultMessage(found);
  EXPECT_EQ(validation.report.stages.back().reference.outcome, Outcome::kRan);
}

TEST(PlantedFaultsTest, TilesThatOverlap) {
  // t goes where s is, and is loaded before s is read.
  int64_t address = -1;
  const MovingPass planted([&address](Context& context,
                                      const ir::Var* var) -> const ir::Type* {
    if (var->name == "s") address = AddressOf(var->type);
    return var->name == "t" ? Elsewhere(context, var->type, address) : nullptr;
  });
  ExpectCaughtOnTheModel(kVector, planted, "MX-VALIDATE-1");
}

TEST(PlantedFaultsTest, WrongMemorySpace) {
  const MovingPass planted(
      [](Context& context, const ir::Var* var) -> const ir::Type* {
        const auto* tile = DynCast<ir::TileType>(var->type);
        if (tile == nullptr || tile->space != ir::MemorySpace::kLeft) {
          return nullptr;
        }
        ir::TileType copy = *tile;
        copy.space = ir::MemorySpace::kMat;
        return context.GetTileType(copy);
      });
  ExpectCaughtOnTheModel(kGemm, planted, "MX-VALIDATE-2");
}

TEST(PlantedFaultsTest, WrongScaleBinding) {
  // The first scale tile is bound to the data of the other side.
  Fault fault;
  const Expr* last_right = nullptr;
  fault.on_expr = [&last_right](Context& context,
                                const Expr* expr) -> const Expr* {
    const auto* type = DynCast<ir::TileType>(expr->type);
    if (ir::Isa<ir::Var>(expr) && type != nullptr &&
        type->space == ir::MemorySpace::kRight) {
      last_right = expr;
    }
    const ir::Call* bind = AsOp(expr, "tile.tget_scale_addr");
    if (bind == nullptr || last_right == nullptr) return nullptr;
    // Not where both are at one address.
    return AddressOf(last_right->type) == AddressOf(bind->args[1]->type)
               ? nullptr
               : WithArg(context, *bind, 1, last_right);
  };
  ExpectCaughtOnTheModel(kGemm, PlantedPass(fault), "MX-VALIDATE-2");
}

TEST(PlantedFaultsTest, SwappedScaleAddresses) {
  // Each left scale goes where the next one is.
  const MovingPass planted(
      [](Context& context, const ir::Var* var) -> const ir::Type* {
        const auto* tile = DynCast<ir::TileType>(var->type);
        return tile != nullptr && tile->space == ir::MemorySpace::kLeftScale
                   ? Elsewhere(context, tile, AddressOf(tile) + 512)
                   : nullptr;
      });
  ExpectCaughtOnTheModel(kGemm, planted, "MX-VALIDATE-2");
}

// ---- What is said

TEST(PlantedFaultsTest, TheSmallestElementIsNamed) {
  Fault fault = {"", kVector, OtherValidShape, nullptr};
  const PlantedPass planted(fault);
  const Validation validation = Validate(kVector, PipelineWith(&planted, 0));
  ASSERT_TRUE(validation.report.fault.has_value());
  const Difference& difference = *validation.report.fault->difference;
  EXPECT_EQ(difference.result, "w");
  EXPECT_EQ(difference.index, (std::vector<int64_t>{9, 0}));
  EXPECT_TRUE(difference.before.written);
  EXPECT_FALSE(difference.after.written);
  EXPECT_EQ(difference.num_different, 64);
  EXPECT_EQ(difference.num_elements, 16 * 64);
}

}  // namespace
}  // namespace mxtile
