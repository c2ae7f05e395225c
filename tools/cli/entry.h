#ifndef TOOLS_CLI_ENTRY_H_
#define TOOLS_CLI_ENTRY_H_

// Which function a command is about, and the values that make it definite:
// --entry and --set.
//
//   std::map<std::string, int64_t> scalars;
//   if (!ParseScalars(options.scalars, session, &scalars, &exit_code) ||
//       !FindEntry(*program, options.entry, session, &entry, &exit_code) ||
//       !Specialize(session, &program, &scalars, &exit_code)) {
//     return exit_code;
//   }
//
// False after an error, which is printed.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/program.h"
#include "tools/cli/exit_code.h"
#include "tools/cli/session.h"

namespace mxtile {

// "NAME=VALUE" in two; nullopt without a name or "=".
std::optional<std::pair<std::string, std::string>> SplitSetting(
    const std::string& setting);

// Each is NAME=INTEGER, no name twice.
bool ParseScalars(const std::vector<std::string>& settings, Session& session,
                  std::map<std::string, int64_t>* scalars, ExitCode* exit_code);

// `requested`, or if that is empty the only Orchestration function, else the
// only in-core one (MX-RUN-1).
bool FindEntry(const ir::Program& program, const std::string& requested,
               Session& session, std::string* entry, ExitCode* exit_code);

// Gives dynamic dims their values; what is left in `scalars` is for the entry's
// scalar parameters.
bool SpecializeProgram(Session& session, const ir::Program** program,
                       std::map<std::string, int64_t>* scalars,
                       ExitCode* exit_code);

}  // namespace mxtile

#endif  // TOOLS_CLI_ENTRY_H_
