#ifndef PASSES_ALLOCATE_ADDRESSES_MEMORY_PLAN_H_
#define PASSES_ALLOCATE_ADDRESSES_MEMORY_PLAN_H_

// The occupied stretches of one memory.
//
//   MemoryPlan plan(/*alignment_bytes=*/32);
//   plan.Reserve(64, 32);   // true: it was free
//   plan.Place(96);         // 96, the lowest address with 96 free bytes

#include <cstdint>
#include <map>

namespace mxtile {

class MemoryPlan {
 public:
  explicit MemoryPlan(int64_t alignment_bytes)
      : alignment_bytes_(alignment_bytes) {}

  // The lowest aligned address with that many free bytes; they are taken then.
  int64_t Place(int64_t size_bytes);
  // Takes these bytes; false, and nothing is taken, when one is taken already.
  bool Reserve(int64_t address, int64_t size_bytes);

  // Where the last taken byte ends: the size that the memory has to have.
  int64_t end() const { return end_; }

 private:
  void Take(int64_t address, int64_t size_bytes);
  int64_t AlignUp(int64_t address) const;

  int64_t alignment_bytes_;
  int64_t end_ = 0;
  // Taken stretches by their begin, with their ends aligned; those that touch
  // are one.
  std::map<int64_t, int64_t> taken_;
};

}  // namespace mxtile

#endif  // PASSES_ALLOCATE_ADDRESSES_MEMORY_PLAN_H_
