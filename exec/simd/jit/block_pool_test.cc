#include "exec/simd/jit/block_pool.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <thread>
#include <utility>
#include <vector>

#include "absl/synchronization/notification.h"
#include "gtest/gtest.h"

namespace mxtile::exec::simd {
namespace {

TEST(BlockPoolTest, EveryIndexExactlyOnce) {
  for (const int num_workers : {1, 2, 3, 5, 8}) {
    BlockPool pool(num_workers);
    ASSERT_EQ(pool.num_workers(), num_workers);
    for (const int64_t count : {0, 1, 2, 3, 7, 8, 9, 64, 100, 1001}) {
      for (const int64_t chunk : {-1, 1, 2, 3, 7, 64, 5000}) {
        std::vector<std::atomic<int>> visits(count);
        std::vector<std::atomic<int>> busy(num_workers);
        std::atomic<bool> is_wrong = false;
        pool.ParallelFor(
            count, chunk, [&](int64_t first, int64_t last, int worker) {
              if (busy[worker]++ != 0) is_wrong = true;
              if (first >= last || last - first > std::max<int64_t>(chunk, 1)) {
                is_wrong = true;
              }
              for (int64_t i = first; i < last; ++i) ++visits[i];
              --busy[worker];
            });
        EXPECT_FALSE(is_wrong);
        for (int64_t i = 0; i < count; ++i) {
          ASSERT_EQ(visits[i], 1) << num_workers << " workers, index " << i
                                  << " of " << count << " by " << chunk;
        }
      }
    }
  }
}

TEST(BlockPoolTest, ASingleWorkerRunsOnTheCaller) {
  const std::thread::id caller = std::this_thread::get_id();
  for (const int num_workers : {1, 0, -3}) {
    BlockPool pool(num_workers);
    EXPECT_EQ(pool.num_workers(), 1);
    std::vector<std::pair<int64_t, int64_t>> ranges;
    pool.ParallelFor(8, 3, [&](int64_t first, int64_t last, int worker) {
      EXPECT_EQ(worker, 0);
      EXPECT_EQ(std::this_thread::get_id(), caller);
      ranges.push_back({first, last});
    });
    EXPECT_EQ(ranges, (std::vector<std::pair<int64_t, int64_t>>{
                          {0, 3}, {3, 6}, {6, 8}}));
  }
}

// The caller can't go on before another thread has run a chunk, and that thread
// not before the caller has taken one.
TEST(BlockPoolTest, WorkersRunAtTheSameTime) {
  BlockPool pool(2);
  absl::Notification started[2];
  pool.ParallelFor(2, 1, [&](int64_t first, int64_t, int) {
    started[first].Notify();
    started[1 - first].WaitForNotification();
  });
}

// Worker 0 is kept busy with its first chunk until all others are done, which
// needs its home to be emptied by another.
TEST(BlockPoolTest, IdleWorkersStealFromTheBusy) {
  constexpr int64_t kCount = 100;
  BlockPool pool(2);
  std::atomic<int64_t> num_done = 0;
  absl::Notification rest_is_done;
  std::atomic<int> num_by_caller = 0;
  pool.ParallelFor(kCount, 1, [&](int64_t, int64_t, int worker) {
    if (worker == 0) {
      ++num_by_caller;
      rest_is_done.WaitForNotification();
    }
    if (++num_done == kCount - 1) rest_is_done.Notify();
  });
  EXPECT_LE(num_by_caller, 1);
  EXPECT_EQ(num_done, kCount);
}

TEST(BlockPoolTest, LargeCountsDoNotOverflow) {
  constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
  for (const int num_workers : {1, 3}) {
    BlockPool pool(num_workers);
    std::atomic<int64_t> sum = 0;
    pool.ParallelFor(kMax, kMax / 2 + 1, [&](int64_t first, int64_t last, int) {
      sum += last - first;
    });
    EXPECT_EQ(sum, kMax);
  }
}

TEST(BlockPoolTest, CallersTakeTurns) {
  BlockPool pool(2);
  std::atomic<int64_t> sum = 0;
  std::atomic<int> num_inside = 0;
  std::atomic<int> most_inside = 0;
  const auto run = [&] {
    for (int i = 0; i < 200; ++i) {
      pool.ParallelFor(16, 1, [&](int64_t first, int64_t, int) {
        const int inside = ++num_inside;
        int most = most_inside;
        while (most < inside &&
               !most_inside.compare_exchange_weak(most, inside)) {
        }
        sum += first;
        --num_inside;
      });
    }
  };
  std::vector<std::thread> callers;
  for (int i = 0; i < 3; ++i) callers.emplace_back(run);
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(sum, 3 * 200 * (15 * 16 / 2));
  EXPECT_LE(most_inside, 2);
}

}  // namespace
}  // namespace mxtile::exec::simd
