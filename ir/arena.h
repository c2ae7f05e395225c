#ifndef IR_ARENA_H_
#define IR_ARENA_H_

// Bump allocation for nodes that live and die together.
//
//   Arena arena;
//   const Point* p = arena.New<Point>(Point{1, 2});
//   absl::Span<const int> xs = arena.Copy<int>({1, 2, 3});
//
// Destructors never run: only trivially destructible types are accepted.

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace mxtile::ir {

class Arena {
 public:
  Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  template <typename T>
  T* New(T value) {
    static_assert(std::is_trivially_destructible_v<T>);
    return new (Allocate(sizeof(T), alignof(T))) T(std::move(value));
  }

  template <typename T>
  absl::Span<const T> Copy(absl::Span<const T> values) {
    static_assert(std::is_trivially_destructible_v<T>);
    if (values.empty()) return {};
    T* copy = static_cast<T*>(Allocate(values.size() * sizeof(T), alignof(T)));
    for (size_t i = 0; i < values.size(); ++i) new (copy + i) T(values[i]);
    return absl::MakeConstSpan(copy, values.size());
  }

  absl::string_view Copy(absl::string_view text) {
    if (text.empty()) return {};
    char* copy = static_cast<char*>(Allocate(text.size(), 1));
    std::memcpy(copy, text.data(), text.size());
    return absl::string_view(copy, text.size());
  }

  // Bytes handed out so far, for tests and statistics.
  size_t used_bytes() const { return used_bytes_; }

 private:
  static constexpr size_t kChunkBytes = size_t{1} << 16;

  void* Allocate(size_t size, size_t alignment) {
    size_t start = (next_ + alignment - 1) & ~(alignment - 1);
    if (chunks_.empty() || start + size > capacity_) {
      capacity_ = size > kChunkBytes ? size : kChunkBytes;
      // operator new[] of char is aligned for every fundamental type.
      chunks_.push_back(std::make_unique<char[]>(capacity_));
      start = 0;
    }
    next_ = start + size;
    used_bytes_ += size;
    return chunks_.back().get() + start;
  }

  std::vector<std::unique_ptr<char[]>> chunks_;
  size_t capacity_ = 0;
  size_t next_ = 0;
  size_t used_bytes_ = 0;
};

}  // namespace mxtile::ir

#endif  // IR_ARENA_H_
