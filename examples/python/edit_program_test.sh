#!/bin/bash
# Runs the example on a frozen file and lets mxtile read what it wrote.
set -euo pipefail
mxtile=$1 script=$2 module=$3 file=$4
export PYTHONPATH=$(dirname "$module")
out=$TEST_TMPDIR/out.mxpb

fail() {
  echo "FAIL: $*" >&2
  exit 1
}

said=$(/usr/bin/python3 "$script" "$file")
expected='IN_CORE gemm(a, a_scale, b, b_scale, c)
ORCHESTRATION main(a, a_scale, b, b_scale, c)'
[[ $said == *"$expected"* ]] || fail "functions: $said"
[[ $said == *'a_scale: [128, 16] FP8E8M0 MX_A_ZZ'* ]] || fail "MX tensors: $said"
[[ $said == *'b_scale: [16, 128] FP8E8M0 MX_B_NN'* ]] || fail "MX tensors: $said"

# 512 is the length of K: twice as long in all types and in the loop.
said=$(/usr/bin/python3 "$script" "$file" "$out" 512 1024)
[[ $said == *'changed 1 constants'* ]] || fail "change: $said"
"$mxtile" convert "$out" "$TEST_TMPDIR/out.py"
"$mxtile" convert "$file" "$TEST_TMPDIR/in.py"
# All that differs is the constant; comments keep theirs.
sed '/^ *#/!s/\b512\b/1024/g' "$TEST_TMPDIR/in.py" | cmp - "$TEST_TMPDIR/out.py" || fail "another difference"
cmp -s "$TEST_TMPDIR/in.py" "$TEST_TMPDIR/out.py" && fail "no difference"
# Written by Python without a change, the bytes are the same.
/usr/bin/python3 "$script" "$file" "$TEST_TMPDIR/same.mxpb" -12345 0 >/dev/null
cmp "$file" "$TEST_TMPDIR/same.mxpb" || fail "other bytes"
echo PASS
