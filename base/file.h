#ifndef BASE_FILE_H_
#define BASE_FILE_H_

// Whole files in, whole files out.
//
//   MX_ASSIGN_OR_RETURN(std::string text, ReadFile("program.py"));
//   MX_RETURN_IF_ERROR(WriteFileAtomically("out/c.npy", bytes));
//
// Errors: NotFound, PermissionDenied or FailedPrecondition with the path and
// the system's words; the command line maps them to exit code 2.

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace mxtile {

// Reads a file; "-" is standard input. A folder is an error.
absl::StatusOr<std::string> ReadFile(const std::string& path);

// Writes to a temporary name in the same folder, then renames: a reader sees
// the old file or the new one, a failure leaves nothing behind. A link is
// followed; a device or pipe is written to as it is. "-" is standard output.
absl::Status WriteFileAtomically(const std::string& path,
                                 absl::string_view contents);

// Makes a folder and its parents; fine when it exists. An error names the part
// that is no folder.
absl::Status CreateDirectories(const std::string& path);

}  // namespace mxtile

#endif  // BASE_FILE_H_
