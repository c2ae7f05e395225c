"""Counts test cases: those in the test.xml files that a Bazel run names in its event file.

Usage: count_cases.py EVENTS.json    prints "PASSED FAILED"

A test without a readable test.xml counts as one case, by its status.
"""

import json
import sys
import urllib.parse
import urllib.request
import xml.etree.ElementTree as ElementTree


def cases(result):
    """(passed, failed) of one testResult event."""
    passed_by_status = result.get("status") in ("PASSED", "FLAKY")
    for output in result.get("testActionOutput", []):
        if output.get("name") != "test.xml" or "uri" not in output:
            continue
        path = urllib.request.url2pathname(urllib.parse.urlparse(output["uri"]).path)
        try:
            root = ElementTree.parse(path).getroot()
        except (OSError, ElementTree.ParseError):
            break
        all_cases = list(root.iter("testcase"))
        bad = sum(1 for case in all_cases
                  if case.find("failure") is not None or case.find("error") is not None)
        if not all_cases or (bad == 0 and not passed_by_status):
            break
        return len(all_cases) - bad, bad
    return (1, 0) if passed_by_status else (0, 1)


def main(path):
    passed = failed = 0
    with open(path) as events:
        for line in events:
            result = json.loads(line).get("testResult")
            if result is not None:
                good, bad = cases(result)
                passed += good
                failed += bad
    print(passed, failed)


if __name__ == "__main__":
    main(sys.argv[1])
