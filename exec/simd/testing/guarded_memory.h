#ifndef EXEC_SIMD_TESTING_GUARDED_MEMORY_H_
#define EXEC_SIMD_TESTING_GUARDED_MEMORY_H_

// Memory between two pages that nobody may touch, and bytes that nobody may
// change: code that reads or writes beyond it is caught in the act, or after
// it.
//
//   GuardedMemory memory(bytes, GuardedMemory::Side::kEnd);
//   ... kernel(memory.data()) ...
//   EXPECT_TRUE(memory.IsIntact());

#include <cstdint>
#include <vector>

namespace mxtile::exec::simd {

class GuardedMemory {
 public:
  // At which end the content touches the forbidden page.
  enum class Side { kBegin, kEnd };

  GuardedMemory(const std::vector<uint8_t>& content, Side side);
  ~GuardedMemory();
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;

  uint8_t* data() const { return data_; }
  int64_t bytes() const { return bytes_; }
  std::vector<uint8_t> content() const { return {data_, data_ + bytes_}; }
  // Whether the bytes of the content's pages beside it are as they were made.
  bool IsIntact() const;

 private:
  uint8_t* mapping_ = nullptr;
  int64_t mapped_ = 0;
  uint8_t* inside_ = nullptr;  // between the forbidden pages
  int64_t inside_bytes_ = 0;
  uint8_t* data_ = nullptr;
  int64_t bytes_ = 0;
};

}  // namespace mxtile::exec::simd

#endif  // EXEC_SIMD_TESTING_GUARDED_MEMORY_H_
