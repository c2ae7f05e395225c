#include "tools/bench/environment.h"

#include <unistd.h>

#include <string>

#include "exec/simd/jit/target.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

namespace mxtile::bench {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(EnvironmentTest, SaysWhatMattersAndNotWhoseItIs) {
  const nlohmann::ordered_json json = EnvironmentJson(exec::simd::HostTarget());
  for (const char* const key : {"kernel", "compiler", "jit_cpu"}) {
    EXPECT_NE(json.at(key).get<std::string>(), "") << key;
  }
  EXPECT_GE(json.at("cpus").get<int>(), 1);
  char host[256] = {};
  ASSERT_EQ(gethostname(host, sizeof host - 1), 0);
  // "localhost" and the like say nothing, and may be part of a word.
  if (std::string(host).size() >= 8) {
    EXPECT_THAT(json.dump(), Not(HasSubstr(host)));
  }
  EXPECT_THAT(json.dump(), Not(HasSubstr("/home")));
}

}  // namespace
}  // namespace mxtile::bench
