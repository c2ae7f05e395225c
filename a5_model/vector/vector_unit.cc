#include "a5_model/vector/vector_unit.h"

#include <cstdint>
#include <string>
#include <utility>

#include "a5_model/machine.h"
#include "a5_model/memory.h"
#include "a5_model/soc/soc.h"
#include "a5_model/vector/ub_checker.h"
#include "a5_model/vector/vector_op.h"
#include "a5_model/vector/vector_stage.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"

namespace mxtile {
namespace a5 {

VectorUnit::VectorUnit(Machine& machine, const VectorOptions& options)
    : machine_(machine),
      ub_(machine.memory(MemorySpace::kVec)),
      options_(options),
      access_{"vector function", 0},
      checker_(ub_, options.checks) {}

VectorUnit::~VectorUnit() { EndStage(); }

void VectorUnit::DeclareBuffer(absl::string_view name, uint64_t address,
                               int64_t size, BufferOverlap overlap) {
  if (!status_.ok()) return;
  Fail(checker_.DeclareBuffer(name, address, size, overlap));
}

bool VectorUnit::Begin(VectorOp op, absl::string_view name) {
  if (!status_.ok()) return false;
  access_ = machine_.Begin(name);
  ++stage_.counts[static_cast<int>(op)];
  return true;
}

void VectorUnit::Fail(const absl::Status& status) {
  if (status_.ok()) status_ = status;
}

void VectorUnit::Fail(absl::string_view message) {
  Fail(TrapError(access_, message));
}

bool VectorUnit::CheckAligned(absl::string_view verb, uint64_t address,
                              int64_t size, int64_t alignment) {
  if (address % alignment == 0) return true;
  Fail(
      absl::StrFormat("%s %s: the address is no multiple of %d bytes "
                      "(A5-MEM-2)",
                      verb, ToString({ub_.name(), address, size}), alignment));
  return false;
}

void VectorUnit::BeginStage(absl::string_view name) {
  EndStage();
  stage_.name = std::string(name);
}

void VectorUnit::EndStage() {
  bool empty = stage_.name.empty();
  for (const int64_t count : stage_.counts) empty = empty && count == 0;
  if (empty) return;
  if (status_.ok()) {
    Fail(checker_.CheckFlushed(
        stage_.name.empty() ? std::string("the vector function")
                            : absl::StrCat("stage '", stage_.name, "'")));
  }
  const VectorStageCycles cycles = CyclesOf(machine_.soc().cost.vector, stage_);
  machine_.Retire(Pipe::kV, stage_.name.empty() ? "vector" : stage_.name,
                  cycles.cycles, stage_.bytes);
  stages_.push_back(std::move(stage_));
  stage_ = VectorStage();
}

absl::Status VectorUnit::Finish() {
  EndStage();
  if (!finished_) {
    finished_ = true;
    const VectorCosts& costs = machine_.soc().cost.vector;
    machine_.Retire(
        Pipe::kV, "vector start and drain",
        static_cast<int64_t>(costs.startup_cycles + costs.drain_cycles), 0);
  }
  return status_;
}

void VectorUnit::MemBar(Barrier barrier) {
  if (!Begin(VectorOp::kMemBar)) return;
  checker_.RecordBarrier(barrier);
}

}  // namespace a5
}  // namespace mxtile
