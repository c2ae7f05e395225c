#ifndef TOOLS_BENCH_OBJECT_TEXT_H_
#define TOOLS_BENCH_OBJECT_TEXT_H_

// The symbols of a relocatable object (ELF, 64 bits, little-endian), read as
// data.
//
//   MX_ASSIGN_OR_RETURN(ObjectSymbols symbols, ReadObjectSymbols(bytes));
//   symbols.exported == std::vector<std::string>{"attention"}

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace mxtile::bench {

struct ObjectSymbols {
  std::vector<std::string> exported;   // defined and global, sorted
  std::vector<std::string> undefined;  // sorted
};

// InvalidArgument for bytes that are no such object, or that are cut short.
absl::StatusOr<ObjectSymbols> ReadObjectSymbols(absl::string_view bytes);

}  // namespace mxtile::bench

#endif  // TOOLS_BENCH_OBJECT_TEXT_H_
