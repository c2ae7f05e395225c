#include "a5_model/soc/cast_chain.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "a5_model/soc/native_casts.h"
#include "absl/types/span.h"

namespace mxtile {
namespace a5 {
namespace {

int ValueBits(const CastTypeInfo& integer) {
  return integer.bits - (integer.is_signed ? 1 : 0);
}

// Whether it is known that `middle` cannot hold all that `last` holds.
bool Loses(const CastTypeInfo& middle, const CastTypeInfo& last) {
  if (!middle.is_float) {
    if (last.is_float) return true;
    return (!middle.is_signed && last.is_signed) ||
           ValueBits(middle) < ValueBits(last);
  }
  if (middle.significand_bits == 0) return false;
  if (!last.is_float) return middle.significand_bits < ValueBits(last);
  return last.significand_bits != 0 &&
         (middle.significand_bits < last.significand_bits ||
          middle.exponent_bits < last.exponent_bits);
}

int CostOf(const CastTypeInfo& from, const CastTypeInfo& to) {
  if (!to.is_float) return 2;
  if (from.is_float) return 1;
  return from.bits == to.bits ? 0 : 2;
}

// How a type is reached best.
struct Reached {
  int casts = -1;  // Not at all.
  int cost = 0;
  CastType before = CastType::kFP32;
};

}  // namespace

std::vector<CastType> CastChain(absl::Span<const NativeCast> casts,
                                CastType from, CastType to) {
  if (from == to) return {};
  std::array<Reached, kNumCastTypes> types;
  const auto at = [&types](CastType type) -> Reached& {
    return types[static_cast<int>(type)];
  };
  at(from).casts = 0;
  // Breadth first: when a type is taken from the queue, every shortest way to
  // it has been seen.
  std::vector<CastType> queue = {from};
  for (size_t i = 0; i < queue.size(); ++i) {
    const CastType current = queue[i];
    for (const NativeCast& cast : casts) {
      if (cast.from != current) continue;
      if (cast.to != to && Loses(InfoOf(cast.to), InfoOf(to))) continue;
      const Reached way = {
          at(current).casts + 1,
          at(current).cost + CostOf(InfoOf(current), InfoOf(cast.to)), current};
      Reached& known = at(cast.to);
      if (known.casts < 0) {
        queue.push_back(cast.to);
        known = way;
      } else if (known.casts == way.casts && way.cost < known.cost) {
        known = way;
      }
    }
  }
  if (at(to).casts < 0) return {};
  std::vector<CastType> chain;
  for (CastType type = to; type != from; type = at(type).before) {
    chain.push_back(type);
  }
  std::reverse(chain.begin(), chain.end());
  return chain;
}

}  // namespace a5
}  // namespace mxtile
