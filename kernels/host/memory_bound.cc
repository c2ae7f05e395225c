#include "kernels/host/memory_bound.h"

#include <algorithm>
#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/host/memory_bound.cc"
#include "hwy/foreach_target.h"
// Has to follow foreach_target.h.
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace mxtile::host {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::ScalableTag<uint8_t>;

template <int kRatio>
void PackBy(const uint8_t* HWY_RESTRICT in, int64_t bytes,
            uint8_t* HWY_RESTRICT out) {
  const D d;
  const int64_t lanes = hn::Lanes(d);
  for (int64_t read = 0; read < bytes; read += kRatio * lanes, out += lanes) {
    auto mixed = hn::LoadU(d, in + read);
    for (int k = 1; k < kRatio; ++k) {
      mixed = hn::Xor(mixed, hn::LoadU(d, in + read + k * lanes));
    }
    hn::StoreU(mixed, d, out);
  }
}

template <int kRatio>
void SpreadBy(const uint8_t* HWY_RESTRICT in, int64_t bytes,
              uint8_t* HWY_RESTRICT out) {
  const D d;
  const int64_t lanes = hn::Lanes(d);
  for (int64_t written = 0; written < bytes; in += lanes) {
    const auto vector = hn::LoadU(d, in);
    for (int k = 0; k < kRatio; ++k, written += lanes) {
      hn::StoreU(vector, d, out + written);
    }
  }
}

void Pack(const uint8_t* in, int64_t bytes, int ratio, uint8_t* out) {
  if (ratio == 2) return PackBy<2>(in, bytes, out);
  if (ratio == 4) return PackBy<4>(in, bytes, out);
  PackBy<8>(in, bytes, out);
}

void Spread(const uint8_t* in, int64_t bytes, int ratio, uint8_t* out) {
  if (ratio == 4) return SpreadBy<4>(in, bytes, out);
  SpreadBy<8>(in, bytes, out);
}

}  // namespace HWY_NAMESPACE
}  // namespace mxtile::host
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mxtile::host {

HWY_EXPORT(Pack);
HWY_EXPORT(Spread);

void ReadAndPack(const uint8_t* in, int64_t bytes, int ratio, uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(Pack)(in, bytes, ratio, out);
}

void ReadAndSpread(const uint8_t* in, int64_t bytes, int ratio, uint8_t* out) {
  HWY_DYNAMIC_DISPATCH(Spread)(in, bytes, ratio, out);
}

}  // namespace mxtile::host
#endif  // HWY_ONCE
