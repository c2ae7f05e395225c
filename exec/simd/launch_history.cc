#include "exec/simd/launch_history.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "exec/simd/import/importer.h"
#include "exec/simd/launches.h"

namespace mxtile::exec::simd {
namespace {

bool IsSame(const InstanceScalar& a, const InstanceScalar& b) {
  return a.base == b.base && a.steps == b.steps && a.table == b.table;
}

// What the scalar is in each instance.
std::vector<int64_t> TableOf(const InstanceScalar& scalar,
                             const std::vector<int64_t>& digits) {
  std::vector<int64_t> table = {scalar.base};
  for (size_t i = 0; i < digits.size(); ++i) {
    const int64_t step = i < scalar.steps.size() ? scalar.steps[i] : 0;
    const std::vector<int64_t> outer = std::move(table);
    table.clear();
    for (const int64_t value : outer) {
      for (int64_t digit = 0; digit < digits[i]; ++digit) {
        table.push_back(value + digit * step);
      }
    }
  }
  return table;
}

}  // namespace

ImportRequest LaunchHistory::Generalize(const Launch& launch) {
  ImportRequest request = launch.request;
  std::vector<int> buffers;
  std::vector<InstanceScalar*> scalars = {&request.block_index};
  for (ImportedParam& param : request.params) {
    buffers.push_back(param.buffer);
    scalars.push_back(&param.scalar);
  }
  Seen& seen =
      seen_[Key(launch.function, request.digits, buffers, request.block_count)];
  const bool is_first = seen.scalars.empty();
  for (size_t i = 0; i < scalars.size(); ++i) {
    InstanceScalar& scalar = *scalars[i];
    if (is_first) {
      seen.scalars.push_back(scalar);
      seen.changes.push_back(false);
      continue;
    }
    if (!IsSame(scalar, seen.scalars[i])) seen.changes[i] = true;
    if (!seen.changes[i] || !scalar.table.empty()) continue;
    scalar.table = TableOf(scalar, request.digits);
  }
  return request;
}

}  // namespace mxtile::exec::simd
