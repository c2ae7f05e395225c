// A pass that is wrong is caught and named, whatever it does wrong and wherever
// in the pipeline it stands.
//
// Each fault is a rewrite of one place, as a bug in a pass would make it. The
// planted pass stands at every position of the A5 pipeline; where it finds its
// place in the program, the validator must stop behind it.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "ir/context.h"
#include "ir/diagnostic.h"
#include "ir/expr.h"
#include "ir/program.h"
#include "ir/text/printer.h"
#include "ir/text/text_program_test_util.h"
#include "ir/type.h"
#include "passes/a5_pipeline.h"
#include "passes/pass.h"
#include "passes/pass_manager.h"
#include "tools/validate/execution_validator.h"
#include "tools/validate/planted_faults_test_util.h"
#include "tools/validate/stage_run.h"
#include "tools/validate/validation_report.h"

namespace mxtile {
namespace {

using ir::Context;
using ir::DynCast;
using ir::Expr;
using ir::Program;

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
  const auto fault = std::find_if(
      Faults().begin(), Faults().end(),
      [](const Fault& f) { return f.name == "wrong valid shape"; });
  ASSERT_NE(fault, Faults().end());
  const PlantedPass planted(*fault);
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
