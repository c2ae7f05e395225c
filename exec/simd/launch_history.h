#ifndef EXEC_SIMD_LAUNCH_HISTORY_H_
#define EXEC_SIMD_LAUNCH_HISTORY_H_

// Makes the launches of a sequential loop one program: scalars that change from
// one launch of a function to the next become values in memory, so that what
// was compiled can be used again.
//
//   LaunchHistory history;
//   history.Generalize(first);    // row = 0: the request as it is
//   history.Generalize(second);   // row = 16: row by a table, {16}
//   history.Generalize(third);    // row = 32: row by a table, {32}

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "exec/simd/import/importer.h"
#include "exec/simd/launches.h"
#include "ir/program.h"

namespace mxtile::exec::simd {

class LaunchHistory {
 public:
  // The request of the launch, or an equal one with tables for scalars that
  // were different in an earlier launch of the function on as many instances.
  ImportRequest Generalize(const Launch& launch);

 private:
  // What launches that could be one program have in common.
  using Key = std::tuple<const ir::Function*, std::vector<int64_t>,
                         std::vector<int>, int64_t>;
  struct Seen {
    std::vector<InstanceScalar> scalars;  // Of the first one.
    std::vector<bool> changes;
  };
  std::map<Key, Seen> seen_;
};

}  // namespace mxtile::exec::simd

#endif  // EXEC_SIMD_LAUNCH_HISTORY_H_
