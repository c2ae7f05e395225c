// Runs a fuzz target once for every seed: the arguments are files.

#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#include "base/check.h"
#include "tools/fuzz/fuzz_target.h"

int main(int argc, char** argv) {
  int runs = 0;
  for (int i = 1; i < argc; ++i) {
    std::ifstream in(argv[i], std::ios::binary);
    MX_CHECK(in.good()) << "cannot open " << argv[i];
    std::stringstream contents;
    contents << in.rdbuf();
    const std::string bytes = contents.str();
    std::cout << argv[i] << std::endl;
    // Also what a fuzzer does first: the input cut short.
    for (size_t size : {bytes.size(), bytes.size() / 2, size_t{0}}) {
      LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()),
                             size);
      ++runs;
    }
  }
  MX_CHECK(runs > 0) << "no seeds";
  std::cout << runs << " inputs\n";
  return 0;
}
