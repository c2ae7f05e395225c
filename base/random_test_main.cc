#include "base/random_test_main.h"

#include <cstdlib>
#include <iostream>

#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"
#include "gtest/gtest.h"

namespace mxtile {

int RunRandomTests(int argc, char** argv, absl::string_view count_flag,
                   uint64_t* seed, int* count) {
  testing::InitGoogleTest(&argc, argv);
  for (int i = 1; i < argc; ++i) {
    absl::string_view arg = argv[i];
    const bool is_known = absl::ConsumePrefix(&arg, "--seed=")
                              ? absl::SimpleAtoi(arg, seed)
                              : absl::ConsumePrefix(&arg, count_flag) &&
                                    absl::SimpleAtoi(arg, count);
    if (!is_known) {
      std::cerr << "usage: " << argv[0] << " [--seed=N] [" << count_flag
                << "N]\n";
      return EXIT_FAILURE;
    }
  }
  return RUN_ALL_TESTS();
}

}  // namespace mxtile
