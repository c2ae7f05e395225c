#ifndef EXEC_SIMD_JIT_LINKED_OBJECT_H_
#define EXEC_SIMD_JIT_LINKED_OBJECT_H_

// A relocatable object as code of this process.
//
//   MX_ASSIGN_OR_RETURN(std::unique_ptr<LinkedObject> code, LinkObject(bytes));
//   auto* const add = reinterpret_cast<void (*)(const float*, float*)>(
//       code->Find("add"));
//
// Errors of LinkObject: InvalidArgument for bytes that are no object of this
// architecture, or that ask for a symbol other than memcpy, memmove and memset;
// the message has all their names. Unimplemented in a build without LLVM. That
// the host has the instructions is for the caller to know (CheckRunsOnHost,
// target.h).

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace mxtile::exec::simd {

class LinkedObject {
 public:
  virtual ~LinkedObject() = default;

  // The address of a function or variable that the object defines and exports;
  // null when it has none of that name. Valid as long as this lives.
  virtual void* Find(absl::string_view name) const = 0;

  // The names for Find, sorted.
  virtual std::vector<std::string> Names() const = 0;
};

// Copies `bytes`.
absl::StatusOr<std::unique_ptr<LinkedObject>> LinkObject(
    absl::string_view bytes);

}  // namespace mxtile::exec::simd

#endif  // EXEC_SIMD_JIT_LINKED_OBJECT_H_
