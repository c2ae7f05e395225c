#include "exec/simd/jit/object_cache.h"

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/status_matchers.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mxtile::exec::simd {
namespace {

using ::testing::Optional;

const std::string kKey(64, 'a');
const std::string kOtherKey(64, 'b');
const std::string kObject(
    "\x7F"
    "ELF\0\n some bytes",
    16);

std::string TestDirectory(const std::string& name) {
  return absl::StrCat(::testing::TempDir(), "/object_cache_", name);
}

std::string PathOf(const std::string& directory, const std::string& key) {
  return absl::StrCat(directory, "/", key, ".object");
}

TEST(ObjectCacheTest, InMemory) {
  ObjectCache cache;
  EXPECT_EQ(cache.Find(kKey), std::nullopt);
  cache.Store(kKey, kObject);
  EXPECT_THAT(cache.Find(kKey), Optional(kObject));
  EXPECT_EQ(cache.Find(kOtherKey), std::nullopt);
  const ObjectCache::Counters counters = cache.counters();
  EXPECT_EQ(counters.memory_hits, 1);
  EXPECT_EQ(counters.file_hits, 0);
  EXPECT_EQ(counters.misses, 2);
  EXPECT_EQ(counters.rejected_files, 0);
  EXPECT_EQ(counters.failed_writes, 0);
}

TEST(ObjectCacheTest, FilesOutliveTheCache) {
  const std::string directory = TestDirectory("outlive/below");
  ObjectCache(directory).Store(kKey, kObject);
  ObjectCache cache(directory);
  EXPECT_THAT(cache.Find(kKey), Optional(kObject));
  EXPECT_THAT(cache.Find(kKey), Optional(kObject));
  EXPECT_EQ(cache.counters().file_hits, 1);
  EXPECT_EQ(cache.counters().memory_hits, 1);
  EXPECT_EQ(cache.counters().misses, 0);
}

// Every prefix of a file, and every byte altered.
TEST(ObjectCacheTest, DamagedFilesAreNotUsed) {
  const std::string directory = TestDirectory("damaged");
  ObjectCache(directory).Store(kKey, kObject);
  const std::string path = PathOf(directory, kKey);
  MX_ASSERT_OK_AND_ASSIGN(const std::string whole, ReadFile(path));
  ASSERT_GT(whole.size(), kObject.size() + 64);
  std::vector<std::string> damaged = {whole + "x"};
  for (size_t i = 0; i < whole.size(); ++i) {
    damaged.push_back(whole.substr(0, i));
    damaged.push_back(whole);
    damaged.back()[i] ^= 1;
  }
  for (const std::string& contents : damaged) {
    MX_ASSERT_OK(WriteFileAtomically(path, contents));
    ObjectCache cache(directory);
    ASSERT_EQ(cache.Find(kKey), std::nullopt);
    ASSERT_EQ(cache.counters().rejected_files, 1);
    ASSERT_EQ(cache.counters().misses, 1);
    cache.Store(kKey, kObject);
    ASSERT_THAT(ObjectCache(directory).Find(kKey), Optional(kObject));
  }
}

TEST(ObjectCacheTest, RenamedFilesAreNotUsed) {
  const std::string directory = TestDirectory("renamed");
  ObjectCache(directory).Store(kKey, kObject);
  MX_ASSERT_OK_AND_ASSIGN(const std::string whole,
                          ReadFile(PathOf(directory, kKey)));
  MX_ASSERT_OK(WriteFileAtomically(PathOf(directory, kOtherKey), whole));
  ObjectCache cache(directory);
  EXPECT_EQ(cache.Find(kOtherKey), std::nullopt);
  EXPECT_EQ(cache.counters().rejected_files, 1);
}

TEST(ObjectCacheTest, AnUnusableDirectoryCostsTheFilesOnly) {
  const std::string file = TestDirectory("is_a_file");
  MX_ASSERT_OK(WriteFileAtomically(file, "no directory"));
  ObjectCache cache(file);
  EXPECT_EQ(cache.Find(kKey), std::nullopt);
  cache.Store(kKey, kObject);
  EXPECT_EQ(cache.counters().failed_writes, 1);
  EXPECT_THAT(cache.Find(kKey), Optional(kObject));
}

}  // namespace
}  // namespace mxtile::exec::simd
