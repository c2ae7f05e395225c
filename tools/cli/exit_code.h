#ifndef TOOLS_CLI_EXIT_CODE_H_
#define TOOLS_CLI_EXIT_CODE_H_

// How mxtile ends.

namespace mxtile {

enum ExitCode {
  kExitDone = 0,
  // The input was refused, diagnostics say why; or a difference was found.
  kExitRefused = 1,
  // Wrong usage of the command line, or the system refused a file.
  kExitUsage = 2,
  // A fault of ours: an internal error, a trap or a wrong result of a run.
  kExitFault = 3,
};

}  // namespace mxtile

#endif  // TOOLS_CLI_EXIT_CODE_H_
