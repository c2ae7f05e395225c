#ifndef BASE_SYSTEM_ERROR_H_
#define BASE_SYSTEM_ERROR_H_

// The system's refusal of a file as a Status.
//
//   if (fd < 0) return SystemError(errno, "cannot open", path);
//   // NotFound: cannot open a.npy: No such file or directory

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace mxtile {

// `error` is a value of errno. NotFound, PermissionDenied or, for anything
// else, FailedPrecondition.
absl::Status SystemError(int error, absl::string_view what,
                         absl::string_view path);

}  // namespace mxtile

#endif  // BASE_SYSTEM_ERROR_H_
