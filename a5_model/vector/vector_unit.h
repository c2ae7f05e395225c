#ifndef A5_MODEL_VECTOR_VECTOR_UNIT_H_
#define A5_MODEL_VECTOR_VECTOR_UNIT_H_

// The vector unit of the A5 on the UB of a machine. A kernel on it reads like
// the device's: methods have the names of the intrinsics, and the lane type of
// the intrinsic's suffix as a template argument.
//
//   VectorUnit unit(machine);
//   unit.BeginStage("scale");
//   uint32_t count = 100;
//   for (int i = 0; i < 2; ++i) {
//     const Mask mask = unit.Plt<float>(&count);           // 64, then 36 lanes
//     const Reg x = unit.Vlds(UbPtr<float>{0}, 64 * i);
//     const Reg y = unit.Vmuls<float>(x, 0.5f, mask);
//     unit.Vsts(y, UbPtr<float>{0x400}, 64 * i, StoreDist::kNorm, mask);
//   }
//   return unit.Finish();
//
// What each instruction does, lane by lane, and what of that is public or our
// decision: docs/a5/. Below is what is common to all.
//
// Lanes. T is int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, float,
// Half or BFloat, unless a method says less. Lanes that the mask leaves out are
// 0 in the result (MODE_ZEROING).
//
// Errors are sticky: the first one stays in `status()`, and instructions after
// it do nothing, return zeros and are not counted. So kernels do not look at a
// status after each instruction. Rules A5-MEM-1 to 4 (a5_model/memory.h),
// A5-FIELD-1 (a5_model/cube/field.h) and A5-VEC-1 to 6 (ub_checker.h); each
// message begins with the instruction and its number.
//
// Bytes without a value (register.h) go through instructions as they do through
// the device. They are an error, A5-MEM-3, where they decide what a predicated
// store writes or where vgather2 reads; stored, they make bytes of UB without a
// value, which whoever uses them trips over.
//
// Accounts: instructions count for the stage that is open. A stage that ends
// books one event on Pipe::kV of the machine, of the cycles of vector_stage.h.

#include <cstdint>
#include <string>
#include <vector>

#include "a5_model/machine.h"
#include "a5_model/memory.h"
#include "a5_model/vector/byte_bits.h"
#include "a5_model/vector/lane_type.h"
#include "a5_model/vector/mask.h"
#include "a5_model/vector/register.h"
#include "a5_model/vector/ub_checker.h"
#include "a5_model/vector/ub_pointer.h"
#include "a5_model/vector/vector_op.h"
#include "a5_model/vector/vector_stage.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace mxtile {
namespace a5 {

struct VectorOptions {
  // Subnormal operands and results of f32 arithmetic become zeros of the same
  // sign. What the device does is not public.
  bool flush_subnormals = false;
  UbChecker::Options checks;
};

// How a load lays bytes out in the register. In parentheses what it reads, and
// the alignment of its address in bytes.
enum class LoadDist {
  kNorm,   // as they lie (256; 32)
  kBrcB8,  // one element, in all lanes (1, 2, 4; the same)
  kBrcB16,
  kBrcB32,
  kUnpkB8,  // elements zero-extended to lanes twice as wide (128; 32)
  kUnpkB16,
  kBlk,     // one block, in all eight blocks (32; 32)
  kE2bB16,  // element i fills block i (16, 32; the same)
  kE2bB32,
};

// How a store lays lanes out in UB. In parentheses what it writes at most, and
// the alignment. The mask's bit of a lane decides about what is kept of it.
enum class StoreDist {
  kNorm,     // as they lie; lanes of sizeof(T) bytes (256; 32)
  kPkB16,    // the low half of each lane of 2 bytes, packed (128; 32)
  kPkB32,    // the low half of each lane of 4 bytes, packed (128; 32)
  kPk4B32,   // the lowest byte of each lane of 4 bytes, packed (64; 32)
  kOneptB8,  // lane 0 alone (1, 2, 4; the same)
  kOneptB16,
  kOneptB32,
};

// Which half, or which byte, of a wider lane a conversion reads or writes.
enum class HalfPart { kEven, kOdd };
enum class BytePart { kP0, kP1, kP2, kP3 };

enum class Round {
  kR,  // nearest, ties to even
  kZ,  // toward zero
};

// RS_ENABLE, RS_DISABLE.
enum class Saturate { kEnable, kDisable };

enum class Compare { kEq, kNe, kLt, kLe, kGt, kGe };

// Patterns of pset.
enum class Pattern {
  kAll,
  kAllF,  // none
  kVl1,   // the first 1, 2, 3, 4, 8, ... lanes
  kVl2,
  kVl3,
  kVl4,
  kVl8,
  kVl16,
  kVl32,
  kVl64,
  kVl128,
};

// The third operand of vsstb, strides in blocks of 32 bytes, 0 .. 65535.
constexpr uint32_t VsstbConfig(uint32_t block_stride, uint32_t repeat_stride) {
  return block_stride << 16 | repeat_stride;
}

// The alignment register of unaligned stores: up to 31 bytes that do not fill
// their block yet. A stream begins with the first vstus after construction or
// vstas.
class AlignReg {
 public:
  AlignReg() = default;
  AlignReg(const AlignReg&) = delete;
  AlignReg& operator=(const AlignReg&) = delete;

  // Bytes that are held back.
  int size() const { return size_; }

 private:
  friend class VectorUnit;

  uint64_t stream_ = 0;   // number of the stream; 0: none is open
  uint64_t address_ = 0;  // of the first byte that is held back
  int size_ = 0;
  uint8_t bytes_[kBlockBytes] = {};
  ByteBits undefined_;
};

class VectorUnit {
 public:
  // The machine must outlive the unit.
  explicit VectorUnit(Machine& machine, const VectorOptions& options = {});
  VectorUnit(const VectorUnit&) = delete;
  VectorUnit& operator=(const VectorUnit&) = delete;
  // Ends the open stage.
  ~VectorUnit();

  // ---- errors, warnings, accounts

  const absl::Status& status() const { return status_; }
  const std::vector<std::string>& warnings() const {
    return checker_.warnings();
  }

  // Bytes of UB that belong together: accesses that begin there are expected to
  // end there.
  void DeclareBuffer(absl::string_view name, uint64_t address, int64_t size,
                     BufferOverlap overlap = BufferOverlap::kForbidden);

  // Ends the stage that is open, if one is.
  void BeginStage(absl::string_view name);
  void EndStage();
  // The stages that have ended, and for instructions outside of any stage one
  // without a name.
  const std::vector<VectorStage>& stages() const { return stages_; }

  // The end of a kernel: ends the stage, books start and drain of the vector
  // function, once, and returns the status.
  absl::Status Finish();

  // ---- loads (load.cc); offsets are in elements of T

  template <typename T>
  Reg Vlds(UbPtr<T> source, int64_t offset, LoadDist dist = LoadDist::kNorm);
  // DINTLV: 512 bytes; even elements in the first register, odd in the second.
  template <typename T>
  RegPair VldsDintlv(UbPtr<T> source, int64_t offset);
  // POST_UPDATE: reads at *source, then moves it by `offset`.
  template <typename T>
  Reg VldsPost(UbPtr<T>* source, int64_t offset,
               LoadDist dist = LoadDist::kNorm);
  template <typename T>
  RegPair VldsDintlvPost(UbPtr<T>* source, int64_t offset);

  // Lane i is base[index of lane i]. Indices are unsigned lanes as wide as T;
  // with T = uint8_t uint16_t, and the bytes are zero-extended into lanes of 16
  // bits. T: 8 (uint8_t only), 16 or 32 bits.
  template <typename T>
  Reg Vgather2(UbPtr<T> base, const Reg& index, const Mask& mask);

  // ---- stores (store.cc, stream.cc)

  template <typename T>
  void Vsts(const Reg& value, UbPtr<T> destination, int64_t offset,
            StoreDist dist, const Mask& mask);
  template <typename T>
  void VstsPost(const Reg& value, UbPtr<T>* destination, int64_t offset,
                StoreDist dist, const Mask& mask);
  // INTLV: the inverse of DINTLV. Lane i of the mask decides about lane i of
  // both.
  template <typename T>
  void VstsIntlv(const Reg& even, const Reg& odd, UbPtr<T> destination,
                 int64_t offset, const Mask& mask);

  // POST_UPDATE, five arguments: block b goes to *destination + 32 * b * block
  // stride bytes; then *destination moves by 32 * repeat stride bytes.
  // `config`: see VsstbConfig. Lanes that are not active are not written.
  template <typename T>
  void Vsstb(const Reg& value, UbPtr<T>* destination, uint32_t config,
             const Mask& mask);
  // Four arguments: `offset` is no stride config but where in the register to
  // begin, in bytes; all eight blocks go side by side to `destination`. Given a
  // config, it writes over what lies behind the first block. For showing that.
  template <typename T>
  void VsstbOffset(const Reg& value, UbPtr<T> destination, uint32_t offset,
                   const Mask& mask);

  // Appends lanes 0 .. count - 1 to a stream of bytes, which `destination`
  // continues: blocks that are complete are written, the rest waits in `align`.
  template <typename T>
  void Vstus(AlignReg& align, int64_t count, const Reg& value,
             UbPtr<T> destination);
  template <typename T>
  void VstusPost(AlignReg& align, int64_t count, const Reg& value,
                 UbPtr<T>* destination);
  // Writes what waits; `destination` + offset is the end of the stream. Without
  // anything that waits it does nothing.
  template <typename T>
  void Vstas(AlignReg& align, UbPtr<T> destination, int64_t offset = 0);

  void MemBar(Barrier barrier);

  // ---- arithmetic (arithmetic.cc)

  // Integers wrap. Floats round to nearest even; a result that is NaN is the
  // positive quiet NaN without payload.
  template <typename T>
  Reg Vadd(const Reg& a, const Reg& b, const Mask& mask);
  template <typename T>
  Reg Vsub(const Reg& a, const Reg& b, const Mask& mask);
  template <typename T>
  Reg Vmul(const Reg& a, const Reg& b, const Mask& mask);
  template <typename T>
  Reg Vadds(const Reg& a, T scalar, const Mask& mask);
  template <typename T>
  Reg Vmuls(const Reg& a, T scalar, const Mask& mask);

  // Floats: NaN wins, of two NaNs the one with the larger magnitude bits; +0 is
  // above -0.
  template <typename T>
  Reg Vmax(const Reg& a, const Reg& b, const Mask& mask);
  template <typename T>
  Reg Vmin(const Reg& a, const Reg& b, const Mask& mask);
  template <typename T>
  Reg Vmaxs(const Reg& a, T scalar, const Mask& mask);
  template <typename T>
  Reg Vmins(const Reg& a, T scalar, const Mask& mask);
  // Floats: the sign bit is cleared, of NaN too. The least integer stays.
  // Signed integers and floats.
  template <typename T>
  Reg Vabs(const Reg& a, const Mask& mask);

  // Bits, whatever T is.
  template <typename T>
  Reg Vand(const Reg& a, const Reg& b, const Mask& mask);
  template <typename T>
  Reg Vor(const Reg& a, const Reg& b, const Mask& mask);
  template <typename T>
  Reg Vxor(const Reg& a, const Reg& b, const Mask& mask);
  template <typename T>
  Reg Vnot(const Reg& a, const Mask& mask);

  // Integers. To the right, signed lanes keep their sign. A count of the
  // lane's width or more leaves no bit of it; a vector's counts are unsigned.
  template <typename T>
  Reg Vshl(const Reg& a, const Reg& count, const Mask& mask);
  template <typename T>
  Reg Vshr(const Reg& a, const Reg& count, const Mask& mask);
  template <typename T>
  Reg Vshls(const Reg& a, int count, const Mask& mask);
  template <typename T>
  Reg Vshrs(const Reg& a, int count, const Mask& mask);

  // The maximum of the active lanes, ordered as in Vmax, in lane 0; of the
  // lanes of block i, in lane i. Other lanes are 0. Where no lane is active:
  // -Inf, or the least integer.
  template <typename T>
  Reg Vcmax(const Reg& a, const Mask& mask);
  template <typename T>
  Reg Vcgmax(const Reg& a, const Mask& mask);

  // ---- comparing and choosing (predicate.cc)

  // Active lanes of which the relation holds. Every relation with a NaN is
  // false.
  template <typename T>
  Mask Vcmp(Compare relation, const Reg& a, const Reg& b, const Mask& mask);
  template <typename T>
  Mask Vcmps(Compare relation, const Reg& a, T scalar, const Mask& mask);
  // Lanes of `a` where the mask is set, otherwise of `b`.
  template <typename T>
  Reg Vsel(const Reg& a, const Reg& b, const Mask& mask);

  template <typename T>
  Mask Pset(Pattern pattern);
  // Lanes 0 .. min(*count, kLanes<T>) - 1; *count decreases by as many. Also
  // after an error.
  template <typename T>
  Mask Plt(uint32_t* count);
  // The name that PTO-ISA's headers give plt.
  template <typename T>
  Mask CreatePredicate(uint32_t* count) {
    return Plt<T>(count);
  }
  // Bits, of which those in `mask` are kept.
  Mask Pand(const Mask& a, const Mask& b, const Mask& mask);
  Mask Por(const Mask& a, const Mask& b, const Mask& mask);
  Mask Pxor(const Mask& a, const Mask& b, const Mask& mask);
  Mask Pnot(const Mask& a, const Mask& mask);

  // ---- moving lanes (permute.cc)

  // a0 b0 a1 b1 ...: the first half of that, and the second.
  template <typename T>
  RegPair Vintlv(const Reg& a, const Reg& b);
  // Of the lanes of a, then of b: the even ones, and the odd ones.
  template <typename T>
  RegPair Vdintlv(const Reg& a, const Reg& b);
  // Lane i is the lane of `a` whose number is lane i of `index`, modulo
  // kLanes<T>. T: uint8_t, uint16_t or uint32_t.
  template <typename T>
  Reg Vselr(const Reg& a, const Reg& index);
  template <typename T>
  Reg Vdup(T scalar, const Mask& mask);
  template <typename T>
  Reg Vbr(T scalar);
  // first, first + 1, ... (INC_ORDER). Integers, which wrap.
  template <typename T>
  Reg Vci(T first);

  // ---- conversions (convert.cc)
  //
  // To wider lanes: lane i of the result comes from lane 2i or 2i + 1 of `a`,
  // and is active when that is. To narrower ones: the result goes to a part of
  // each wide lane and the other parts are 0, so that results for different
  // parts are put together by vor; a wide lane's bit decides.

  // From Half or BFloat. Exact.
  template <typename From>
  Reg VcvtToF32(const Reg& a, const Mask& mask, HalfPart part);
  // To Half or BFloat. kZ: BFloat only.
  template <typename To>
  Reg VcvtFromF32(const Reg& a, const Mask& mask, Round round,
                  Saturate saturate, HalfPart part);
  // Exponents fit, so only digits are lost. NaN stays NaN.
  Reg VcvtHalfToBFloat(const Reg& a, const Mask& mask, Round round);
  // Nearest even. NaN keeps its sign: 0x7F or 0xFF (CTRL bit 50 is set).
  Reg VcvtF32ToE4M3(const Reg& a, const Mask& mask, Saturate saturate,
                    BytePart part);
  // Two bf16 lanes to one byte, the even one to the low nibble; nearest even,
  // saturating, NaN to 7. The byte is `part` of the 4 bytes of the two lanes.
  Reg VcvtBFloatToE2M1x2(const Reg& a, const Mask& mask, BytePart part);

 private:
  // Opens an instruction; false after an error.
  bool Begin(VectorOp op) { return Begin(op, Mnemonic(op)); }
  bool Begin(VectorOp op, absl::string_view name);
  void Fail(const absl::Status& status);
  void Fail(absl::string_view message);
  bool CheckAligned(absl::string_view verb, uint64_t address, int64_t size,
                    int64_t alignment);

  // Brings `size` <= 256 bytes, and which of them have no value.
  bool LoadBytes(uint64_t address, int size, uint8_t* to, ByteBits* undefined);
  Reg Load(uint64_t address, LoadDist dist);
  Reg LoadNorm(uint64_t address);
  template <typename Unit, int kUnits>
  Reg LoadRepeated(uint64_t address);
  template <typename Narrow, typename Wide>
  Reg LoadUnpacked(uint64_t address);

  // A5-MEM-3 when a bit that a store looks at has no value.
  bool CheckDefined(const Mask& mask, int lane_bytes);
  // Part of a store: bytes that all have a value, or have none.
  bool StoreRun(uint64_t address, const uint8_t* bytes, int size,
                bool undefined);
  // Those of `size` <= 256 bytes that are `enabled`.
  bool StoreBytes(uint64_t address, const uint8_t* bytes, int size,
                  const ByteBits& enabled, const ByteBits& undefined);
  void Store(const Reg& value, uint64_t address, int lane_bytes, StoreDist dist,
             const Mask& mask);
  // The first kTo bytes of each lane of kFrom bytes, side by side.
  template <int kFrom, int kTo>
  void StoreLanes(const Reg& value, uint64_t address, const Mask& mask);
  template <int kWidth>
  void StoreOne(const Reg& value, uint64_t address, const Mask& mask);
  bool CheckContinues(const AlignReg& align, absl::string_view verb,
                      uint64_t address);
  void AppendToStream(AlignReg& align, const Reg& value, int size,
                      uint64_t address);

  Machine& machine_;
  Memory& ub_;
  const VectorOptions options_;
  absl::Status status_;
  Access access_;  // of the open instruction
  UbChecker checker_;
  uint64_t last_stream_ = 0;
  VectorStage stage_;  // the open one, or what is executed outside of any
  std::vector<VectorStage> stages_;
  bool finished_ = false;
};

}  // namespace a5
}  // namespace mxtile

#endif  // A5_MODEL_VECTOR_VECTOR_UNIT_H_
