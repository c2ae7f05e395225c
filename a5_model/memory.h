#ifndef A5_MODEL_MEMORY_H_
#define A5_MODEL_MEMORY_H_

// A byte memory that traps: each access is checked, and each byte remembers
// which instruction wrote it last and whether it has a value.
//
//   Memory l1("Mat", {/*limit_bytes=*/524288, /*access_bytes=*/32});
//   const Access load{"ND2NZ", 1};
//   MX_ASSIGN_OR_RETURN(absl::Span<uint8_t> row,
//                       l1.Write(load, /*address=*/64, /*size=*/32));
//   ... fill row ...
//   l1.Read({"LOAD_2D", 2}, 64, 33);
//   // InvalidArgument: "LOAD_2D (instruction 2): reads [0x40, 0x61) of Mat:
//   //   byte 0x60 was never written (A5-MEM-3)"
//
// Traps are absl::Status, because a program causes them:
//
//   A5-MEM-1  OutOfRange       the access ends beyond the memory
//   A5-MEM-2  InvalidArgument  the address is no multiple of the unit
//   A5-MEM-3  InvalidArgument  a byte that is used has no value
//   A5-MEM-4  InvalidArgument  one instruction writes a byte twice, or two
//                              operands overlap that must not
//
// A move (`Copy`) does not use the bytes: it carries "no value" along, as the
// padding rows of a fractal demand. After a trap the contents of the range that
// the instruction was about to write are unspecified.

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace mxtile {
namespace a5 {

// Who accesses: the words for messages, and a number that is positive, differs
// between instructions and grows in program order.
struct Access {
  absl::string_view instruction;
  uint32_t id;
};

// Bytes [address, address + size) of a memory.
struct MemoryRange {
  absl::string_view memory;
  uint64_t address;
  int64_t size;
};

// "[0x40, 0x60) of Mat".
std::string ToString(const MemoryRange& range);

// A5-MEM-4 when the two ranges share a byte of the same memory.
absl::Status CheckDisjoint(const Access& access, const MemoryRange& a,
                           const MemoryRange& b);

// A trap: "NAME (instruction ID): " and `message`.
absl::Status TrapError(const Access& access, absl::string_view message);

class Memory {
 public:
  struct Options {
    int64_t limit_bytes;       // addresses are base .. base + limit_bytes - 1
    int64_t access_bytes = 1;  // unit of addresses, relative to 0
    uint64_t base = 0;         // address of the first byte
  };

  Memory(absl::string_view name, const Options& options);

  const std::string& name() const { return name_; }
  uint64_t base() const { return base_; }
  int64_t size() const { return size_; }
  bool Contains(uint64_t address) const {
    return address >= base_ && address - base_ < static_cast<uint64_t>(size_);
  }

  // The bytes of a range whose values are used: traps A5-MEM-1, A5-MEM-2,
  // A5-MEM-3. The span lives as long as the memory.
  absl::StatusOr<absl::Span<const uint8_t>> Read(const Access& access,
                                                 uint64_t address,
                                                 int64_t size) const;

  // The bytes of a range that the caller now fills: traps A5-MEM-1, A5-MEM-2,
  // and A5-MEM-4 when this instruction has already written one of them.
  absl::StatusOr<absl::Span<uint8_t>> Write(const Access& access,
                                            uint64_t address, int64_t size);

  // As `Write`, for bytes that the same instruction read or wrote before: an
  // accumulator, a store that revisits.
  absl::StatusOr<absl::Span<uint8_t>> Rewrite(const Access& access,
                                              uint64_t address, int64_t size);

  // Moves `size` bytes from another memory (or a disjoint range of this one);
  // a source byte without a value makes a destination byte without a value.
  // Traps as Write; the source A5-MEM-1 and A5-MEM-2.
  absl::Status Copy(const Access& access, const Memory& source,
                    uint64_t source_address, uint64_t address, int64_t size);

  // Moves `count` single bytes, `source_stride` and `stride` apart. For
  // transposes, whose addresses are not aligned: only the first address of the
  // source is, and the caller has checked the destination's. Traps as Copy.
  absl::Status CopyStrided(const Access& access, const Memory& source,
                           uint64_t source_address, int64_t source_stride,
                           uint64_t address, int64_t stride, int64_t count);

  // Moves a nibble of each of 2 * `count` bytes, `source_stride` apart, into
  // `count` adjacent bytes: bytes 2i and 2i + 1 give the low and the high
  // nibble of byte i, which has a value when both have. For transposes of 4-bit
  // elements; otherwise as CopyStrided.
  enum class Nibble { kLow, kHigh };
  absl::Status PackNibbles(const Access& access, const Memory& source,
                           uint64_t source_address, int64_t source_stride,
                           Nibble nibble, uint64_t address, int64_t count);

  // A5-MEM-1 and A5-MEM-2 of a range without touching it. `verb` is "reads" or
  // "writes".
  absl::Status Check(const Access& access, absl::string_view verb,
                     uint64_t address, int64_t size) const;

  // The instruction that wrote all bytes of the range last; 0 when several
  // did, when one was never written, or when the range leaves the memory.
  uint32_t WriterOf(uint64_t address, int64_t size) const;

  // ---- for the vector unit, whose instructions know their own alignments

  // A5-MEM-1 of a range.
  absl::Status CheckInside(const Access& access, absl::string_view verb,
                           uint64_t address, int64_t size) const;

  // What is known about the bytes of a range.
  struct RangeInfo {
    bool has_values;         // each byte has one
    uint32_t latest_writer;  // the largest instruction number; 0 for none
  };

  // For ranges that are inside: the bytes as they lie there, with or without
  // values, and bytes that the caller now fills. Those lose their values, as
  // when padding is moved, unless `has_values`.
  const uint8_t* Bytes(uint64_t address) const {
    return &bytes_[IndexOf(address)];
  }
  uint8_t* Overwrite(const Access& access, uint64_t address, int64_t size,
                     bool has_values);
  bool IsInside(uint64_t address, int64_t size) const {
    return address >= base_ &&
           address - base_ <= static_cast<uint64_t>(size_) &&
           size <= size_ - IndexOf(address);
  }

  RangeInfo Info(uint64_t address, int64_t size) const;
  // The instruction that wrote the byte last, 0 for none.
  uint32_t LastWriter(uint64_t address) const {
    return StateAt(IndexOf(address)) >> 1;
  }

  // For tests and debuggers; the range must be inside. Peek does not ask
  // whether the bytes have values; Poke gives them one but leaves the writer,
  // as a flipped bit would.
  std::vector<uint8_t> Peek(uint64_t address, int64_t size) const;
  void Poke(uint64_t address, absl::Span<const uint8_t> bytes);
  // Forgets the values of a range.
  void Forget(uint64_t address, int64_t size);
  bool HasValue(uint64_t address, int64_t size) const;

 private:
  // A byte's state: (instruction id << 1) | whether the byte has a value.
  //
  // Instructions touch whole blocks, mostly. A block whose bytes share one
  // state keeps it once, in `block_states_`; `states_` counts only for blocks
  // that are kMixed. So an access costs one look a block, not one a byte.
  using State = uint32_t;
  static constexpr int kBlockShift = 5;
  static constexpr int64_t kBlock = int64_t{1} << kBlockShift;
  // No state: ids are below 2^31 - 1.
  static constexpr State kMixed = ~State{0};
  static State Written(const Access& access) { return (access.id << 1) | 1; }

  int64_t IndexOf(uint64_t address) const {
    return static_cast<int64_t>(address - base_);
  }
  absl::Status CheckNotWrittenBy(const Access& access, uint64_t address,
                                 int64_t size) const;
  // What a move of single bytes from `source` asks: ranges inside, disjoint.
  absl::Status CheckMove(const Access& access, const Memory& source,
                         uint64_t source_address, int64_t source_extent,
                         uint64_t address, int64_t extent) const;
  // Copies bytes and whether they have values, between indices that have been
  // checked.
  void CopyInside(const Access& access, const Memory& source, int64_t from,
                  int64_t to, int64_t size);
  State StateAt(int64_t index) const {
    const State state = block_states_[index >> kBlockShift];
    return state == kMixed ? states_[index] : state;
  }
  void SetStates(int64_t begin, int64_t end, State state);
  // Makes a block's bytes have states of their own.
  void Split(int64_t block);
  // The index of the first state in [begin, end) for which `stop` holds, else
  // `end`.
  template <typename Stop>
  int64_t FindState(int64_t begin, int64_t end, Stop stop) const {
    while (begin < end) {
      const int64_t next = std::min(end, (begin & ~(kBlock - 1)) + kBlock);
      const State state = block_states_[begin >> kBlockShift];
      if (state == kMixed) {
        for (int64_t i = begin; i < next; ++i) {
          if (stop(states_[i])) return i;
        }
      } else if (stop(state)) {
        return begin;
      }
      begin = next;
    }
    return end;
  }

  struct Free {
    void operator()(void* memory) const;
  };
  // Zeroed pages come from the system when they are first touched: a machine
  // is cheap to make, and a large buffer costs what of it is used.
  template <typename T>
  using ZeroedArray = std::unique_ptr<T[], Free>;

  std::string name_;
  uint64_t base_;
  int64_t access_bytes_;
  int64_t size_;
  ZeroedArray<uint8_t> bytes_;
  ZeroedArray<State> block_states_;
  ZeroedArray<State> states_;
};

}  // namespace a5
}  // namespace mxtile

#endif  // A5_MODEL_MEMORY_H_
