#include "a5_model/vector/ub_checker.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "a5_model/memory.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/string_view.h"
#include "base/status_macros.h"

namespace mxtile {
namespace a5 {
namespace {

bool Overlap(uint64_t a, int64_t a_size, uint64_t b, int64_t b_size) {
  return a < b + static_cast<uint64_t>(b_size) &&
         b < a + static_cast<uint64_t>(a_size);
}

}  // namespace

UbChecker::UbChecker(const Memory& ub, const Options& options)
    : ub_(ub), options_(options) {}

std::string UbChecker::Name(const Buffer& buffer) const {
  return absl::StrFormat("buffer '%s' [0x%x, 0x%x)", buffer.name,
                         buffer.address, buffer.address + buffer.size);
}

absl::Status UbChecker::DeclareBuffer(absl::string_view name, uint64_t address,
                                      int64_t size, BufferOverlap overlap) {
  if (!options_.buffers) return absl::OkStatus();
  Buffer buffer = {std::string(name), address, size, overlap,
                   /*is_shared=*/false};
  if (size < 0 || !ub_.IsInside(address, size)) {
    return absl::OutOfRangeError(absl::StrCat(
        Name(buffer), " is not inside ",
        ToString({ub_.name(), ub_.base(), ub_.size()}), " (A5-MEM-1)"));
  }
  for (Buffer& other : buffers_) {
    if (overlap == BufferOverlap::kForbidden &&
        other.overlap == BufferOverlap::kForbidden &&
        Overlap(address, size, other.address, other.size)) {
      buffer.is_shared = other.is_shared = true;
    }
  }
  buffers_.push_back(buffer);
  return absl::OkStatus();
}

absl::Status UbChecker::CheckNotShared(const Access& access, uint64_t address,
                                       int64_t size,
                                       const Buffer& buffer) const {
  for (const Buffer& other : buffers_) {
    if (&other == &buffer || other.overlap == BufferOverlap::kAllowed ||
        !Overlap(address, size, other.address, other.size)) {
      continue;
    }
    return TrapError(
        access,
        absl::StrFormat("writes %s, which is part of %s and of %s; give them "
                        "bytes of their own, or declare that one may overlap "
                        "(A5-VEC-4)",
                        ToString({ub_.name(), address, size}), Name(buffer),
                        Name(other)));
  }
  return absl::OkStatus();
}

int UbChecker::FindBuffer(uint64_t address, int64_t size) {
  const int count = static_cast<int>(buffers_.size());
  const auto inside = [&](int i) {
    const Buffer& buffer = buffers_[i];
    return address >= buffer.address &&
           address - buffer.address < static_cast<uint64_t>(buffer.size);
  };
  const auto available = [&](int i) {
    return buffers_[i].size -
           static_cast<int64_t>(address - buffers_[i].address);
  };
  // Nearly always the buffer of the last access, or one with room enough.
  int best = -1;
  for (int step = 0; step < count; ++step) {
    const int i = (last_buffer_ + step) % count;
    if (!inside(i)) continue;
    if (best < 0 || available(i) > available(best)) best = i;
    if (available(i) >= size) break;
  }
  if (best >= 0) last_buffer_ = best;
  return best;
}

void UbChecker::Warn(const Access& access, int buffer,
                     const std::string& message) {
  if (!warned_.insert({std::string(access.instruction), buffer}).second) return;
  warnings_.push_back(absl::StrFormat("%s (instruction %d): %s",
                                      access.instruction, access.id, message));
}

const UbChecker::Store* UbChecker::FindUnordered(uint64_t address, int64_t size,
                                                 uint32_t first,
                                                 uint64_t* byte) const {
  // Slow, and rare: stores of other pipes come between ours.
  if (ub_.Info(address, size).latest_writer < first) return nullptr;
  for (uint64_t i = address; i < address + size; ++i) {
    const uint32_t writer = ub_.LastWriter(i);
    if (writer < first) continue;
    const auto store = std::lower_bound(
        stores_.begin(), stores_.end(), writer,
        [](const Store& store, uint32_t id) { return store.id < id; });
    if (store != stores_.end() && store->id == writer) {
      *byte = i;
      return &*store;
    }
  }
  return nullptr;
}

absl::Status UbChecker::CheckLoad(const Access& access, uint64_t address,
                                  int64_t size, int64_t* usable) {
  *usable = size;
  if (!buffers_.empty()) {
    const int index = FindBuffer(address, size);
    if (index < 0) {
      *usable = 0;
      Warn(access, index,
           absl::StrCat("reads ", ToString({ub_.name(), address, size}),
                        ", which begins in no buffer (A5-VEC-3)"));
    } else {
      const Buffer& buffer = buffers_[index];
      const int64_t available =
          buffer.size - static_cast<int64_t>(address - buffer.address);
      if (available < size) {
        *usable = available;
        Warn(access, index,
             absl::StrFormat("reads %s, %d bytes beyond %s (A5-VEC-3)",
                             ToString({ub_.name(), address, size}),
                             size - available, Name(buffer)));
      }
    }
  }
  for (const HeldBytes& held : held_) {
    if (Overlap(address, *usable, held.address, held.size)) {
      return TrapError(
          access,
          absl::StrFormat("reads %s, of which a vstus stream still holds %s: "
                          "vstas first (A5-VEC-5)",
                          ToString({ub_.name(), address, *usable}),
                          ToString({ub_.name(), held.address, held.size})));
    }
  }
  uint64_t byte = 0;
  const Store* store =
      FindUnordered(address, *usable, first_unordered_load_, &byte);
  if (store == nullptr) return absl::OkStatus();
  return TrapError(
      access,
      absl::StrFormat("reads %s: byte 0x%x was written by %s (instruction %d), "
                      "with no mem_bar(VST_VLD) between (A5-VEC-1)",
                      ToString({ub_.name(), address, *usable}), byte,
                      store->name, store->id));
}

absl::Status UbChecker::CheckStore(const Access& access, uint64_t address,
                                   int64_t size) {
  if (!buffers_.empty()) {
    const int index = FindBuffer(address, size);
    const std::string range = ToString({ub_.name(), address, size});
    if (index < 0) {
      return TrapError(access, absl::StrCat("writes ", range,
                                            ", which begins in no buffer "
                                            "(A5-VEC-2)"));
    }
    const Buffer& buffer = buffers_[index];
    const int64_t available =
        buffer.size - static_cast<int64_t>(address - buffer.address);
    if (available < size) {
      return TrapError(
          access, absl::StrFormat("writes %s, %d bytes beyond %s (A5-VEC-2)",
                                  range, size - available, Name(buffer)));
    }
    if (buffer.is_shared) {
      MX_RETURN_IF_ERROR(CheckNotShared(access, address, size, buffer));
    }
  }
  uint64_t byte = 0;
  const Store* store =
      FindUnordered(address, size, first_unordered_store_, &byte);
  if (store != nullptr) {
    Warn(access, -2 - last_buffer_,
         absl::StrFormat("writes %s: byte 0x%x was written by %s (instruction "
                         "%d), with no mem_bar(VST_VST) between (A5-VEC-6)",
                         ToString({ub_.name(), address, size}), byte,
                         store->name, store->id));
  }
  return absl::OkStatus();
}

void UbChecker::RecordStore(const Access& access) {
  if (!options_.barriers) return;
  stores_.push_back({access.id, access.instruction});
  first_unordered_load_ = std::min(first_unordered_load_, access.id);
  first_unordered_store_ = std::min(first_unordered_store_, access.id);
}

void UbChecker::RecordBarrier(Barrier barrier) {
  if (barrier == Barrier::kVldVst) return;
  first_unordered_store_ = kNoStore;
  if (barrier == Barrier::kVstVst) return;
  first_unordered_load_ = kNoStore;
  stores_.clear();
}

void UbChecker::HoldBack(uint64_t stream, uint64_t address, int64_t size) {
  held_.erase(std::remove_if(
                  held_.begin(), held_.end(),
                  [&](const HeldBytes& held) { return held.stream == stream; }),
              held_.end());
  if (size > 0) held_.push_back({stream, address, size});
}

absl::Status UbChecker::CheckFlushed(absl::string_view where) const {
  if (held_.empty()) return absl::OkStatus();
  const HeldBytes& held = held_.front();
  return absl::InvalidArgumentError(absl::StrFormat(
      "%s ends while a vstus stream still holds %s: vstas is missing "
      "(A5-VEC-5)",
      where, ToString({ub_.name(), held.address, held.size})));
}

}  // namespace a5
}  // namespace mxtile
