#ifndef NUMERICS_OVERFLOW_H_
#define NUMERICS_OVERFLOW_H_

// What encoding does with a value that rounds beyond the largest finite code.
//
//   EncodeF8E4M3FN(1000.0f, Overflow::kSaturate) == 0x7E  // 448
//   EncodeF8E4M3FN(1000.0f, Overflow::kSpecial) == 0x7F   // NaN

namespace mxtile {

enum class Overflow {
  // The largest finite value, with the sign; also for Inf. What the A5 does.
  kSaturate,
  // Inf where the format has one, otherwise NaN; with the sign. The 4-bit
  // formats have neither and always saturate.
  kSpecial,
};

}  // namespace mxtile

#endif  // NUMERICS_OVERFLOW_H_
