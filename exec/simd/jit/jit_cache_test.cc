// Compile with a cache of objects.

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "base/status_matchers.h"
#include "exec/simd/jit/jit.h"
#include "exec/simd/jit/jit_test_util.h"
#include "exec/simd/jit/object_cache.h"
#include "exec/simd/jit/target.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace mxtile::exec::simd {
namespace {

#ifndef MX_WITHOUT_LLVM

using ::testing::_;

TEST(JitCacheTest, HitsByContent) {
  ObjectCache cache;
  JitOptions options;
  options.cache = &cache;
  MX_ASSERT_OK_AND_ASSIGN(const std::unique_ptr<JitCode> first,
                          Compile(AddModule(), options));
  EXPECT_FALSE(first->object().from_cache);
  MX_ASSERT_OK_AND_ASSIGN(const std::unique_ptr<JitCode> second,
                          Compile(AddModule(), options));
  EXPECT_TRUE(second->object().from_cache);
  EXPECT_EQ(second->object().bytes, first->object().bytes);
  EXPECT_EQ(second->object().sha256, first->object().sha256);
  EXPECT_EQ(second->object().instructions, 5);
  EXPECT_EQ(second->object().instructions_after, std::nullopt);
  ExpectAdds(*second);
  EXPECT_EQ(cache.counters().misses, 1);
  EXPECT_EQ(cache.counters().memory_hits, 1);
}

TEST(JitCacheTest, AnotherModuleLevelOrTargetIsAnotherObject) {
  ObjectCache cache;
  JitOptions options;
  options.cache = &cache;
  MX_EXPECT_OK(CompileObject(AddModule(), options));
  MX_EXPECT_OK(CompileObject(AddModule("another"), options));
  options.level = 1;
  MX_EXPECT_OK(CompileObject(AddModule(), options));
  options.level = 2;
  MX_ASSERT_OK_AND_ASSIGN(options.target, NamedTarget("x86-64"));
  MX_EXPECT_OK(CompileObject(AddModule(), options));
  options.target.features = "+avx";
  MX_EXPECT_OK(CompileObject(AddModule(), options));
  EXPECT_EQ(cache.counters().misses, 5);
  EXPECT_EQ(cache.counters().memory_hits, 0);
}

TEST(JitCacheTest, ABudgetHoldsForCachedObjectsToo) {
  ObjectCache cache;
  JitOptions options;
  options.cache = &cache;
  MX_EXPECT_OK(CompileObject(AddModule(), options));
  options.max_instructions = 1;
  EXPECT_THAT(CompileObject(AddModule(), options),
              StatusIs(absl::StatusCode::kResourceExhausted, _));
}

absl::StatusOr<std::string> OnlyFileIn(const std::string& directory) {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    files.push_back(entry.path());
  }
  if (files.size() != 1) {
    return absl::InternalError(absl::StrCat(files.size(), " files"));
  }
  return files[0];
}

TEST(JitCacheTest, DamagedFilesAreCompiledAgain) {
  const std::string directory =
      absl::StrCat(::testing::TempDir(), "/jit_cache");
  JitOptions options;
  for (const int damage : {0, 1, 2}) {
    ObjectCache cache(directory);
    options.cache = &cache;
    MX_ASSERT_OK_AND_ASSIGN(const std::unique_ptr<JitCode> code,
                            Compile(AddModule(), options));
    ExpectAdds(*code);
    EXPECT_EQ(cache.counters().misses, 1) << damage;
    EXPECT_EQ(cache.counters().rejected_files, damage == 0 ? 0 : 1);
    {
      ObjectCache again(directory);
      options.cache = &again;
      MX_EXPECT_OK(Compile(AddModule(), options));
      EXPECT_EQ(again.counters().file_hits, 1);
    }
    MX_ASSERT_OK_AND_ASSIGN(const std::string path, OnlyFileIn(directory));
    MX_ASSERT_OK_AND_ASSIGN(std::string contents, ReadFile(path));
    if (damage == 0) {
      contents.resize(contents.size() / 2);
    } else {
      contents[contents.size() - 100] ^= 0x55;
    }
    MX_ASSERT_OK(WriteFileAtomically(path, contents));
  }
}

#endif  // MX_WITHOUT_LLVM

}  // namespace
}  // namespace mxtile::exec::simd
