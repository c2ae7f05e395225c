#include "exec/simd/import/index_bounds.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace mxtile::exec::simd {
namespace {

// Replacements in a row. Windows need one or two.
constexpr int kMaxDepth = 4;

}  // namespace

Linear Linear::Atom(int atom) {
  Linear sum;
  sum.terms_[atom] = 1;
  return sum;
}

Linear Linear::Unknown() {
  Linear sum;
  sum.known_ = false;
  return sum;
}

std::optional<int64_t> Linear::AsConstant() const {
  if (!known_ || !terms_.empty()) return std::nullopt;
  return constant_;
}

Linear Linear::Plus(const Linear& other, int64_t factor) const {
  if (!known_ || !other.known_) return Unknown();
  Linear sum = *this;
  bool fits = true;
  const auto add = [&](int64_t& to, int64_t what) {
    int64_t product = 0;
    fits = fits && !__builtin_mul_overflow(what, factor, &product) &&
           !__builtin_add_overflow(to, product, &to);
  };
  add(sum.constant_, other.constant_);
  for (const auto& [atom, coefficient] : other.terms_) {
    int64_t& to = sum.terms_[atom];
    add(to, coefficient);
    if (to == 0) sum.terms_.erase(atom);
  }
  return fits ? sum : Unknown();
}

Linear IndexBounds::NewAtom(std::vector<Linear> lower,
                            std::vector<Linear> upper) {
  Bounds bounds;
  for (const Linear& bound : lower) {
    const std::optional<int64_t> min = Min(bound);
    if (min.has_value() && min > bounds.min) bounds.min = min;
  }
  for (const Linear& bound : upper) {
    const std::optional<int64_t> max = Max(bound);
    if (!max.has_value()) continue;
    bounds.max = std::min(*max, bounds.max.value_or(*max));
  }
  bounds.lower = std::move(lower);
  bounds.upper = std::move(upper);
  atoms_.push_back(std::move(bounds));
  return Linear::Atom(static_cast<int>(atoms_.size()) - 1);
}

std::optional<int64_t> IndexBounds::Max(const Linear& sum) const {
  if (!sum.is_known()) return std::nullopt;
  int64_t max = sum.constant();
  for (const auto& [atom, coefficient] : sum.terms()) {
    const std::optional<int64_t> extreme =
        coefficient > 0 ? atoms_[atom].max : atoms_[atom].min;
    int64_t product = 0;
    if (!extreme.has_value() ||
        __builtin_mul_overflow(coefficient, *extreme, &product) ||
        __builtin_add_overflow(max, product, &max)) {
      return std::nullopt;
    }
  }
  return max;
}

std::optional<int64_t> IndexBounds::Min(const Linear& sum) const {
  const std::optional<int64_t> negated = Max(sum * -1);
  if (!negated.has_value() || *negated == INT64_MIN) return std::nullopt;
  return -*negated;
}

bool IndexBounds::IsAtMost(const Linear& sum, int64_t bound) const {
  return Prove(sum, bound, kMaxDepth);
}

bool IndexBounds::IsAtLeast(const Linear& sum, int64_t bound) const {
  return bound != INT64_MIN && Prove(sum * -1, -bound, kMaxDepth);
}

bool IndexBounds::Prove(const Linear& sum, int64_t bound, int depth) const {
  const std::optional<int64_t> max = Max(sum);
  if (max.has_value() && *max <= bound) return true;
  if (depth == 0) return false;
  for (const auto& [atom, coefficient] : sum.terms()) {
    const Bounds& bounds = atoms_[atom];
    for (const Linear& other : coefficient > 0 ? bounds.upper : bounds.lower) {
      // Constants are what Max tries.
      if (!other.is_known() || other.terms().empty()) continue;
      const Linear replaced = sum + (other - Linear::Atom(atom)) * coefficient;
      if (Prove(replaced, bound, depth - 1)) return true;
    }
  }
  return false;
}

}  // namespace mxtile::exec::simd
