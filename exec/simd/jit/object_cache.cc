#include "exec/simd/jit/object_cache.h"

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "absl/synchronization/mutex.h"
#include "base/file.h"
#include "base/sha256.h"
#include "base/status_macros.h"

namespace mxtile::exec::simd {
namespace {

constexpr absl::string_view kFirstLine = "mxtile object 1\n";

std::string HeaderOf(const std::string& key, absl::string_view object) {
  return absl::StrCat(kFirstLine, Sha256Hex(absl::StrCat(key, object)), "\n");
}

absl::Status WriteObject(const std::string& directory, const std::string& path,
                         const std::string& key, absl::string_view object) {
  MX_RETURN_IF_ERROR(CreateDirectories(directory));
  return WriteFileAtomically(path, absl::StrCat(HeaderOf(key, object), object));
}

}  // namespace

std::optional<std::string> ObjectCache::Find(const std::string& key) {
  absl::MutexLock lock(&mutex_);
  const auto found = objects_.find(key);
  if (found != objects_.end()) {
    ++counters_.memory_hits;
    return found->second;
  }
  if (!directory_.empty()) {
    const absl::StatusOr<std::string> file = ReadFile(PathOf(key));
    if (file.ok()) {
      const size_t header_size = HeaderOf(key, "").size();
      const absl::string_view object = absl::ClippedSubstr(*file, header_size);
      absl::string_view rest = *file;
      if (absl::ConsumePrefix(&rest, HeaderOf(key, object))) {
        ++counters_.file_hits;
        return objects_.emplace(key, std::string(object)).first->second;
      }
      ++counters_.rejected_files;
    } else if (!absl::IsNotFound(file.status())) {
      ++counters_.rejected_files;
    }
  }
  ++counters_.misses;
  return std::nullopt;
}

void ObjectCache::Store(const std::string& key, absl::string_view object) {
  absl::MutexLock lock(&mutex_);
  objects_[key] = std::string(object);
  if (directory_.empty()) return;
  if (!WriteObject(directory_, PathOf(key), key, object).ok()) {
    ++counters_.failed_writes;
  }
}

ObjectCache::Counters ObjectCache::counters() const {
  absl::MutexLock lock(&mutex_);
  return counters_;
}

std::string ObjectCache::PathOf(const std::string& key) const {
  return absl::StrCat(directory_, "/", key, ".object");
}

}  // namespace mxtile::exec::simd
