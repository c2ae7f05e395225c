#include "tools/quantize/progress_bar.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace mxtile {
namespace {

struct Unit {
  const char* name;
  double bytes;
};

Unit UnitFor(double bytes) {
  if (bytes >= 1e9) return {"GB", 1e9};
  if (bytes >= 1e6) return {"MB", 1e6};
  return {"kB", 1e3};
}

}  // namespace

std::string ProgressLine(int64_t done, int64_t total, double elapsed_s) {
  constexpr int kWidth = 30;
  constexpr double kFirstRate_s = 0.5;
  const double part = total > 0 ? static_cast<double>(done) / total : 1;
  const int filled = std::min<int>(kWidth, part * kWidth);
  std::string bar(filled, '=');
  if (filled < kWidth) bar += '>';
  bar.resize(kWidth, ' ');
  const Unit unit = UnitFor(total);
  std::string line = absl::StrFormat(
      "[%s] %d%%  %.1f of %.1f %s", bar, static_cast<int>(part * 100),
      done / unit.bytes, total / unit.bytes, unit.name);
  if (elapsed_s >= kFirstRate_s && done > 0) {
    const double rate = done / elapsed_s;
    const Unit rate_unit = UnitFor(rate);
    absl::StrAppend(
        &line,
        absl::StrFormat("  %.0f %s/s  %.0f s left", rate / rate_unit.bytes,
                        rate_unit.name, (total - done) / rate));
  }
  return line;
}

ProgressBar::ProgressBar() : on_terminal_(::isatty(STDERR_FILENO) == 1) {}

void ProgressBar::Update(int64_t done, int64_t total) {
  if (!on_terminal_) return;
  const Clock::time_point now = Clock::now();
  if (drawn_ && now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  drawn_ = true;
  const std::string line = ProgressLine(
      done, total, std::chrono::duration<double>(now - start_).count());
  std::fprintf(stderr, "\r%s\x1b[K", line.c_str());
  std::fflush(stderr);
}

void ProgressBar::Clear() {
  if (!drawn_) return;
  drawn_ = false;
  std::fputs("\r\x1b[K", stderr);
  std::fflush(stderr);
}

}  // namespace mxtile
