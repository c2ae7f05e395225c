#include "exec/simd/launch_history.h"

#include <cstdint>
#include <vector>

#include "exec/simd/import/importer.h"
#include "exec/simd/launches.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/program.h"

namespace mxtile::exec::simd {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// On 2 x 3 instances of a function of two scalars.
Launch LaunchOf(const ir::Function& function, InstanceScalar first,
                InstanceScalar second) {
  Launch launch;
  launch.function = &function;
  launch.request.digits = {2, 3};
  launch.request.params.resize(2);
  launch.request.params[0].scalar = first;
  launch.request.params[1].scalar = second;
  return launch;
}

TEST(LaunchHistoryTest, OnlyWhatChangesBecomesATable) {
  const ir::Function function;
  LaunchHistory history;
  const InstanceScalar same = {5, {1}, {}};
  const auto table = [&](const InstanceScalar& scalar) {
    const ImportRequest request =
        history.Generalize(LaunchOf(function, scalar, same));
    EXPECT_THAT(request.block_index.table, IsEmpty());
    EXPECT_THAT(request.params[1].scalar.table, IsEmpty());
    EXPECT_THAT(request.params[1].scalar.steps, ElementsAre(1));
    return request.params[0].scalar.table;
  };
  EXPECT_THAT(table({7, {10, 1}, {}}), IsEmpty());
  EXPECT_THAT(table({7, {10, 1}, {}}), IsEmpty());
  EXPECT_THAT(table({9, {10, 1}, {}}), ElementsAre(9, 10, 11, 19, 20, 21));
  // A step that is missing is 0.
  EXPECT_THAT(table({7, {10}, {}}), ElementsAre(7, 7, 7, 17, 17, 17));
  EXPECT_THAT(table({0, {}, {6, 5, 4, 3, 2, 1}}),
              ElementsAre(6, 5, 4, 3, 2, 1));
  // Once it has changed it may change again.
  EXPECT_THAT(table({7, {10, 1}, {}}), ElementsAre(7, 8, 9, 17, 18, 19));
}

TEST(LaunchHistoryTest, FunctionsAndNumbersOfInstancesAreKeptApart) {
  const ir::Function f;
  const ir::Function g;
  LaunchHistory history;
  history.Generalize(LaunchOf(f, {1}, {}));
  EXPECT_THAT(history.Generalize(LaunchOf(g, {2}, {})).params[0].scalar.table,
              IsEmpty());
  Launch fewer = LaunchOf(f, {3}, {});
  fewer.request.digits = {2};
  EXPECT_THAT(history.Generalize(fewer).params[0].scalar.table, IsEmpty());
  EXPECT_THAT(history.Generalize(LaunchOf(f, {4}, {})).params[0].scalar.table,
              ElementsAre(4, 4, 4, 4, 4, 4));
}

}  // namespace
}  // namespace mxtile::exec::simd
