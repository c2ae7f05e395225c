"""Writes compile_commands.json for clangd and clang-tidy, from `bazel aquery`.

Usage, in the root: python3 tools/compile_commands.py [BAZEL_FLAG...]    (--config=clang suits clang tools)
"""

import json
import os
import subprocess
import sys


def bazel(*args):
    return subprocess.run(["./bazelw", *args], check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True).stdout


def main(flags):
    actions = json.loads(bazel("aquery", *flags, "--output=jsonproto", "--include_artifacts=false",
                               "mnemonic(CppCompile, //...)")).get("actions", [])
    directory = bazel("info", "execution_root").strip()
    entries = [{
        "directory": directory,
        "file": action["arguments"][action["arguments"].index("-c") + 1],
        "arguments": action["arguments"],
    } for action in actions]
    path = os.path.join(bazel("info", "workspace").strip(), "compile_commands.json")
    with open(path, "w") as out:
        json.dump(entries, out, indent=1)
    print("%s: %d entries" % (path, len(entries)))


if __name__ == "__main__":
    main(sys.argv[1:])
