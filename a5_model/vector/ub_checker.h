#ifndef A5_MODEL_VECTOR_UB_CHECKER_H_
#define A5_MODEL_VECTOR_UB_CHECKER_H_

// What the vector unit watches in UB beyond what a memory traps by itself:
// buffers that a program declares, stores that no barrier has ordered yet, and
// bytes that an unaligned stream still holds back.
//
//   UbChecker checker(ub, {});
//   checker.DeclareBuffer("max", 0x400, 64, BufferOverlap::kForbidden);
//   checker.CheckLoad({"vlds NORM", 7}, 0x400, 256, &usable);
//   usable;               // 64: the rest is not the buffer's
//   checker.warnings()[0];
//   // "vlds NORM (instruction 7): reads [0x400, 0x500) of Vec, 192 bytes
//   beyond
//   //  buffer 'max' [0x400, 0x440) (A5-VEC-3)"
//
// Rules; W are warnings, the others errors:
//
//   A5-VEC-1    a load depends on a store, and there is no mem_bar(VST_VLD)
//               between
//   A5-VEC-2    a store leaves the buffer in which it begins, or begins in none
//   A5-VEC-3 W  a load does; the device tolerates it, and what was read there
//               has no value (register.h)
//   A5-VEC-4    a store writes what two buffers share, without leave to
//   A5-VEC-5    vstus does not go on where the stream is; vstas flushes it
//               elsewhere; a stage or a kernel ends before vstas; a load reads
//               bytes that a stream holds
//   A5-VEC-6 W  a store overwrites a store, and there is no mem_bar(VST_VST)
//               or mem_bar(VST_VLD) between
//
// Each warning is given once for an instruction name and buffer. As long as no
// buffer is declared, 2 and 3 are not checked.

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "a5_model/memory.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace mxtile {
namespace a5 {

enum class BufferOverlap {
  kForbidden,
  kAllowed,  // this buffer may share bytes with others
};

// What waits for what. That VST_VLD, too, lets no later store pass an earlier
// one is ours: it waits until the stores are done.
enum class Barrier {
  kVstVld,  // loads see the stores before
  kVstVst,  // stores come after the stores before
  kVldVst,  // stores come after the loads before; nothing is checked
  kAll,     // VV_ALL: all three
};

class UbChecker {
 public:
  struct Options {
    bool barriers = true;  // A5-VEC-1 and A5-VEC-6
    bool buffers = true;   // A5-VEC-2, A5-VEC-3 and A5-VEC-4
  };

  // `ub` must outlive the checker. Only stores that it is told about are
  // watched: others come from pipes that flags order.
  UbChecker(const Memory& ub, const Options& options);

  absl::Status DeclareBuffer(absl::string_view name, uint64_t address,
                             int64_t size, BufferOverlap overlap);

  // Whether an access to a range, last written by instruction `latest_writer`,
  // is like nearly all: inside the buffer of the access before, and not after a
  // store that a barrier is missing for. Then there is no need to ask more.
  bool IsPlainLoad(uint64_t address, int64_t size,
                   uint32_t latest_writer) const {
    return held_.empty() && IsInLastBuffer(address, size) &&
           latest_writer < first_unordered_load_;
  }
  bool IsPlainStore(uint64_t address, int64_t size,
                    uint32_t latest_writer) const {
    return IsInLastBuffer(address, size) &&
           (buffers_.empty() || !buffers_[last_buffer_].is_shared) &&
           latest_writer < first_unordered_store_;
  }

  // Of a range inside the memory. `usable`: bytes from the start on that belong
  // to the buffer.
  absl::Status CheckLoad(const Access& access, uint64_t address, int64_t size,
                         int64_t* usable);
  absl::Status CheckStore(const Access& access, uint64_t address, int64_t size);
  // Once for each instruction that stores, in program order. The name must
  // outlive the checker.
  void RecordStore(const Access& access);
  void RecordBarrier(Barrier barrier);

  // ---- unaligned streams; `stream` is a number of the caller's

  // The stream holds the `size` bytes from `address` on; 0: none any more.
  void HoldBack(uint64_t stream, uint64_t address, int64_t size);
  // A5-VEC-5 when a stream holds something.
  absl::Status CheckFlushed(absl::string_view where) const;

  const std::vector<std::string>& warnings() const { return warnings_; }

 private:
  static constexpr uint32_t kNoStore = ~uint32_t{0};

  struct Buffer {
    std::string name;
    uint64_t address;
    int64_t size;
    BufferOverlap overlap;
    bool is_shared;  // with another, though neither may
  };
  struct Store {
    uint32_t id;
    absl::string_view name;
  };
  struct HeldBytes {
    uint64_t stream;
    uint64_t address;
    int64_t size;
  };

  bool IsInLastBuffer(uint64_t address, int64_t size) const {
    if (buffers_.empty()) return true;
    const Buffer& buffer = buffers_[last_buffer_];
    return address >= buffer.address &&
           address + static_cast<uint64_t>(size) <=
               buffer.address + static_cast<uint64_t>(buffer.size);
  }
  // The index of the buffer that holds most of what starts at `address`; -1 for
  // none.
  int FindBuffer(uint64_t address, int64_t size);
  // A5-VEC-4 of a store into `buffer`.
  absl::Status CheckNotShared(const Access& access, uint64_t address,
                              int64_t size, const Buffer& buffer) const;
  std::string Name(const Buffer& buffer) const;
  // The first byte of the range that one of our stores from `first` on wrote,
  // and that store; nullptr for none.
  const Store* FindUnordered(uint64_t address, int64_t size, uint32_t first,
                             uint64_t* byte) const;
  void Warn(const Access& access, int buffer, const std::string& message);

  const Memory& ub_;
  Options options_;
  std::vector<Buffer> buffers_;
  int last_buffer_ = 0;        // where the last search ended
  std::vector<Store> stores_;  // since the last barrier that loads wait for
  // The first of our stores that later loads (stores) are not ordered after.
  uint32_t first_unordered_load_ = kNoStore;
  uint32_t first_unordered_store_ = kNoStore;
  std::vector<HeldBytes> held_;
  std::vector<std::string> warnings_;
  std::set<std::pair<std::string, int>> warned_;
};

}  // namespace a5
}  // namespace mxtile

#endif  // A5_MODEL_VECTOR_UB_CHECKER_H_
