"""The dependencies, for this workspace's WORKSPACE and for those of its users."""

load("@bazel_tools//tools/build_defs/repo:utils.bzl", "maybe")
load(
    "//third_party:dependency.bzl",
    "mx_bazel_rules",
    "mx_coverage_tools",
    "mx_dependency",
    "mx_platforms",
    "mx_system_library",
)

_ABSL_TARGETS = {
    "absl/algorithm": ["algorithm", "container"],
    "absl/base": ["base", "config", "core_headers", "log_severity"],
    "absl/cleanup": ["cleanup"],
    "absl/container": ["btree", "fixed_array", "flat_hash_map", "flat_hash_set", "inlined_vector", "node_hash_map", "node_hash_set"],
    "absl/debugging": ["failure_signal_handler", "leak_check", "stacktrace", "symbolize"],
    "absl/flags": ["flag", "marshalling", "parse", "reflection", "usage"],
    "absl/functional": ["any_invocable", "bind_front", "function_ref"],
    "absl/hash": ["hash", "hash_testing"],
    "absl/memory": ["memory"],
    "absl/meta": ["type_traits"],
    "absl/numeric": ["bits", "int128"],
    "absl/random": ["bit_gen_ref", "distributions", "random", "seed_sequences"],
    "absl/status": ["status", "statusor"],
    "absl/strings": ["cord", "str_format", "strings"],
    "absl/synchronization": ["synchronization"],
    "absl/time": ["time"],
    "absl/types": ["any", "compare", "optional", "span", "variant"],
    "absl/utility": ["utility"],
}

_Z3_HEADERS = ["z3++.h", "z3.h"] + [
    "z3_%s.h" % part
    for part in ("algebraic", "api", "ast_containers", "fixedpoint", "fpa", "macros", "optimization", "polynomial", "rcf", "spacer", "v1", "version")
]

_PROTOBUF_EXTRA = """
WELL_KNOWN = ("any", "descriptor", "duration", "empty", "struct", "timestamp", "wrappers")

exports_files(["bin/protoc"])

alias(
    name = "protoc",
    actual = "bin/protoc",
)

# The default of --proto_toolchain_for_cc is @com_google_protobuf//:cc_toolchain.
# The well-known types are in the library already, so no code is made for them.
proto_lang_toolchain(
    name = "cc_toolchain",
    blacklisted_protos = [":%s_proto" % name for name in WELL_KNOWN],
    command_line = "--cpp_out=$(OUT)",
    runtime = ":protobuf",
)

[proto_library(
    name = name + "_proto",
    srcs = ["include/google/protobuf/%s.proto" % name],
    strip_import_prefix = "include",
) for name in WELL_KNOWN]
"""

def _bazel_rules():
    # The commits that Bazel 4.2.3 itself falls back on.
    maybe(
        mx_bazel_rules,
        name = "rules_cc",
        native_rules = [
            "cc_binary",
            "cc_import",
            "cc_library",
            "cc_proto_library",
            "cc_test",
            "cc_toolchain",
            "cc_toolchain_suite",
            "objc_library",
        ],
        package = "cc",
        sha256 = "d0c573b94a6ef20ef6ff20154a23d0efcb409fb0e1ff0979cec318dfe42f0cdd",
        strip_prefix = "rules_cc-b1c40e1de81913a3c40e5948f78719c28152486d",
        urls = ["https://github.com/bazelbuild/rules_cc/archive/b1c40e1de81913a3c40e5948f78719c28152486d.zip"],
    )
    maybe(
        mx_bazel_rules,
        name = "rules_java",
        native_rules = [
            "java_binary",
            "java_import",
            "java_library",
            "java_proto_library",
            "java_runtime",
            "java_test",
            "java_toolchain",
        ],
        package = "java",
        sha256 = "bc81f1ba47ef5cc68ad32225c3d0e70b8c6f6077663835438da8d5733f917598",
        strip_prefix = "rules_java-7cf3cefd652008d0a64a419c34c13bdca6c8f178",
        urls = ["https://github.com/bazelbuild/rules_java/archive/7cf3cefd652008d0a64a419c34c13bdca6c8f178.zip"],
    )
    maybe(
        mx_bazel_rules,
        name = "rules_proto",
        native_rules = ["proto_lang_toolchain", "proto_library"],
        package = "proto",
        sha256 = "8e7d59a5b12b233be5652e3d29f42fba01c7cbab09f6b3a8d0a57ed6d1e9a0da",
        strip_prefix = "rules_proto-7e4afce6fe62dbff0a4a03450143146f9f2d7488",
        urls = ["https://github.com/bazelbuild/rules_proto/archive/7e4afce6fe62dbff0a4a03450143146f9f2d7488.tar.gz"],
    )
    maybe(
        mx_coverage_tools,
        name = "remote_coverage_tools",
        sha256 = "cd14f1cb4559e4723e63b7e7b06d09fcc3bd7ba58d03f354cdff1439bd936a7d",
        urls = ["https://mirror.bazel.build/bazel_coverage_output_generator/releases/coverage_output_generator-v2.5.zip"],
    )
    maybe(
        mx_platforms,
        name = "platforms",
        sha256 = "a879ea428c6d56ab0ec18224f976515948822451473a80d06c2e50af0bbe5121",
        strip_prefix = "platforms-da5541f26b7de1dc8e04c075c99df5351742a4a2",
        urls = ["https://github.com/bazelbuild/platforms/archive/da5541f26b7de1dc8e04c075c99df5351742a4a2.zip"],
        values = {
            "cpu": ["wasm32", "wasm64"],
            "os": ["qnx", "wasi"],
        },
    )

    # Read by abseil's own BUILD files only (http and source).
    maybe(
        mx_dependency,
        name = "bazel_skylib",
        debian_package = "bazel-skylib",
        sha256 = "f7be3474d42aae265405a592bb7da8e171919d74c16f082a5457840f06054728",
        source_dir = "/usr/share/bazel/tools/skylib",
        urls = ["https://github.com/bazelbuild/bazel-skylib/releases/download/1.2.1/bazel-skylib-1.2.1.tar.gz"],
    )

def mxtile_repositories():
    """Declares each dependency that the using workspace does not have already."""
    _bazel_rules()

    # The versions are those of Debian 12, so that http and debian build alike.
    maybe(
        mx_dependency,
        name = "com_google_absl",
        debian_archives = "libabsl_*.a",
        debian_headers = {"/usr/include/absl": "include/absl"},
        debian_linkopts = ["-pthread"],
        debian_package = "libabsl-dev",
        debian_targets = _ABSL_TARGETS,
        sha256 = "91ac87d30cc6d79f9ab974c51874a704de9c2647c40f6932597329a282217ba8",
        source_dir = "abseil-20220623.1",
        strip_prefix = "abseil-cpp-20220623.1",
        urls = ["https://github.com/abseil/abseil-cpp/archive/refs/tags/20220623.1.tar.gz"],
    )
    maybe(
        mx_dependency,
        name = "com_google_googletest",
        debian_headers = {
            "/usr/include/gmock": "include/gmock",
            "/usr/include/gtest": "include/gtest",
        },
        debian_linkopts = ["-lgmock_main", "-lgmock", "-lgtest", "-pthread"],
        debian_package = "libgmock-dev",
        debian_targets = {".": ["gtest", "gtest_main"]},
        sha256 = "81964fe578e9bd7c94dfdb09c8e4d6e6759e19967e397dbea48d1c10e45d0df2",
        source_dir = "googletest-1.12.1",
        strip_prefix = "googletest-release-1.12.1",
        urls = ["https://github.com/google/googletest/archive/refs/tags/release-1.12.1.tar.gz"],
    )

    # No source_dir: Debian's source leaves out the generated Unicode tables.
    maybe(
        mx_dependency,
        name = "com_googlesource_code_re2",
        debian_archives = "libre2.a",
        debian_headers = {"/usr/include/re2": "include/re2"},
        debian_linkopts = ["-pthread"],
        debian_package = "libre2-dev",
        debian_targets = {".": ["re2"]},
        sha256 = "f89c61410a072e5cbcf8c27e3a778da7d6fd2f2b5b1445cd4f4508bee946ab0f",
        strip_prefix = "re2-2022-06-01",
        urls = ["https://github.com/google/re2/archive/refs/tags/2022-06-01.tar.gz"],
    )
    maybe(
        mx_dependency,
        name = "com_google_benchmark",
        debian_headers = {"/usr/include/benchmark": "include/benchmark"},
        debian_linkopts = ["-lbenchmark_main", "-lbenchmark", "-pthread"],
        debian_package = "libbenchmark-dev",
        debian_targets = {".": ["benchmark", "benchmark_main"]},
        sha256 = "6430e4092653380d9dc4ccb45a1e2dc9259d581f4866dc0759713126056bc1d7",
        source_dir = "benchmark-1.7.1",
        strip_prefix = "benchmark-1.7.1",
        urls = ["https://github.com/google/benchmark/archive/refs/tags/v1.7.1.tar.gz"],
    )
    maybe(
        mx_dependency,
        name = "com_google_protobuf",
        build_file = Label("//third_party:protobuf.BUILD"),
        debian_archives = "libprotobuf.a",
        debian_build_extra = _PROTOBUF_EXTRA,
        debian_files = {"/usr/bin/protoc": "bin/protoc"},
        debian_headers = {"/usr/include/google/protobuf": "include/google/protobuf"},
        debian_linkopts = ["-lz", "-pthread"],
        debian_package = "libprotobuf-dev protobuf-compiler",
        debian_targets = {".": ["protobuf", "protobuf_lite"]},
        sha256 = "22fdaf641b31655d4b2297f9981fa5203b2866f8332d3c6333f6b0107bb320de",
        source_dir = "protobuf-3.21.12",
        strip_prefix = "protobuf-21.12",
        urls = ["https://github.com/protocolbuffers/protobuf/archive/refs/tags/v21.12.tar.gz"],
    )

    maybe(
        mx_dependency,
        name = "com_github_cliutils_cli11",
        build_file = Label("//third_party:cli11.BUILD"),
        debian_headers = {"/usr/include/CLI": "include/CLI"},
        debian_package = "libcli11-dev",
        debian_targets = {".": ["cli11"]},
        sha256 = "26291377e892ba0e5b4972cdfd4a2ab3bf53af8dac1f4ea8fe0d1376b625c8cb",
        strip_prefix = "CLI11-2.1.2",
        urls = ["https://github.com/CLIUtils/CLI11/archive/v2.1.2.tar.gz"],
    )
    maybe(
        mx_dependency,
        name = "com_github_nlohmann_json",
        build_file = Label("//third_party:nlohmann_json.BUILD"),
        debian_headers = {"/usr/include/nlohmann": "include/nlohmann"},
        debian_package = "nlohmann-json3-dev",
        debian_targets = {".": ["json"]},
        sha256 = "d69f9deb6a75e2580465c6c4c5111b89c4dc2fa94e3a85fcd2ffcd9a143d9273",
        strip_prefix = "json-3.11.2",
        urls = ["https://github.com/nlohmann/json/archive/v3.11.2.tar.gz"],
    )

    # Only base:sha256 asks for it; OpenSSL's libcrypto answers to the same calls.
    maybe(
        mx_dependency,
        name = "boringssl",
        debian_archives = "libcrypto.a",
        debian_headers = {"/usr/include/openssl": "include/openssl"},
        debian_linkopts = ["-ldl", "-pthread"],
        debian_package = "libssl-dev",
        debian_targets = {".": ["crypto"]},
        sha256 = "534fa658bd845fd974b50b10f444d392dfd0d93768c4a51b61263fd37d851c40",
        strip_prefix = "boringssl-b9232f9e27e5668bc0414879dcdedb2a59ea75f2",
        urls = ["https://github.com/google/boringssl/archive/b9232f9e27e5668bc0414879dcdedb2a59ea75f2.tar.gz"],
    )

    # Only kernels/host asks for it. Debian has no archive of it; kept although
    # --as-needed, since the workspace's own shared libraries need it too.
    maybe(
        mx_dependency,
        name = "highway",
        build_file = Label("//third_party:highway.BUILD"),
        debian_headers = {"/usr/include/hwy": "include/hwy"},
        debian_linkopts = [
            "-Wl,--push-state,--no-as-needed",
            "-lhwy",
            "-Wl,--pop-state",
        ],
        debian_package = "libhwy-dev",
        debian_targets = {".": ["hwy"]},
        sha256 = "566fc77315878473d9a6bd815f7de78c73734acdcb745c3dde8579560ac5440e",
        source_dir = "highway-1.0.3",
        strip_prefix = "highway-1.0.3",
        urls = ["https://github.com/google/highway/archive/refs/tags/1.0.3.tar.gz"],
    )

    # Only a test of proof/ asks for it.
    maybe(
        mx_system_library,
        name = "z3",
        debian_headers = {
            "/usr/include/" + header: "include/" + header
            for header in _Z3_HEADERS
        },
        debian_linkopts = ["-lz3"],
        debian_package = "libz3-dev",
        debian_targets = {".": ["z3"]},
        without = "MX_WITHOUT_Z3",
    )

    # Only exec/simd asks for it. Kept although --as-needed, since the workspace's
    # own shared libraries need it too.
    maybe(
        mx_system_library,
        name = "llvm22",
        debian_headers = {
            "/usr/lib/llvm-22/include/llvm": "include/llvm",
            "/usr/lib/llvm-22/include/llvm-c": "include/llvm-c",
        },
        debian_linkopts = [
            "-L/usr/lib/llvm-22/lib",
            "-Wl,--push-state,--no-as-needed",
            "-lLLVM-22",
            "-Wl,--pop-state",
        ],
        debian_package = "llvm-22-dev",
        debian_targets = {".": ["llvm"]},
        without = "MX_WITHOUT_LLVM",
    )

    # Only benchmarks ask for it: the variant without threads, whatever the
    # system's default BLAS is.
    maybe(
        mx_system_library,
        name = "openblas",
        debian_headers = {
            "/usr/include/{multiarch}/openblas-serial/cblas.h": "include/cblas.h",
            "/usr/include/{multiarch}/openblas-serial/openblas_config.h": "include/openblas_config.h",
        },
        debian_linkopts = [
            "-L/usr/lib/{multiarch}/openblas-serial",
            "-Wl,-rpath,/usr/lib/{multiarch}/openblas-serial",
            "-Wl,--push-state,--no-as-needed",
            "-lopenblas",
            "-Wl,--pop-state",
        ],
        debian_package = "libopenblas-serial-dev",
        debian_targets = {".": ["openblas"]},
        without = "MX_WITHOUT_OPENBLAS",
    )
