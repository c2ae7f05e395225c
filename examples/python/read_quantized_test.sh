#!/bin/bash
# read_quantized_test.sh TEST.py MXTILE read_quantized.py
set -euo pipefail
exec /usr/bin/python3 -B "$1" "$2" "$(dirname "$3")"
