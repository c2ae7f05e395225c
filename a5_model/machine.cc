#include "a5_model/machine.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "a5_model/memory.h"
#include "a5_model/soc/soc.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "base/status_macros.h"

namespace mxtile {
namespace a5 {
namespace {

// Buffers start at a multiple of the L2 line, away from 0, where a forgotten
// address would point.
constexpr uint64_t kGmAlignment = 512;
constexpr uint64_t kFirstGmAddress = 0x10000000;

}  // namespace

Machine::Machine(const Soc& soc)
    : soc_(soc), next_gm_address_(kFirstGmAddress) {
  for (const MemoryInfo& info : soc.memories) {
    memories_.push_back(
        info.space == MemorySpace::kGm
            ? nullptr
            : std::make_unique<Memory>(
                  Name(info.space),
                  Memory::Options{info.limit_bytes, info.access_bytes}));
  }
}

uint64_t Machine::AllocateGm(absl::string_view name, int64_t size_bytes) {
  MX_CHECK(size_bytes >= 0) << name << ": " << size_bytes << " bytes";
  const uint64_t address = next_gm_address_;
  gm_[address] = std::make_unique<Memory>(
      absl::StrCat("GM buffer '", name, "'"),
      Memory::Options{size_bytes, /*access_bytes=*/1, /*base=*/address});
  const uint64_t lines = (size_bytes + kGmAlignment - 1) / kGmAlignment;
  next_gm_address_ += (lines + 1) * kGmAlignment;
  return address;
}

absl::Status Machine::WriteGm(uint64_t address,
                              absl::Span<const uint8_t> bytes) {
  if (bytes.empty()) return absl::OkStatus();
  const Access access = Begin("host write");
  MX_ASSIGN_OR_RETURN(Memory * buffer, GmAt(access, address));
  MX_ASSIGN_OR_RETURN(absl::Span<uint8_t> to,
                      buffer->Write(access, address, bytes.size()));
  std::copy(bytes.begin(), bytes.end(), to.begin());
  return absl::OkStatus();
}

absl::StatusOr<std::vector<uint8_t>> Machine::ReadGm(uint64_t address,
                                                     int64_t size) const {
  if (size == 0) return std::vector<uint8_t>();
  const Access access{"host read", last_instruction_};
  MX_ASSIGN_OR_RETURN(const Memory* buffer, GmAt(access, address));
  MX_ASSIGN_OR_RETURN(absl::Span<const uint8_t> bytes,
                      buffer->Read(access, address, size));
  return std::vector<uint8_t>(bytes.begin(), bytes.end());
}

absl::StatusOr<const Memory*> Machine::GmAt(const Access& access,
                                            uint64_t address) const {
  const auto above = gm_.upper_bound(address);
  if (above == gm_.begin()) {
    return absl::OutOfRangeError(absl::StrFormat(
        "%s (instruction %d): 0x%x is below all GM buffers (A5-MEM-1)",
        access.instruction, access.id, address));
  }
  const Memory* buffer = std::prev(above)->second.get();
  if (buffer->Contains(address)) return buffer;
  return absl::OutOfRangeError(absl::StrFormat(
      "%s (instruction %d): 0x%x is in no GM buffer; the nearest below is %s "
      "(A5-MEM-1)",
      access.instruction, access.id, address,
      ToString({buffer->name(), buffer->base(), buffer->size()})));
}

absl::StatusOr<Memory*> Machine::GmAt(const Access& access, uint64_t address) {
  MX_ASSIGN_OR_RETURN(const Memory* buffer,
                      static_cast<const Machine*>(this)->GmAt(access, address));
  return const_cast<Memory*>(buffer);
}

const Memory& Machine::memory(MemorySpace space) const {
  MX_CHECK(space != MemorySpace::kGm) << "GM is addressed by GmAt";
  return *memories_[static_cast<int>(space)];
}

Memory& Machine::memory(MemorySpace space) {
  return const_cast<Memory&>(static_cast<const Machine*>(this)->memory(space));
}

void Machine::RecordScaleFill(const ScaleFill& fill) {
  MX_CHECK(IsScaleSpace(fill.space)) << Name(fill.space);
  // A fill that has no byte left can't be found any more; dropping it keeps the
  // list as small as the memory.
  for (auto it = fills_.begin(); it != fills_.end();) {
    const ScaleFill& old = it->second;
    const bool covered = old.space == fill.space &&
                         fill.address <= old.address &&
                         old.address + old.size <= fill.address + fill.size;
    it = covered ? fills_.erase(it) : std::next(it);
  }
  fills_[fill.instruction] = fill;
}

absl::StatusOr<ScaleFill> Machine::FindScaleFill(MemorySpace space,
                                                 uint64_t address,
                                                 int64_t size) const {
  MX_CHECK(IsScaleSpace(space)) << Name(space);
  const auto fill = fills_.find(memory(space).WriterOf(address, size));
  if (fill != fills_.end()) return fill->second;
  std::vector<std::string> overlapping;
  for (const auto& [instruction, other] : fills_) {
    if (other.space == space && other.address < address + size &&
        address < other.address + other.size) {
      overlapping.push_back(absl::StrFormat(
          "instruction %d filled %s for tile %d", instruction,
          ToString({Name(space), other.address, other.size}), other.fill_id));
    }
  }
  const std::string range = ToString({Name(space), address, size});
  if (overlapping.empty()) {
    return absl::NotFoundError(
        absl::StrCat("no LOAD_MX has filled any byte of ", range));
  }
  return absl::NotFoundError(
      absl::StrCat("no single LOAD_MX wrote all of ", range,
                   " last: ", absl::StrJoin(overlapping, ", ")));
}

Access Machine::Begin(absl::string_view name) {
  // Memory keeps 31 bits of the number.
  MX_CHECK(last_instruction_ < std::numeric_limits<int32_t>::max() - 1);
  return {name, ++last_instruction_};
}

void Machine::Retire(Pipe pipe, absl::string_view label, int64_t cycles,
                     int64_t bytes, TraceArgs args) {
  args.push_back({"instruction", int64_t{last_instruction_}});
  timeline_.Add(pipe, label, cycles, bytes, std::move(args));
}

void Machine::Mark(Pipe pipe, absl::string_view label, TraceArgs args) {
  timeline_.Mark(pipe, label, std::move(args));
}

}  // namespace a5
}  // namespace mxtile
