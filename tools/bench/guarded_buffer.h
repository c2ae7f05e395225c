#ifndef TOOLS_BENCH_GUARDED_BUFFER_H_
#define TOOLS_BENCH_GUARDED_BUFFER_H_

// Memory aligned to 64 bytes between bytes that nobody may change.
//
//   GuardedBuffer buffer(bytes);      // all zero
//   kernel(buffer.data());
//   if (!buffer.IsIntact()) ...       // something was written beside it
//
// Only writes are noticed, and only within kGuardBytes: enough for a kernel
// that has passed the tests with forbidden pages, and as fast as plain memory.

#include <cstdint>
#include <vector>

namespace mxtile::bench {

class GuardedBuffer {
 public:
  static constexpr int64_t kGuardBytes = 256;

  explicit GuardedBuffer(int64_t bytes);
  GuardedBuffer(const GuardedBuffer&) = delete;
  GuardedBuffer& operator=(const GuardedBuffer&) = delete;

  uint8_t* data() { return data_; }
  const uint8_t* data() const { return data_; }
  int64_t bytes() const { return bytes_; }
  bool IsIntact() const;

 private:
  std::vector<uint8_t> memory_;
  uint8_t* data_;
  int64_t bytes_;
};

}  // namespace mxtile::bench

#endif  // TOOLS_BENCH_GUARDED_BUFFER_H_
