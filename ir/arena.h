#ifndef IR_ARENA_H_
#define IR_ARENA_H_

// Bump allocation for nodes that live and die together.
//
//   Arena arena;
//   const Point* p = arena.New<Point>(Point{1, 2});
//   absl::Span<const int> xs = arena.Copy<int>({1, 2, 3});
//
// Destructors never run: only trivially destructible types are accepted. What
// is small begins with little memory; what grows asks for huge pages, as most
// of the time that large programs take goes into the first touch of pages.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
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

  // A default one, to be filled in.
  template <typename T>
  T* Make() {
    static_assert(std::is_trivially_destructible_v<T>);
    return new (Allocate(sizeof(T), alignof(T))) T();
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
  struct Free {
    void operator()(void* chunk) const { std::free(chunk); }
  };

  void* Allocate(size_t size_bytes, size_t alignment) {
    const size_t padding = -reinterpret_cast<uintptr_t>(next_) % alignment;
    used_bytes_ += size_bytes;
    if (free_bytes_ < padding + size_bytes) return AllocateMore(size_bytes);
    char* const result = next_ + padding;
    next_ = result + size_bytes;
    free_bytes_ -= padding + size_bytes;
    return result;
  }
  void* AllocateMore(size_t size_bytes);
  char* NewChunk(size_t size_bytes);

  std::vector<std::unique_ptr<void, Free>> chunks_;
  char* next_ = nullptr;
  size_t free_bytes_ = 0;
  size_t chunk_bytes_ = 0;  // Of the latest chunk of many nodes.
  size_t used_bytes_ = 0;
};

}  // namespace mxtile::ir

#endif  // IR_ARENA_H_
