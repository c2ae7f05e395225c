#include "passes/allocate_addresses/memory_plan.h"

#include <algorithm>
#include <cstdint>
#include <iterator>

namespace mxtile {

int64_t MemoryPlan::AlignUp(int64_t address) const {
  return (address + alignment_bytes_ - 1) / alignment_bytes_ * alignment_bytes_;
}

int64_t MemoryPlan::Place(int64_t size_bytes) {
  int64_t address = 0;
  for (const auto& [begin, end] : taken_) {
    if (address + size_bytes <= begin) break;
    address = end;
  }
  Take(address, size_bytes);
  return address;
}

bool MemoryPlan::Reserve(int64_t address, int64_t size_bytes) {
  const auto next = taken_.lower_bound(address + size_bytes);
  if (next != taken_.begin() && std::prev(next)->second > address) return false;
  Take(address, size_bytes);
  return true;
}

void MemoryPlan::Take(int64_t address, int64_t size_bytes) {
  end_ = std::max(end_, address + size_bytes);
  int64_t end = AlignUp(address + size_bytes);
  const auto next = taken_.find(end);
  if (next != taken_.end()) {
    end = next->second;
    taken_.erase(next);
  }
  const auto after = taken_.lower_bound(address);
  if (after != taken_.begin() && std::prev(after)->second == address) {
    std::prev(after)->second = end;
  } else {
    taken_[address] = end;
  }
}

}  // namespace mxtile
