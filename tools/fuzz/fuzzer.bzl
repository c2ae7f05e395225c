"""A libFuzzer target, and the test that runs it once on its seeds."""

load("@rules_cc//cc:defs.bzl", "cc_binary", "cc_library", "cc_test")

def mx_fuzzer(name, srcs, deps, seeds):
    """Defines NAME (a fuzzer, with --config=fuzz) and NAME_seeds_test.

    Args:
      name: ends in _fuzzer.
      srcs: define LLVMFuzzerTestOneInput.
      deps: of srcs.
      seeds: labels of files.
    """
    cc_library(
        name = name + "_target",
        srcs = srcs,
        deps = deps + [":fuzz_target"],
        alwayslink = True,
    )
    cc_binary(
        name = name,
        linkopts = ["-fsanitize=fuzzer"],
        tags = ["manual"],
        deps = [":" + name + "_target"],
    )
    cc_test(
        name = name + "_seeds_test",
        size = "small",
        srcs = ["seeds_test.cc"],
        args = ["$(locations %s)" % seed for seed in seeds],
        data = seeds,
        deps = [
            ":" + name + "_target",
            ":fuzz_target",
            "//base:check",
        ],
    )
