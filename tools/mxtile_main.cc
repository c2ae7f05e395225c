// The mxtile command line: see `mxtile --help`.

#include <iostream>
#include <new>

#include "CLI/CLI.hpp"
#include "tools/cli/commands.h"
#include "tools/cli/exit_code.h"

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  CLI::App app(
      "mxtile lowers, proves, runs and checks MX (microscaling) tile programs "
      "for the Ascend A5.");
  app.name("mxtile");
  app.require_subcommand(1);
  app.set_help_all_flag("--help-all", "Help of all subcommands");
  app.footer(
      "Results go to standard output, diagnostics to standard error; - names "
      "standard input or output.\n"
      "Exit code: 0 done, 1 input refused or difference found, 2 wrong usage "
      "or a file problem, 3 a fault of ours.\n\n"
      "Example:\n  mxtile run testdata/programs/mxfp8_gemm.py\n");
  mxtile::ExitCode exit_code = mxtile::kExitDone;
  mxtile::AddRunCommand(app, &exit_code);
  mxtile::AddLowerCommand(app, &exit_code);
  mxtile::AddCheckCommand(app, &exit_code);
  mxtile::AddProveCommand(app, &exit_code);
  mxtile::AddConvertCommand(app, &exit_code);
  mxtile::AddDiffCommand(app, &exit_code);
  mxtile::AddReduceCommand(app, &exit_code);
  mxtile::AddLayoutCommand(app, &exit_code);
  mxtile::AddPlanCommand(app, &exit_code);
  mxtile::AddQuantizeCommand(app, &exit_code);
  mxtile::AddDequantizeCommand(app, &exit_code);
  mxtile::AddExplainCommand(app, &exit_code);
  mxtile::AddBenchCommand(app, &exit_code);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? mxtile::kExitDone : mxtile::kExitUsage;
  } catch (const std::bad_alloc&) {
    std::cerr << "mxtile: error: not enough memory\n";
    return mxtile::kExitUsage;
  }
  std::cout.flush();
  if (!std::cout) {
    std::cerr << "mxtile: error: cannot write standard output\n";
    return mxtile::kExitUsage;
  }
  return exit_code;
}
