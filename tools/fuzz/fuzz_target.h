#ifndef TOOLS_FUZZ_FUZZ_TARGET_H_
#define TOOLS_FUZZ_FUZZ_TARGET_H_

// What libFuzzer calls with each input. Each file tools/fuzz/*_fuzzer.cc
// defines it: an input that breaks a promise ends the program with a message.
//
// As a fuzzer (needs clang-14), on the seeds of the repository:
//
//   ./bazelw build --config=fuzz //tools/fuzz:text_fuzzer
//   bazel-bin/tools/fuzz/text_fuzzer CORPUS testdata/programs
//
// As a test: //tools/fuzz:text_fuzzer_seeds_test runs it once for every seed
// and for every input that once failed (testdata/crashers).

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

#endif  // TOOLS_FUZZ_FUZZ_TARGET_H_
