#include "a5_model/memory.h"

#include <algorithm>
#include <cstdint>
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

Memory::Memory(absl::string_view name, const Options& options)
    : name_(name),
      base_(options.base),
      access_bytes_(options.access_bytes),
      bytes_(options.limit_bytes),
      states_(options.limit_bytes) {}

absl::Status Memory::CheckInside(const Access& access, absl::string_view verb,
                                 uint64_t address, int64_t size) const {
  MX_CHECK(size >= 0) << "size " << size;
  const bool inside = address >= base_ && address - base_ <= bytes_.size() &&
                      size <= this->size() - IndexOf(address);
  if (inside) return absl::OkStatus();
  return absl::OutOfRangeError(absl::StrFormat(
      "%s%s %d bytes at 0x%x, outside %s (A5-MEM-1)", Prefix(access), verb,
      size, address, ToString({name_, base_, this->size()})));
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
  const auto begin = states_.begin() + IndexOf(address);
  const auto twice = std::find_if(begin, begin + size, [&](State state) {
    return state >> 1 == access.id;
  });
  if (twice == begin + size) return absl::OkStatus();
  return TrapError(
      access,
      absl::StrFormat("writes %s: byte 0x%x was already written by the same "
                      "instruction (A5-MEM-4)",
                      ToString({name_, address, size}),
                      base_ + (twice - states_.begin())));
}

absl::StatusOr<absl::Span<const uint8_t>> Memory::Read(const Access& access,
                                                       uint64_t address,
                                                       int64_t size) const {
  MX_RETURN_IF_ERROR(Check(access, "reads", address, size));
  const auto begin = states_.begin() + IndexOf(address);
  const auto unset = std::find_if(begin, begin + size,
                                  [](State state) { return (state & 1) == 0; });
  if (unset != begin + size) {
    return TrapError(access,
                     absl::StrFormat("reads %s: byte 0x%x was never written "
                                     "(A5-MEM-3)",
                                     ToString({name_, address, size}),
                                     base_ + (unset - states_.begin())));
  }
  return absl::MakeConstSpan(bytes_).subspan(IndexOf(address), size);
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
  std::fill_n(states_.begin() + index, size, Written(access));
  return absl::MakeSpan(bytes_).subspan(index, size);
}

absl::Status Memory::Copy(const Access& access, const Memory& source,
                          uint64_t source_address, uint64_t address,
                          int64_t size) {
  MX_RETURN_IF_ERROR(source.Check(access, "reads", source_address, size));
  MX_RETURN_IF_ERROR(Check(access, "writes", address, size));
  return CopyStrided(access, source, source_address, 1, address, 1, size);
}

absl::Status Memory::CopyStrided(const Access& access, const Memory& source,
                                 uint64_t source_address, int64_t source_stride,
                                 uint64_t address, int64_t stride,
                                 int64_t count) {
  MX_CHECK(source_stride > 0 && stride > 0);
  if (count == 0) return absl::OkStatus();
  MX_RETURN_IF_ERROR(source.CheckInside(access, "reads", source_address,
                                        (count - 1) * source_stride + 1));
  MX_RETURN_IF_ERROR(
      CheckInside(access, "writes", address, (count - 1) * stride + 1));
  if (this == &source) {
    MX_RETURN_IF_ERROR(CheckDisjoint(
        access, {name_, source_address, (count - 1) * source_stride + 1},
        {name_, address, (count - 1) * stride + 1}));
  }
  int64_t from = source.IndexOf(source_address);
  int64_t to = IndexOf(address);
  for (int64_t i = 0; i < count; ++i, from += source_stride, to += stride) {
    if (states_[to] >> 1 == access.id) {
      return CheckNotWrittenBy(access, base_ + to, 1);
    }
    bytes_[to] = source.bytes_[from];
    states_[to] = (Written(access) & ~State{1}) | (source.states_[from] & 1);
  }
  return absl::OkStatus();
}

uint32_t Memory::WriterOf(uint64_t address, int64_t size) const {
  if (size <= 0 || !Contains(address) || size > this->size() - IndexOf(address))
    return 0;
  const auto begin = states_.begin() + IndexOf(address);
  const uint32_t writer = *begin >> 1;
  const bool alone = std::all_of(
      begin, begin + size, [&](State state) { return state >> 1 == writer; });
  return alone ? writer : 0;
}

std::vector<uint8_t> Memory::Peek(uint64_t address, int64_t size) const {
  MX_CHECK(CheckInside({"Peek", 0}, "reads", address, size).ok())
      << name_ << " 0x" << std::hex << address;
  const auto begin = bytes_.begin() + IndexOf(address);
  return std::vector<uint8_t>(begin, begin + size);
}

void Memory::Poke(uint64_t address, absl::Span<const uint8_t> bytes) {
  MX_CHECK(CheckInside({"Poke", 0}, "writes", address, bytes.size()).ok())
      << name_ << " 0x" << std::hex << address;
  std::copy(bytes.begin(), bytes.end(), bytes_.begin() + IndexOf(address));
  const auto begin = states_.begin() + IndexOf(address);
  std::for_each(begin, begin + bytes.size(), [](State& state) { state |= 1; });
}

void Memory::Forget(uint64_t address, int64_t size) {
  MX_CHECK(CheckInside({"Forget", 0}, "writes", address, size).ok())
      << name_ << " 0x" << std::hex << address;
  std::fill_n(states_.begin() + IndexOf(address), size, State{0});
}

bool Memory::HasValue(uint64_t address, int64_t size) const {
  MX_CHECK(CheckInside({"HasValue", 0}, "reads", address, size).ok())
      << name_ << " 0x" << std::hex << address;
  const auto begin = states_.begin() + IndexOf(address);
  return std::all_of(begin, begin + size,
                     [](State state) { return (state & 1) != 0; });
}

}  // namespace a5
}  // namespace mxtile
