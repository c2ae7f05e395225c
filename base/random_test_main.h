#ifndef BASE_RANDOM_TEST_MAIN_H_
#define BASE_RANDOM_TEST_MAIN_H_

// The main function of tests that draw at random, so that a run can be repeated
// and made longer.
//
//   int main(int argc, char** argv) {
//     return RunRandomTests(argc, argv, "--questions=", &seed, &num_questions);
//   }

#include <cstdint>

#include "absl/strings/string_view.h"

namespace mxtile {

// Takes --seed=N and `count_flag`N, then runs all tests; returns what main
// returns. Other arguments are an error.
int RunRandomTests(int argc, char** argv, absl::string_view count_flag,
                   uint64_t* seed, int* count);

}  // namespace mxtile

#endif  // BASE_RANDOM_TEST_MAIN_H_
