#include "tools/bench/guarded_buffer.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "base/int_math.h"

namespace mxtile::bench {
namespace {

constexpr int64_t kAlignment = 64;
constexpr uint8_t kGuard = 0xC7;

}  // namespace

GuardedBuffer::GuardedBuffer(int64_t bytes)
    : memory_(bytes + 2 * kGuardBytes + kAlignment, kGuard), bytes_(bytes) {
  const uintptr_t begin =
      reinterpret_cast<uintptr_t>(memory_.data()) + kGuardBytes;
  data_ = memory_.data() + kGuardBytes +
          (RoundUp(static_cast<int64_t>(begin), kAlignment) - begin);
  std::memset(data_, 0, bytes);
}

bool GuardedBuffer::IsIntact() const {
  const auto is_guard = [](uint8_t byte) { return byte == kGuard; };
  const uint8_t* const begin = memory_.data();
  return std::all_of(begin, static_cast<const uint8_t*>(data_), is_guard) &&
         std::all_of(static_cast<const uint8_t*>(data_) + bytes_,
                     begin + memory_.size(), is_guard);
}

}  // namespace mxtile::bench
