#ifndef TOOLS_CLI_COMMANDS_H_
#define TOOLS_CLI_COMMANDS_H_

// The subcommands of mxtile. Each Add... declares its options and example; when
// the command line names the command, it runs while the app parses and leaves
// its exit code.
//
//   CLI::App app;
//   ExitCode exit_code = kExitDone;
//   AddRunCommand(app, &exit_code);
//   CLI11_PARSE(app, argc, argv);
//   return exit_code;

#include "CLI/CLI.hpp"
#include "tools/cli/exit_code.h"

namespace mxtile {

void AddRunCommand(CLI::App& app, ExitCode* exit_code);
void AddLowerCommand(CLI::App& app, ExitCode* exit_code);
void AddCheckCommand(CLI::App& app, ExitCode* exit_code);
void AddProveCommand(CLI::App& app, ExitCode* exit_code);
void AddConvertCommand(CLI::App& app, ExitCode* exit_code);
void AddDiffCommand(CLI::App& app, ExitCode* exit_code);
void AddReduceCommand(CLI::App& app, ExitCode* exit_code);
void AddLayoutCommand(CLI::App& app, ExitCode* exit_code);
void AddPlanCommand(CLI::App& app, ExitCode* exit_code);
void AddQuantizeCommand(CLI::App& app, ExitCode* exit_code);
void AddDequantizeCommand(CLI::App& app, ExitCode* exit_code);
void AddExplainCommand(CLI::App& app, ExitCode* exit_code);
void AddBenchCommand(CLI::App& app, ExitCode* exit_code);

}  // namespace mxtile

#endif  // TOOLS_CLI_COMMANDS_H_
