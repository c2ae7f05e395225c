#ifndef A5_MODEL_MACHINE_H_
#define A5_MODEL_MACHINE_H_

// One cube core of the A5 with global memory: the memories, the scale fills
// and the pipes that the instructions of a5_model/cube work on.
//
//   Machine machine;
//   const uint64_t a = machine.AllocateGm("a", 64 * 64);
//   MX_RETURN_IF_ERROR(machine.WriteGm(a, codes));
//   MX_RETURN_IF_ERROR(LoadNd2Nz(machine, {/*source=*/a, ...}));
//   ...
//   machine.timeline().stats(Pipe::kMte2).bytes;
//
// Instructions are free functions that take the machine and a parameter
// struct, execute at once, in program order, and return a trap as a status
// (see a5_model/memory.h for the rules). A machine that has trapped can still
// be inspected; what its memories hold where the instruction wrote is
// unspecified.

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "a5_model/memory.h"
#include "a5_model/pipe_timeline.h"
#include "a5_model/soc/soc.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace mxtile {
namespace a5 {

// One LOAD_MX: which bytes of a scale memory it wrote, and the number that the
// program gave the tile that it filled.
struct ScaleFill {
  MemorySpace space;
  uint64_t address;
  int64_t size;
  int64_t fill_id;
  uint32_t instruction;
};

class Machine {
 public:
  explicit Machine(const Soc& soc = Ascend950());
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  const Soc& soc() const { return soc_; }

  // ---- global memory

  // A buffer of `size_bytes` bytes without values; returns its address, a
  // multiple of 512. At least 512 bytes that belong to no buffer lie between
  // two buffers, so that an access that runs over an end traps. `name` appears
  // in traps.
  uint64_t AllocateGm(absl::string_view name, int64_t size_bytes);

  // The host's copies; traps as an instruction does.
  absl::Status WriteGm(uint64_t address, absl::Span<const uint8_t> bytes);
  absl::StatusOr<std::vector<uint8_t>> ReadGm(uint64_t address,
                                              int64_t size) const;

  // The buffer that holds `address`; A5-MEM-1, naming the nearest buffer below,
  // when there is none.
  absl::StatusOr<Memory*> GmAt(const Access& access, uint64_t address);
  absl::StatusOr<const Memory*> GmAt(const Access& access,
                                     uint64_t address) const;

  // ---- on-chip memories

  // Any space but kGm.
  Memory& memory(MemorySpace space);
  const Memory& memory(MemorySpace space) const;

  // ---- scale fills

  // Called by LOAD_MX after it wrote.
  void RecordScaleFill(const ScaleFill& fill);

  // The one fill that wrote all bytes of [address, address + size) of a scale
  // space last. NotFound, saying why, when no fill or more than one instruction
  // did.
  absl::StatusOr<ScaleFill> FindScaleFill(MemorySpace space, uint64_t address,
                                          int64_t size) const;

  // ---- executing

  // Opens an instruction. `name` must outlive the returned value.
  Access Begin(absl::string_view name);
  // Closes it: books its cost and an event called `label`, with `args` and the
  // number of the instruction.
  void Retire(Pipe pipe, absl::string_view label, int64_t cycles, int64_t bytes,
              TraceArgs args = {});
  // A mark in the trace, for what is no instruction of the machine.
  void Mark(Pipe pipe, absl::string_view label, TraceArgs args);

  const PipeTimeline& timeline() const { return timeline_; }

 private:
  const Soc& soc_;
  std::vector<std::unique_ptr<Memory>> memories_;   // by MemorySpace; no kGm
  std::map<uint64_t, std::unique_ptr<Memory>> gm_;  // by address
  uint64_t next_gm_address_;
  std::map<uint32_t, ScaleFill> fills_;  // by instruction
  uint32_t last_instruction_ = 0;
  PipeTimeline timeline_;
};

}  // namespace a5
}  // namespace mxtile

#endif  // A5_MODEL_MACHINE_H_
