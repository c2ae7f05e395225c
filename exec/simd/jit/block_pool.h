#ifndef EXEC_SIMD_JIT_BLOCK_POOL_H_
#define EXEC_SIMD_JIT_BLOCK_POOL_H_

// A few threads that walk a range of blocks together.
//
//   BlockPool pool(/*num_workers=*/4);
//   pool.ParallelFor(num_blocks, /*chunk=*/2,
//                    [&](int64_t first, int64_t last, int worker) {
//     for (int64_t b = first; b < last; ++b) RunBlock(b, workspace[worker]);
//   });
//
// Each worker owns a contiguous part of the range, its home, so that neighbours
// in memory stay with one core; a worker that is done takes chunks from the
// others. The caller is worker 0. A pool of one worker has no thread of its own
// and calls the function once for each chunk, in order.

#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/synchronization/mutex.h"

namespace mxtile::exec::simd {

class BlockPool {
 public:
  // [first, last), not empty and at most `chunk` long. `worker` is below
  // num_workers(); at no time do two calls run with the same one.
  using Function =
      absl::FunctionRef<void(int64_t first, int64_t last, int worker)>;

  // Fewer than one worker is one.
  explicit BlockPool(int num_workers);
  ~BlockPool();
  BlockPool(const BlockPool&) = delete;
  BlockPool& operator=(const BlockPool&) = delete;

  int num_workers() const { return num_workers_; }

  // Calls `function` for every index below `count` exactly once; returns when
  // all calls have. `count` below 1 is nothing to do, `chunk` below 1 is 1.
  // Calls from several threads take turns; `function` must not throw, nor call
  // the same pool.
  void ParallelFor(int64_t count, int64_t chunk, Function function);

 private:
  // What is left of one worker's chunks. Owner and thieves take from `next`; on
  // its own cache line.
  struct alignas(64) Home {
    std::atomic<int64_t> next{0};
    int64_t end = 0;
  };
  struct Job {
    int64_t count;
    int64_t chunk;
    Function function;
  };

  void RunThread(int worker);
  void Work(const Job& job, int worker);

  const int num_workers_;
  const std::unique_ptr<Home[]> homes_;
  absl::Mutex turn_;  // held during ParallelFor
  absl::Mutex mutex_;
  const Job* job_ ABSL_GUARDED_BY(mutex_) = nullptr;  // open to be joined
  int64_t num_jobs_ ABSL_GUARDED_BY(mutex_) = 0;
  int num_joined_ ABSL_GUARDED_BY(mutex_) = 0;  // threads inside job_
  bool stop_ ABSL_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace mxtile::exec::simd

#endif  // EXEC_SIMD_JIT_BLOCK_POOL_H_
