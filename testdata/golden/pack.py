#!/usr/bin/env python3
"""Packs a folder of test vectors into cases.json and vectors.bin.

    pack.py FOLDER OUT

FOLDER holds manifest.json and the files that it names, as the public CPU
simulator of PTO-ISA wrote them. vectors.bin is their contents, each one once;
in cases.json a file of a case is [offset, size] in it. Every file is held
against its digest first.
"""

import hashlib
import json
import pathlib
import sys


def pack(folder, out):
    manifest = json.loads((folder / "manifest.json").read_text())
    blob = bytearray()
    places = {}
    cases = []
    for case in manifest["cases"]:
        packed = {k: v for k, v in case.items() if k not in ("files", "sha256", "note")}
        packed["files"] = {}
        for role, name in case["files"].items():
            data = (folder / name).read_bytes()
            digest = hashlib.sha256(data).hexdigest()
            if digest != case["sha256"][role]:
                sys.exit(f"{name}: its SHA-256 is not the manifest's")
            if digest not in places:
                places[digest] = [len(blob), len(data)]
                blob += data
            packed["files"][role] = places[digest]
        cases.append(packed)
    lines = ",\n".join(json.dumps(case, separators=(",", ":")) for case in cases)
    head = json.dumps({"source": manifest["source_repo"], "commit": manifest["commit"]})
    (out / "cases.json").write_text(f'{head[:-1]}, "cases": [\n{lines}\n]}}\n')
    (out / "vectors.bin").write_bytes(blob)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    pack(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))
