#ifndef EXEC_SIMD_JIT_OBJECT_CACHE_H_
#define EXEC_SIMD_JIT_OBJECT_CACHE_H_

// Objects that were compiled before, by a digest of all that they depend on.
//
//   ObjectCache cache("/home/me/.cache/mxtile/objects");
//   JitOptions options;
//   options.cache = &cache;
//   Compile(...);                    // a miss: compiles and stores
//   Compile(the same again...);      // cache.counters().memory_hits == 1
//
// In memory, and with a directory also in one file for each object,
// <key>.object: a line, the SHA-256 of key and contents, the contents. A file
// that is cut off, altered or renamed is not used; its object is compiled and
// stored again. The cache never makes a compilation fail. Nothing is evicted.
// Safe for use by several threads, and by several processes on one directory.
//
// What is in the directory is executed: it has to be the user's own.

#include <cstdint>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "absl/synchronization/mutex.h"

namespace mxtile::exec::simd {

class ObjectCache {
 public:
  struct Counters {
    int64_t memory_hits = 0;
    int64_t file_hits = 0;
    int64_t misses = 0;          // includes those after a rejected file
    int64_t rejected_files = 0;  // digest or form is wrong
    int64_t failed_writes = 0;
  };

  // In memory only.
  ObjectCache() = default;
  // The directory is made when the first object is stored.
  explicit ObjectCache(const std::string& directory) : directory_(directory) {}

  // `key` is a digest in hexadecimal; it is part of the file's name.
  std::optional<std::string> Find(const std::string& key);
  void Store(const std::string& key, absl::string_view object);

  Counters counters() const;

 private:
  std::string PathOf(const std::string& key) const;

  const std::string directory_;
  mutable absl::Mutex mutex_;
  absl::flat_hash_map<std::string, std::string> objects_
      ABSL_GUARDED_BY(mutex_);
  Counters counters_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace mxtile::exec::simd

#endif  // EXEC_SIMD_JIT_OBJECT_CACHE_H_
