# The checks that are no Bazel tests. Sourced after lib.sh.

check_clang_format() {
  ensure_packages clang-format >/dev/null || return 1
  git ls-files '*.h' '*.cc' | xargs clang-format --dry-run -Werror
}

check_buildifier() {
  command -v npm >/dev/null || ensure_packages npm >/dev/null || return 1
  npm install --silent --no-fund --no-audit --prefix "$work/npm" @bazel/buildifier@8.2.1 >/dev/null || return 1
  git ls-files '*.bzl' '*BUILD' '*.BUILD' '*BUILD.bazel' '*WORKSPACE' |
    xargs "$work/npm/node_modules/.bin/buildifier" -mode=check -lint=warn --warnings=-native-sh-test,-native-proto
}

# The rule ids of the code and docs/rules.md say the same.
check_rules() { python3 .ci/check_rules.py; }

# A workspace of its own that uses one target.
check_downstream() {
  local output
  output=$(cd examples/downstream && USE_BAZEL_VERSION=4 bazel run --noshow_progress //:scale_offset 2>"$work/downstream.log") || {
    cat "$work/downstream.log"
    return 1
  }
  (cd examples/downstream && USE_BAZEL_VERSION=4 bazel shutdown 2>/dev/null)
  # Row 17 and group 3 of [32, 4]: box (17/16)*(4/2) + 3/2 = 3, then (17%16)*2 + 3%2 = 3.
  [[ $output == $((3 * 32 + 3)) ]] || { echo "printed '$output', expected 99"; return 1; }
}

# Times differ from run to run.
mask_times() { sed -E 's/ +[0-9]+\.[0-9]+ ms/ N ms/'; }

# The first command of the README, and what the README says that it prints.
check_main_job() {
  ./mxtile run testdata/programs/mxfp8_gemm.py >"$work/main_job.txt" || { cat "$work/main_job.txt"; return 1; }
  diff -u <(sed -n '/^```text/,/^```$/{/^```/d;p}' README.md | mask_times) <(mask_times <"$work/main_job.txt")
}
