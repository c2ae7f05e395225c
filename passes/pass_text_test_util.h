#ifndef PASSES_PASS_TEXT_TEST_UTIL_H_
#define PASSES_PASS_TEXT_TEST_UTIL_H_

// For tests of passes that compare whole programs, written as text.
//
//   const ir::TextProgram input(ir::ProgramText({...}));
//   const PassOutcome outcome = RunOnText(BlockMxScaleTensorViews(), input);
//   ExpectProgram(outcome, ir::ProgramText({...}));
//   ExpectRefused(outcome, {"MX-OFFSET-2 tile.load of MX tensor 's': ..."});

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/diagnostic.h"
#include "ir/op_registry.h"
#include "ir/ops/standard_ops.h"
#include "ir/program.h"
#include "ir/structural_equal.h"
#include "ir/text/printer.h"
#include "ir/text/text_program_test_util.h"
#include "passes/pass.h"
#include "passes/property.h"

namespace mxtile {

// The standard operators without their type rules: what the reader would refuse
// reaches the pass. Results have the types that the text states.
inline const ir::OpRegistry& UncheckedOps() {
  static const ir::OpRegistry* const registry = [] {
    auto* ops = new ir::OpRegistry();
    for (const auto& def : ir::StandardOps().ops()) {
      ir::OpDef copy = *def;
      if (copy.max_args > 0) copy.deduce = nullptr;
      ops->Register(std::move(copy));
    }
    return ops;
  }();
  return *registry;
}

// What a pass made of a program.
struct PassOutcome {
  const ir::Program* program = nullptr;  // Null: refused.
  ir::DiagnosticSink sink;
  PassFindings findings;

  // "RULE message", one each.
  std::vector<std::string> ErrorList() const {
    std::vector<std::string> errors;
    for (const ir::Diagnostic& diagnostic : sink.diagnostics()) {
      errors.push_back(
          absl::StrCat(diagnostic.rule_id, " ", diagnostic.message));
    }
    return errors;
  }
  // The same, a line each.
  std::string errors() const {
    std::string text;
    for (const std::string& error : ErrorList()) {
      absl::StrAppend(&text, error, "\n");
    }
    return text;
  }
};

inline void ExpectHolds(Property property, const ir::Program& program) {
  ir::DiagnosticSink sink;
  VerifyProperty(property, program, &sink);
  for (const ir::Diagnostic& diagnostic : sink.diagnostics()) {
    ADD_FAILURE() << PropertyName(property) << ": " << diagnostic.message
                  << "\n"
                  << ir::PrintProgram(program);
  }
}

// Runs the pass alone on `program`, by default the text's own. What the pass
// promises is verified, what it requires is not.
inline PassOutcome RunOnText(const Pass& pass, const ir::TextProgram& input,
                             const PassOptions& options = {},
                             const ir::Program* program = nullptr) {
  PassOutcome outcome;
  PassContext context;
  context.ir = &input.context();
  context.sink = &outcome.sink;
  context.options = options;
  const absl::StatusOr<const ir::Program*> result =
      pass.Run(program != nullptr ? program : input.get(), context);
  EXPECT_EQ(result.status(), outcome.sink.ToStatus());
  outcome.findings = std::move(context.findings);
  if (!result.ok()) return outcome;
  outcome.program = *result;
  for (const Property property : pass.produced().ToVector()) {
    ExpectHolds(property, *outcome.program);
  }
  ExpectHolds(Property::kUseAfterDef, *outcome.program);
  ExpectHolds(Property::kTypeChecked, *outcome.program);
  return outcome;
}

// The two programs are the same, also in the names of their variables.
inline void ExpectSamePrograms(const ir::Program& program,
                               const ir::Program& want) {
  const auto difference = ir::FindDifference(program, want);
  EXPECT_FALSE(difference.has_value())
      << difference->path << ": " << difference->lhs << ", expected "
      << difference->rhs << " in\n"
      << ir::PrintProgram(program);
  EXPECT_EQ(ir::PrintProgram(program), ir::PrintProgram(want));
}

// The pass made the program that the text is, and its print is one.
inline void ExpectProgram(const PassOutcome& outcome, absl::string_view text,
                          const ir::OpRegistry& ops = ir::StandardOps()) {
  ASSERT_NE(outcome.program, nullptr) << outcome.errors();
  const ir::TextProgram want(text, ops);
  ExpectSamePrograms(*outcome.program, *want);
  const ir::TextProgram again(ir::PrintProgram(*outcome.program), ops);
  ExpectSamePrograms(*outcome.program, *again);
}

// The pass refused the program, for these reasons ("RULE message").
inline void ExpectRefused(const PassOutcome& outcome,
                          const std::vector<std::string>& errors) {
  EXPECT_EQ(outcome.program, nullptr);
  EXPECT_THAT(outcome.ErrorList(), ::testing::ElementsAreArray(errors));
}

}  // namespace mxtile

#endif  // PASSES_PASS_TEXT_TEST_UTIL_H_
