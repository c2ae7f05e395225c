#include "ir/arena.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>

#include "base/check.h"

namespace mxtile::ir {
namespace {

constexpr size_t kFirstChunkBytes = size_t{1} << 14;
constexpr size_t kHugePageBytes = size_t{1} << 21;
constexpr size_t kLastChunkBytes = 4 * kHugePageBytes;

}  // namespace

void* Arena::AllocateMore(size_t size_bytes) {
  // What is large has a chunk of its own, and the open one goes on.
  if (size_bytes > kFirstChunkBytes / 4) return NewChunk(size_bytes);
  chunk_bytes_ =
      std::clamp(2 * chunk_bytes_, kFirstChunkBytes, kLastChunkBytes);
  char* const chunk = NewChunk(chunk_bytes_);
  next_ = chunk + size_bytes;
  free_bytes_ = chunk_bytes_ - size_bytes;
  return chunk;
}

// Aligned for everything.
char* Arena::NewChunk(size_t size_bytes) {
  void* chunk = nullptr;
  if (size_bytes < kHugePageBytes) {
    chunk = std::malloc(size_bytes);
  } else {
    const size_t pages = (size_bytes + kHugePageBytes - 1) / kHugePageBytes;
    chunk = std::aligned_alloc(kHugePageBytes, pages * kHugePageBytes);
#ifdef MADV_HUGEPAGE
    // Advice only: that it may fail does not matter.
    if (chunk != nullptr) madvise(chunk, size_bytes, MADV_HUGEPAGE);
#endif
  }
  MX_CHECK(chunk != nullptr) << "no memory for " << size_bytes << " bytes";
  chunks_.emplace_back(chunk);
  return static_cast<char*>(chunk);
}

}  // namespace mxtile::ir
