#ifndef KERNELS_A5_AXIS1_CONVERTER_H_
#define KERNELS_A5_AXIS1_CONVERTER_H_

// The last stage of TQUANT along axis 1: elements times the scaling of their
// group, converted and packed.
//
//   const Axis1Converter convert(loop);
//   convert.Run(Axis1Stream<float>{elements, scalings, /*size=*/300}, dst);
//
// Windows of 256 elements while the scales of a window are one aligned block,
// steps of 64 otherwise.

#include <cstdint>

#include "a5_model/vector/mask.h"
#include "a5_model/vector/register.h"
#include "a5_model/vector/ub_pointer.h"
#include "a5_model/vector/vector_unit.h"
#include "kernels/a5/quant_registers.h"
#include "kernels/a5/tquant_loops.h"
#include "numerics/element_format.h"
#include "numerics/scale_rule.h"

namespace mxtile {
namespace a5 {

inline constexpr int64_t kGroup = kScaleGroupSize;
inline constexpr int64_t kWindow = 8 * kGroup;  // whose scales are one block
inline constexpr int64_t kStep = 2 * kGroup;    // a register of floats

// A run of elements whose groups are a run, too.
template <typename T>
struct Axis1Stream {
  UbPtr<T> elements;
  UbPtr<T> groups;  // maxima or scalings
  int64_t size;     // elements
};

class Axis1Converter {
 public:
  explicit Axis1Converter(const QuantLoop& loop);

  // Writes `size` codes from `dst` on. T is float, or uint16_t for b16 sources.
  template <typename T>
  void Run(const Axis1Stream<T>& stream, UbPtr<uint8_t> dst) const;

 private:
  // Registers of every fourth element: lane i of of[n] is element 4*i + n.
  struct FourRegs {
    Reg of[4];
  };

  // Of this many codes.
  int64_t Bytes(int64_t codes) const { return loop_.f8() ? codes : codes / 2; }
  template <typename T>
  Mask FirstLanes(int64_t count) const {
    uint32_t left = static_cast<uint32_t>(count);
    return unit_.CreatePredicate<T>(&left);
  }

  // ---- 64 elements

  void Step(UbPtr<float> from, UbPtr<float> scaling, int64_t size,
            UbPtr<uint8_t> dst) const;
  void Step(UbPtr<uint16_t> from, UbPtr<uint16_t> scaling, int64_t size,
            UbPtr<uint8_t> dst) const;
  // Lanes of the first group times its scale, of the second times what
  // second() loads.
  template <typename Second>
  Reg Scaled(const Reg& x, const Reg& first, int64_t size, const Mask& mask,
             Second second) const;
  void StoreStep(const Reg& y, int64_t size, const Mask& mask,
                 UbPtr<uint8_t> dst) const;

  // ---- 256 elements

  void Window(UbPtr<float> from, UbPtr<float> scaling,
              UbPtr<uint8_t> dst) const;
  void Window(UbPtr<uint16_t> from, UbPtr<uint16_t> scaling,
              UbPtr<uint8_t> dst) const;
  FourRegs Fours(const RegPair& x, const Mask& halves) const;
  void ScaleAndStoreFours(const FourRegs& x, const Reg& scale, const Mask& all,
                          UbPtr<uint8_t> dst) const;
  // FP8: four codes to a lane; two to a lane, of half a window.
  void StoreF8Fours(const FourRegs& y, const Mask& all,
                    UbPtr<uint8_t> dst) const;
  void StoreF8Half(const RegPair& x, const Reg& scale, const Mask& all,
                   UbPtr<uint8_t> dst) const;
  // FP4.
  void StoreF4Fours(const FourRegs& y, const Mask& all,
                    UbPtr<uint8_t> dst) const;
  void StoreF4FromBF16(const RegPair& y, const Mask& halves, const Mask& all,
                       UbPtr<uint8_t> dst) const;
  Reg NibblePair(const Reg& low, const Reg& high, const Mask& all) const;

  const QuantLoop& loop_;
  VectorUnit& unit_;
  const ElementFormat format_;
  const bool block_rows_;
  const F4Encoder f4_;
  const F4Store f4_store_;
};

}  // namespace a5
}  // namespace mxtile

#endif  // KERNELS_A5_AXIS1_CONVERTER_H_
