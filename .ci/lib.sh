# Shared by .ci/run and .ci/full: steps that are counted.
#
#   bazel_step NAME BAZEL_ARGS...   runs tests, counts their cases
#   check_step NAME COMMAND...      one case: the command's exit code
#   finish                          prints "N passed, N failed" and exits

set -uo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

started() { step_start=$SECONDS; echo "== $1"; }
ended() { echo "== $1: $2 passed, $3 failed, $((SECONDS - step_start)) s"; }

bazel_step() {
  local name=$1 events=$work/events.json status=0 good bad
  shift
  started "$name"
  rm -f "$events"
  "$@" --noshow_progress --build_event_json_file="$events" || status=$?
  read -r good bad < <(python3 .ci/count_cases.py "$events" 2>/dev/null || echo "0 0")
  # A build that fails has no test to blame.
  if ((status != 0 && bad == 0)); then bad=1; fi
  if ((status == 0 && good == 0)); then bad=1; echo "no test ran"; fi
  passed=$((passed + good))
  failed=$((failed + bad))
  ended "$name" "$good" "$bad"
}

check_step() {
  local name=$1
  shift
  started "$name"
  if "$@"; then
    passed=$((passed + 1))
    ended "$name" 1 0
  else
    failed=$((failed + 1))
    ended "$name" 0 1
  fi
}

# Debian packages that only checks need.
ensure_packages() {
  local missing=() package
  for package in "$@"; do
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || missing+=("$package")
  done
  ((${#missing[@]})) || return 0
  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "${missing[@]}"
}

finish() {
  ./bazelw shutdown >/dev/null 2>&1
  echo "$passed passed, $failed failed"
  ((failed == 0 && passed > 0)) || exit 1
  exit 0
}
