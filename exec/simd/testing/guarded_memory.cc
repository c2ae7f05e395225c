#include "exec/simd/testing/guarded_memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "base/check.h"
#include "base/int_math.h"

namespace mxtile::exec::simd {
namespace {

constexpr uint8_t kGuard = 0xC7;

}  // namespace

GuardedMemory::GuardedMemory(const std::vector<uint8_t>& content, Side side)
    : bytes_(static_cast<int64_t>(content.size())) {
  const int64_t page = sysconf(_SC_PAGESIZE);
  inside_bytes_ = std::max(RoundUp(bytes_, page), page);
  mapped_ = inside_bytes_ + 2 * page;
  void* mapping = mmap(nullptr, mapped_, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  MX_CHECK(mapping != MAP_FAILED);
  mapping_ = static_cast<uint8_t*>(mapping);
  inside_ = mapping_ + page;
  MX_CHECK(mprotect(mapping_, page, PROT_NONE) == 0);
  MX_CHECK(mprotect(inside_ + inside_bytes_, page, PROT_NONE) == 0);
  std::memset(inside_, kGuard, inside_bytes_);
  data_ = side == Side::kBegin ? inside_ : inside_ + inside_bytes_ - bytes_;
  std::copy(content.begin(), content.end(), data_);
}

GuardedMemory::~GuardedMemory() { munmap(mapping_, mapped_); }

bool GuardedMemory::IsIntact() const {
  const auto is_guard = [](uint8_t byte) { return byte == kGuard; };
  return std::all_of(inside_, data_, is_guard) &&
         std::all_of(data_ + bytes_, inside_ + inside_bytes_, is_guard);
}

}  // namespace mxtile::exec::simd
