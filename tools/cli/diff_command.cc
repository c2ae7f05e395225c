#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include "CLI/CLI.hpp"
#include "ir/program.h"
#include "ir/source_span.h"
#include "ir/structural_equal.h"
#include "tools/cli/commands.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/session.h"

namespace mxtile {
namespace {

struct DiffOptions {
  std::string lhs;
  std::string rhs;
};

void PrintSide(const std::string& file, const ir::SourceSpan& span,
               const std::string& text) {
  std::cout << "  " << file;
  if (span.known()) std::cout << ":" << span.line << ":" << span.column;
  std::cout << ": " << text << "\n";
}

ExitCode Diff(const DiffOptions& options) {
  Session session;
  const ir::Program* lhs = session.Load(options.lhs);
  if (lhs == nullptr) return session.exit_code();
  const ir::Program* rhs = session.Load(options.rhs);
  if (rhs == nullptr) return session.exit_code();
  const std::optional<ir::Difference> difference =
      ir::FindDifference(*lhs, *rhs);
  if (!difference.has_value()) return kExitDone;
  std::cout << "first difference at " << difference->path << "\n";
  PrintSide(options.lhs, difference->lhs_span, difference->lhs);
  PrintSide(options.rhs, difference->rhs_span, difference->rhs);
  return kExitRefused;
}

}  // namespace

void AddDiffCommand(CLI::App& app, ExitCode* exit_code) {
  auto options = std::make_shared<DiffOptions>();
  CLI::App* command = app.add_subcommand(
      "diff",
      "Compare two programs structurally; names of variables, comments and "
      "layout of the text do not count");
  command->add_option("A", options->lhs, "Program; - is standard input")
      ->required();
  command->add_option("B", options->rhs, "Program")->required();
  command->footer(
      "Exit code 0 when equal, 1 when not; the path of the first difference "
      "is printed.\n\nExample:\n  mxtile diff before.py after.py\n");
  command->callback([options, exit_code] { *exit_code = Diff(*options); });
}

}  // namespace mxtile
