"""Compares the rule ids of the code with docs/rules.md.

  python3 .ci/check_rules.py    prints what is wrong, exits 1 if anything is

A rule id is an area and a number: MX-OFFSET-2, A5-MEM-1, NZ-LAYOUT-3. It counts as used where it stands
in a string literal of a .h or .cc file that git knows; ids in comments are references or examples. Files
of tests do not count: *_test.*, *_test_util.*, *_benchmark.*.

Checked:
  1. each id that the code uses has a row in docs/rules.md, and each row an id that the code uses;
  2. an area belongs to one room, so that no id can be given twice. A room is a top-level folder; below
     passes/ each pass is a room of its own;
  3. each section of docs/rules.md names manuals ("Manual: `path`") that exist and that mention its ids.
"""

import collections
import pathlib
import re
import subprocess
import sys

ID = re.compile(r"\b((?:MX|A5|NZ)-[A-Z0-9]+(?:-[A-Z0-9]+)*)-([0-9]+)\b")
# A string literal, or a comment, which is skipped. Raw strings and multi-line comments hold no ids.
TOKEN = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/|\'(?:[^\'\\\n]|\\.)+\'', re.DOTALL)
TEST = re.compile(r"_(test|test_util|benchmark)\.(h|cc)$")
PAGE = "docs/rules.md"


def ids_in(text):
    return {"-".join(match) for match in ID.findall(text)}


def area_of(rule):
    return rule.rsplit("-", 1)[0]


def room_of(path):
    parts = path.split("/")
    return "/".join(parts[:2]) if parts[0] == "passes" and len(parts) > 2 else parts[0]


def used_in_code(root):
    """From id to the files with a string literal that holds it."""
    listed = subprocess.run(
        ["git", "ls-files", "--", "*.h", "*.cc"], cwd=root, check=True, stdout=subprocess.PIPE, text=True)
    used = collections.defaultdict(set)
    for path in listed.stdout.splitlines():
        if TEST.search(path):
            continue
        text = (root / path).read_text(encoding="utf-8")
        for token in TOKEN.findall(text):
            if token.startswith('"'):
                for rule in ids_in(token):
                    used[rule].add(path)
    return used


def sections_of(page):
    """Of each section: its title, its manuals, and the ids that open a row of its table."""
    sections = []
    for part in re.split(r"^## ", page, flags=re.MULTILINE)[1:]:
        manual_line = re.search(r"^Manual: (.*(?:\n.+)*)", part, re.MULTILINE)
        manuals = re.findall(r"`([^`]+)`", manual_line.group(1)) if manual_line else []
        rows = [match.group(1) for match in re.finditer(r"^\| ([A-Z0-9-]+) \|", part, re.MULTILINE)]
        sections.append((part.splitlines()[0], manuals, [row for row in rows if ID.fullmatch(row)]))
    return sections


def check(root):
    faults = []
    used = used_in_code(root)
    sections = sections_of((root / PAGE).read_text(encoding="utf-8"))
    documented = collections.Counter(rule for _, _, rules in sections for rule in rules)

    for rule in sorted(set(used) - set(documented)):
        faults.append(f"{rule} of {', '.join(sorted(used[rule]))} is not in {PAGE}")
    for rule, count in sorted(documented.items()):
        if rule not in used:
            faults.append(f"{rule} of {PAGE} is used by no code")
        if count > 1:
            faults.append(f"{rule} has {count} rows in {PAGE}")

    rooms = collections.defaultdict(set)
    for rule, paths in used.items():
        rooms[area_of(rule)].update(room_of(path) for path in paths)
    for area, owners in sorted(rooms.items()):
        if len(owners) > 1:
            faults.append(f"area {area} belongs to several rooms: {', '.join(sorted(owners))}")

    for title, manuals, rules in sections:
        if not rules:
            continue
        missing = [path for path in manuals if not (root / path).is_file()]
        faults.extend(f"section '{title}': there is no {path}" for path in missing)
        told = set()
        for path in set(manuals) - set(missing):
            told |= ids_in((root / path).read_text(encoding="utf-8"))
        for rule in rules:
            if rule not in told:
                faults.append(f"section '{title}': its manual does not mention {rule}")
    return len(used), faults


def main():
    root = pathlib.Path(__file__).resolve().parent.parent
    count, faults = check(root)
    for fault in faults:
        print(fault)
    print(f"{count} rules, {len(faults)} faults")
    return 1 if faults or count == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
