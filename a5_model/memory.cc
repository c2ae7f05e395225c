#include "a5_model/memory.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/check.h"
#include "base/status_macros.h"

namespace mxtile {
namespace a5 {
namespace {

std::string Prefix(const Access& access) {
  return absl::StrFormat("%s (instruction %d): ", access.instruction,
                         access.id);
}

}  // namespace

std::string ToString(const MemoryRange& range) {
  return absl::StrFormat("[0x%x, 0x%x) of %s", range.address,
                         range.address + range.size, range.memory);
}

absl::Status CheckDisjoint(const Access& access, const MemoryRange& a,
                           const MemoryRange& b) {
  if (a.memory != b.memory || a.address + a.size <= b.address ||
      b.address + b.size <= a.address) {
    return absl::OkStatus();
  }
  return TrapError(access, absl::StrCat(ToString(a), " and ", ToString(b),
                                        " overlap (A5-MEM-4)"));
}

absl::Status TrapError(const Access& access, absl::string_view message) {
  return absl::InvalidArgumentError(absl::StrCat(Prefix(access), message));
}

void Memory::Free::operator()(void* memory) const { std::free(memory); }

Memory::Memory(absl::string_view name, const Options& options)
    : name_(name),
      base_(options.base),
      access_bytes_(options.access_bytes),
      size_(options.limit_bytes),
      // One byte more: calloc may answer a request for nothing with nullptr.
      bytes_(static_cast<uint8_t*>(std::calloc(size_ + 1, sizeof(uint8_t)))),
      block_states_(static_cast<State*>(
          std::calloc((size_ >> kBlockShift) + 1, sizeof(State)))),
      states_(static_cast<State*>(std::calloc(size_ + 1, sizeof(State)))) {
  MX_CHECK(bytes_ != nullptr && block_states_ != nullptr && states_ != nullptr)
      << "out of memory: " << size_ << " bytes for " << name_;
}

void Memory::Split(int64_t block) {
  const State state = block_states_[block];
  if (state == kMixed) return;
  const int64_t begin = block << kBlockShift;
  std::fill(&states_[begin], &states_[std::min(begin + kBlock, size_)], state);
  block_states_[block] = kMixed;
}

void Memory::SetStates(int64_t begin, int64_t end, State state) {
  while (begin < end) {
    const int64_t block = begin >> kBlockShift;
    const int64_t next = std::min(end, (block + 1) << kBlockShift);
    if (next - begin == kBlock) {
      block_states_[block] = state;
    } else {
      Split(block);
      std::fill(&states_[begin], &states_[next], state);
    }
    begin = next;
  }
}

absl::Status Memory::CheckInside(const Access& access, absl::string_view verb,
                                 uint64_t address, int64_t size) const {
  MX_CHECK(size >= 0) << "size " << size;
  if (IsInside(address, size)) return absl::OkStatus();
  return absl::OutOfRangeError(absl::StrFormat(
      "%s%s %d bytes at 0x%x, outside %s (A5-MEM-1)", Prefix(access), verb,
      size, address, ToString({name_, base_, size_})));
}

absl::Status Memory::Check(const Access& access, absl::string_view verb,
                           uint64_t address, int64_t size) const {
  MX_RETURN_IF_ERROR(CheckInside(access, verb, address, size));
  if (address % access_bytes_ == 0) return absl::OkStatus();
  return TrapError(
      access,
      absl::StrFormat("%s %s: the address is no multiple of %d bytes "
                      "(A5-MEM-2)",
                      verb, ToString({name_, address, size}), access_bytes_));
}

absl::Status Memory::CheckNotWrittenBy(const Access& access, uint64_t address,
                                       int64_t size) const {
  const int64_t end = IndexOf(address) + size;
  const int64_t twice = FindState(IndexOf(address), end, [&](State state) {
    return state >> 1 == access.id;
  });
  if (twice == end) return absl::OkStatus();
  return TrapError(
      access,
      absl::StrFormat("writes %s: byte 0x%x was already written by the same "
                      "instruction (A5-MEM-4)",
                      ToString({name_, address, size}), base_ + twice));
}

absl::StatusOr<absl::Span<const uint8_t>> Memory::Read(const Access& access,
                                                       uint64_t address,
                                                       int64_t size) const {
  MX_RETURN_IF_ERROR(Check(access, "reads", address, size));
  const int64_t end = IndexOf(address) + size;
  const int64_t unset = FindState(IndexOf(address), end,
                                  [](State state) { return (state & 1) == 0; });
  if (unset != end) {
    return TrapError(
        access,
        absl::StrFormat("reads %s: byte 0x%x was never written "
                        "(A5-MEM-3)",
                        ToString({name_, address, size}), base_ + unset));
  }
  return absl::MakeConstSpan(&bytes_[IndexOf(address)], size);
}

absl::StatusOr<absl::Span<uint8_t>> Memory::Write(const Access& access,
                                                  uint64_t address,
                                                  int64_t size) {
  MX_RETURN_IF_ERROR(Check(access, "writes", address, size));
  MX_RETURN_IF_ERROR(CheckNotWrittenBy(access, address, size));
  return Rewrite(access, address, size);
}

absl::StatusOr<absl::Span<uint8_t>> Memory::Rewrite(const Access& access,
                                                    uint64_t address,
                                                    int64_t size) {
  MX_RETURN_IF_ERROR(Check(access, "writes", address, size));
  const int64_t index = IndexOf(address);
  SetStates(index, index + size, Written(access));
  return absl::MakeSpan(&bytes_[index], size);
}

uint8_t* Memory::Overwrite(const Access& access, uint64_t address, int64_t size,
                           bool has_values) {
  const int64_t index = IndexOf(address);
  SetStates(index, index + size,
            has_values ? Written(access) : Written(access) & ~State{1});
  return &bytes_[index];
}

Memory::RangeInfo Memory::Info(uint64_t address, int64_t size) const {
  State all = 1;
  State latest = 0;
  const int64_t begin = IndexOf(address);
  FindState(begin, begin + size, [&](State state) {
    all &= state;
    latest = std::max(latest, state);
    return false;
  });
  return {all == 1, latest >> 1};
}

absl::Status Memory::Copy(const Access& access, const Memory& source,
                          uint64_t source_address, uint64_t address,
                          int64_t size) {
  MX_RETURN_IF_ERROR(source.Check(access, "reads", source_address, size));
  MX_RETURN_IF_ERROR(Check(access, "writes", address, size));
  if (this == &source) {
    MX_RETURN_IF_ERROR(CheckDisjoint(access, {name_, source_address, size},
                                     {name_, address, size}));
  }
  MX_RETURN_IF_ERROR(CheckNotWrittenBy(access, address, size));
  CopyInside(access, source, source.IndexOf(source_address), IndexOf(address),
             size);
  return absl::OkStatus();
}

absl::Status Memory::CheckMove(const Access& access, const Memory& source,
                               uint64_t source_address, int64_t source_extent,
                               uint64_t address, int64_t extent) const {
  MX_RETURN_IF_ERROR(
      source.CheckInside(access, "reads", source_address, source_extent));
  MX_RETURN_IF_ERROR(CheckInside(access, "writes", address, extent));
  if (this != &source) return absl::OkStatus();
  return CheckDisjoint(access, {name_, source_address, source_extent},
                       {name_, address, extent});
}

absl::Status Memory::CopyStrided(const Access& access, const Memory& source,
                                 uint64_t source_address, int64_t source_stride,
                                 uint64_t address, int64_t stride,
                                 int64_t count) {
  MX_CHECK(source_stride > 0 && stride > 0);
  if (count == 0) return absl::OkStatus();
  MX_RETURN_IF_ERROR(CheckMove(access, source, source_address,
                               (count - 1) * source_stride + 1, address,
                               (count - 1) * stride + 1));
  int64_t from = source.IndexOf(source_address);
  int64_t to = IndexOf(address);
  const State without_value = Written(access) & ~State{1};
  for (int64_t i = 0; i < count; ++i) {
    if (StateAt(to) >> 1 == access.id) {
      return CheckNotWrittenBy(access, base_ + to, 1);
    }
    bytes_[to] = source.bytes_[from];
    Split(to >> kBlockShift);
    states_[to] = without_value | (source.StateAt(from) & 1);
    from += source_stride;
    to += stride;
  }
  return absl::OkStatus();
}

absl::Status Memory::PackNibbles(const Access& access, const Memory& source,
                                 uint64_t source_address, int64_t source_stride,
                                 Nibble nibble, uint64_t address,
                                 int64_t count) {
  MX_CHECK(source_stride > 0);
  if (count == 0) return absl::OkStatus();
  MX_RETURN_IF_ERROR(CheckMove(access, source, source_address,
                               (2 * count - 1) * source_stride + 1, address,
                               count));
  MX_RETURN_IF_ERROR(CheckNotWrittenBy(access, address, count));
  const int shift = nibble == Nibble::kHigh ? 4 : 0;
  const State without_value = Written(access) & ~State{1};
  int64_t from = source.IndexOf(source_address);
  const int64_t end = IndexOf(address) + count;
  for (int64_t to = IndexOf(address); to < end; ++to) {
    const int64_t next = from + source_stride;
    const int low = source.bytes_[from] >> shift & 0xF;
    const int high = source.bytes_[next] >> shift & 0xF;
    bytes_[to] = low | high << 4;
    SetStates(
        to, to + 1,
        without_value | (source.StateAt(from) & source.StateAt(next) & 1));
    from = next + source_stride;
  }
  return absl::OkStatus();
}

void Memory::CopyInside(const Access& access, const Memory& source,
                        int64_t from, int64_t to, int64_t size) {
  const State without_value = Written(access) & ~State{1};
  std::copy_n(&source.bytes_[from], size, &bytes_[to]);
  // Runs of source bytes that all have values, or all have none.
  for (const int64_t end = from + size; from < end;) {
    const State value = source.StateAt(from) & 1;
    const int64_t next = source.FindState(
        from, end, [&](State state) { return (state & 1) != value; });
    SetStates(to, to + next - from, without_value | value);
    to += next - from;
    from = next;
  }
}

uint32_t Memory::WriterOf(uint64_t address, int64_t size) const {
  if (size <= 0 || !Contains(address) || size > size_ - IndexOf(address)) {
    return 0;
  }
  const int64_t begin = IndexOf(address);
  const uint32_t writer = StateAt(begin) >> 1;
  const int64_t other = FindState(
      begin, begin + size, [&](State state) { return state >> 1 != writer; });
  return other == begin + size ? writer : 0;
}

std::vector<uint8_t> Memory::Peek(uint64_t address, int64_t size) const {
  MX_CHECK(CheckInside({"Peek", 0}, "reads", address, size).ok())
      << name_ << " 0x" << std::hex << address;
  const uint8_t* const begin = &bytes_[IndexOf(address)];
  return std::vector<uint8_t>(begin, begin + size);
}

void Memory::Poke(uint64_t address, absl::Span<const uint8_t> bytes) {
  MX_CHECK(CheckInside({"Poke", 0}, "writes", address, bytes.size()).ok())
      << name_ << " 0x" << std::hex << address;
  const int64_t index = IndexOf(address);
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes_[index + i] = bytes[i];
    Split((index + i) >> kBlockShift);
    states_[index + i] |= 1;
  }
}

void Memory::Forget(uint64_t address, int64_t size) {
  MX_CHECK(CheckInside({"Forget", 0}, "writes", address, size).ok())
      << name_ << " 0x" << std::hex << address;
  SetStates(IndexOf(address), IndexOf(address) + size, State{0});
}

bool Memory::HasValue(uint64_t address, int64_t size) const {
  MX_CHECK(CheckInside({"HasValue", 0}, "reads", address, size).ok())
      << name_ << " 0x" << std::hex << address;
  const int64_t end = IndexOf(address) + size;
  return FindState(IndexOf(address), end,
                   [](State state) { return (state & 1) == 0; }) == end;
}

}  // namespace a5
}  // namespace mxtile
