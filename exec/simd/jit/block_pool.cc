#include "exec/simd/jit/block_pool.h"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>

#include "absl/synchronization/mutex.h"

namespace mxtile::exec::simd {

BlockPool::BlockPool(int num_workers)
    : num_workers_(std::max(num_workers, 1)),
      homes_(std::make_unique<Home[]>(num_workers_)) {
  for (int worker = 1; worker < num_workers_; ++worker) {
    threads_.emplace_back([this, worker] { RunThread(worker); });
  }
}

BlockPool::~BlockPool() {
  {
    absl::MutexLock lock(&mutex_);
    stop_ = true;
  }
  for (std::thread& thread : threads_) thread.join();
}

void BlockPool::ParallelFor(int64_t count, int64_t chunk, Function function) {
  if (count < 1) return;
  absl::MutexLock turn(&turn_);
  chunk = std::clamp<int64_t>(chunk, 1, count);
  const int64_t num_chunks = (count - 1) / chunk + 1;
  const int64_t share = num_chunks / num_workers_;
  const int64_t extra = num_chunks % num_workers_;
  for (int64_t worker = 0; worker < num_workers_; ++worker) {
    const int64_t begin = worker * share + std::min(worker, extra);
    homes_[worker].next.store(begin, std::memory_order_relaxed);
    homes_[worker].end = begin + share + (worker < extra ? 1 : 0);
  }
  const Job job = {count, chunk, function};
  if (num_workers_ > 1 && num_chunks > 1) {
    absl::MutexLock lock(&mutex_);
    job_ = &job;
    ++num_jobs_;
  }
  Work(job, /*worker=*/0);
  if (num_workers_ == 1) return;
  // No chunk is left to take. A thread that has not woken up until now is not
  // waited for.
  absl::MutexLock lock(&mutex_);
  job_ = nullptr;
  mutex_.Await(absl::Condition(
      +[](int* num_joined) { return *num_joined == 0; }, &num_joined_));
}

void BlockPool::RunThread(int worker) {
  int64_t last_job = 0;
  const auto has_news = [&]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    return stop_ || (job_ != nullptr && num_jobs_ != last_job);
  };
  while (true) {
    const Job* job;
    {
      absl::MutexLock lock(&mutex_);
      mutex_.Await(absl::Condition(&has_news));
      if (stop_) return;
      job = job_;
      last_job = num_jobs_;
      ++num_joined_;
    }
    Work(*job, worker);
    absl::MutexLock lock(&mutex_);
    --num_joined_;
  }
}

void BlockPool::Work(const Job& job, int worker) {
  for (int offset = 0; offset < num_workers_; ++offset) {
    Home& home = homes_[(worker + offset) % num_workers_];
    while (home.next.load(std::memory_order_relaxed) < home.end) {
      const int64_t taken = home.next.fetch_add(1, std::memory_order_relaxed);
      if (taken >= home.end) break;
      const int64_t first = taken * job.chunk;
      job.function(first, std::min(job.count - first, job.chunk) + first,
                   worker);
    }
  }
}

}  // namespace mxtile::exec::simd
