#ifndef TOOLS_QUANTIZE_PROGRESS_BAR_H_
#define TOOLS_QUANTIZE_PROGRESS_BAR_H_

// One line on a terminal that says how far a long job is; nothing elsewhere.
//
//   ProgressBar bar;
//   bar.Update(done_bytes, total_bytes);   // as often as one likes
//   bar.Clear();                           // before anything else is printed
//
//   [==========>                   ] 35%  1.4 of 4.0 GB  812 MB/s  3 s left

#include <chrono>
#include <cstdint>
#include <string>

namespace mxtile {

// The line. Bytes by powers of 1000; no rate and no time before 0.5 s.
std::string ProgressLine(int64_t done, int64_t total, double elapsed_s);

class ProgressBar {
 public:
  // Draws when standard error is a terminal.
  ProgressBar();
  ~ProgressBar() { Clear(); }

  // Draws ten times a second at most.
  void Update(int64_t done, int64_t total);
  void Clear();

 private:
  using Clock = std::chrono::steady_clock;

  bool on_terminal_;
  bool drawn_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_;
};

}  // namespace mxtile

#endif  // TOOLS_QUANTIZE_PROGRESS_BAR_H_
