#include "tools/bench/environment.h"

#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "exec/simd/jit/target.h"
#include "nlohmann/json.hpp"
#include "tools/bench/openblas.h"

#ifndef MX_WITHOUT_LLVM
#include "llvm/Config/llvm-config.h"
#endif

namespace mxtile::bench {
namespace {

std::string CpuName() {
  std::ifstream file("/proc/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    const size_t colon = line.find(':');
    if (absl::StartsWith(line, "model name") && colon != std::string::npos) {
      return std::string(absl::StripAsciiWhitespace(line.substr(colon + 1)));
    }
  }
  return "";
}

// Without the node's name.
std::string KernelName() {
  utsname name;
  if (uname(&name) != 0) return "";
  return absl::StrCat(name.sysname, " ", name.release, " ", name.machine);
}

std::string CompilerName() {
#if defined(__clang__)
  return absl::StrCat("clang ", __VERSION__);
#else
  return absl::StrCat("gcc ", __VERSION__);
#endif
}

std::string LlvmVersion() {
#ifndef MX_WITHOUT_LLVM
  return LLVM_VERSION_STRING;
#else
  return "";
#endif
}

}  // namespace

double LoadAverage() {
  double load = 0;
  return getloadavg(&load, 1) == 1 ? load : -1;
}

nlohmann::ordered_json EnvironmentJson(const exec::simd::SimdTarget& target) {
  return {{"cpu", CpuName()},
          {"cpus", sysconf(_SC_NPROCESSORS_ONLN)},
          {"kernel", KernelName()},
          {"compiler", CompilerName()},
          {"llvm", LlvmVersion()},
          {"jit_triple", target.triple},
          {"jit_cpu", target.cpu},
          {"jit_features", target.features},
          {"l1_bytes", target.l1_bytes},
          {"l2_bytes", target.l2_bytes},
          {"openblas", OpenBlasVersion()},
          {"load_average", LoadAverage()},
          {"threads", 1}};
}

}  // namespace mxtile::bench
