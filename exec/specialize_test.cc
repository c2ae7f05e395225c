#include "exec/specialize.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/context.h"
#include "ir/diagnostic.h"
#include "ir/ops/standard_ops.h"
#include "ir/program.h"
#include "ir/rule_error.h"
#include "ir/source_file.h"
#include "ir/structural_equal.h"
#include "ir/text/reader.h"

namespace mxtile::exec {
namespace {

// A kernel over ROWS * 2 rows, with the dim in a type, a bound and an offset.
std::string Program(const std::string& declaration, const std::string& rows,
                    const std::string& twice) {
  return declaration + R"(
@pl.program
class P:
    @pl.function(type=pl.FunctionType.InCore)
    def f(x: pl.Tensor[[)" +
         twice + R"(, 64], pl.FP32]):
        for i in pl.range()" +
         rows + R"():
            t = pl.load(x, [i, 0], [16, 64], target_memory=pl.Mem.Vec)
)";
}

class SpecializeTest : public ::testing::Test {
 protected:
  const ir::Program* Read(const std::string& text) {
    files_.push_back(std::make_unique<ir::SourceFile>(
        "p.py", "import pypto.language as pl\n" + text));
    absl::StatusOr<const ir::Program*> program =
        ir::ReadProgram(*files_.back(), &context_, &sink_);
    EXPECT_TRUE(program.ok()) << sink_.diagnostics()[0].message;
    return program.ok() ? *program : nullptr;
  }

  ir::Context context_{&ir::StandardOps()};
  ir::DiagnosticSink sink_;
  std::vector<std::unique_ptr<ir::SourceFile>> files_;
};

TEST_F(SpecializeTest, DimsBecomeConstantsEverywhere) {
  const ir::Program* dynamic = Read(Program(
      "ROWS = pl.dynamic(\"ROWS\")\n", "ROWS", "ROWS * pl.const(2, pl.INDEX)"));
  const ir::Program* expected = Read(Program("", "48", "96"));
  MX_ASSERT_OK_AND_ASSIGN(const ir::Program* specialized,
                          SpecializeDims(dynamic, {{"ROWS", 48}}, &context_));
  const auto difference = ir::FindDifference(*specialized, *expected);
  EXPECT_FALSE(difference.has_value()) << difference->path;
}

TEST_F(SpecializeTest, ProgramWithoutDynamicDimsIsItself) {
  const ir::Program* program = Read(Program("", "48", "96"));
  EXPECT_THAT(SpecializeDims(program, {}, &context_),
              IsOkAndHolds(::testing::Eq(program)));
}

TEST_F(SpecializeTest, ValuesMustBeGivenAndPositive) {
  const ir::Program* dynamic = Read(Program(
      "ROWS = pl.dynamic(\"ROWS\")\n", "ROWS", "ROWS * pl.const(2, pl.INDEX)"));
  const auto rule = [&](const std::map<std::string, int64_t>& values) {
    return ir::RuleOf(SpecializeDims(dynamic, values, &context_).status());
  };
  EXPECT_EQ(rule({}), "MX-INPUT-6");
  EXPECT_EQ(rule({{"ROWS", 0}}), "MX-INPUT-9");
  EXPECT_EQ(rule({{"ROWS", -16}}), "MX-INPUT-9");
}

}  // namespace
}  // namespace mxtile::exec
