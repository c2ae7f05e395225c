#ifndef EXEC_SIMD_TESTING_RANDOM_SOURCE_H_
#define EXEC_SIMD_TESTING_RANDOM_SOURCE_H_

// Draws that are the same on every host for the same seed.
//
//   RandomSource random(seed);
//   if (random.Chance(30)) n = random.OneOf({1, 2, 33});

#include <cstdint>
#include <initializer_list>
#include <random>
#include <utility>
#include <vector>

#include "absl/types/span.h"

namespace mxtile::exec::simd {

class RandomSource {
 public:
  explicit RandomSource(uint64_t seed) : engine_(seed) {}

  // 0 .. count - 1; count is 1 or more.
  int64_t Below(int64_t count) {
    return static_cast<int64_t>(engine_() % static_cast<uint64_t>(count));
  }
  bool Chance(int percent) { return Below(100) < percent; }

  template <typename T>
  T OneOf(absl::Span<const T> choices) {
    return choices[Below(static_cast<int64_t>(choices.size()))];
  }
  template <typename T>
  T OneOf(std::initializer_list<T> choices) {
    return OneOf(absl::MakeConstSpan(choices.begin(), choices.size()));
  }
  template <typename T>
  T OneOf(const std::vector<T>& choices) {
    return OneOf(absl::MakeConstSpan(choices));
  }

  template <typename T>
  void Shuffle(std::vector<T>& items) {
    for (size_t i = items.size(); i > 1; --i) {
      std::swap(items[i - 1], items[Below(static_cast<int64_t>(i))]);
    }
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace mxtile::exec::simd

#endif  // EXEC_SIMD_TESTING_RANDOM_SOURCE_H_
