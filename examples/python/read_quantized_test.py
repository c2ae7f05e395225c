"""Holds read_quantized.py against `mxtile dequantize`, bit for bit, in all layouts.

  read_quantized_test.py MXTILE FOLDER_OF_read_quantized
"""

import itertools
import json
import os
import struct
import subprocess
import sys
import tempfile

import numpy as np

MXTILE = os.path.abspath(sys.argv[1])
sys.path.insert(0, os.path.abspath(sys.argv[2]))

import read_quantized  # noqa: E402

# The error of an element over the largest magnitude of its group: half the distance of two codes next to the largest,
# 16 / 256, 4096 / 32768, 1 / 4; or what OCP scales cut off, (512 - 448) / 512, (65536 - 57344) / 65536, (8 - 6) / 8.
BOUND = {"mxfp8-e4m3": 1 / 8, "mxfp8-e5m2": 1 / 8, "mxfp4-e2m1": 1 / 4}


def values(shape, seed):
    """Magnitudes over 12 decades, zeros of both signs, and some special values."""
    random = np.random.default_rng(seed)
    x = random.standard_normal(shape) * 10.0 ** random.integers(-6, 6, shape)
    x[random.random(shape) < 0.05] = 0.0
    x[random.random(shape) < 0.05] = -0.0
    return x.astype(np.float32)


def run(*args):
    subprocess.run([MXTILE, *args], check=True, stdout=subprocess.DEVNULL)


def write_safetensors(path, tensors):
    header, offset = {}, 0
    for name, (dtype, array) in tensors.items():
        header[name] = {"dtype": dtype, "shape": list(array.shape), "data_offsets": [offset, offset + array.nbytes]}
        offset += array.nbytes
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for _, array in tensors.values():
            file.write(array.tobytes())


def same_bits(a, b):
    assert a.dtype == b.dtype == np.float32 and a.shape == b.shape, (a.dtype, b.dtype, a.shape, b.shape)
    return np.array_equal(a.view(np.uint32), b.view(np.uint32))


def check(x, source, options, form):
    run("quantize", source, "-o", "q.safetensors", *options)
    run("dequantize", "q.safetensors", "-o", "back.npy")
    tensors, metadata = read_quantized.read_file("q.safetensors")
    name = os.path.splitext(source)[0]
    ours = read_quantized.dequantise(tensors, metadata, name)
    assert same_bits(ours, np.load("back.npy")), options
    finite = np.isfinite(x) & np.isfinite(ours)
    assert np.isfinite(x).sum() - finite.sum() <= 32 * np.isnan(x).sum(), options
    # The bound of a group, from its maximum in the source.
    axis = int(form["--axis"])
    clean = np.where(np.isfinite(x), np.abs(x), 0).astype(np.float64)
    pad = [(0, 0), (0, 0)]
    pad[axis] = (0, -x.shape[axis] % 32)
    padded = np.pad(clean, pad)
    if axis == 0:
        maxima = padded.reshape(-1, 32, x.shape[1]).max(axis=1).repeat(32, axis=0)
    else:
        maxima = padded.reshape(x.shape[0], -1, 32).max(axis=2).repeat(32, axis=1)
    maxima = maxima[:x.shape[0], :x.shape[1]]
    error = np.abs(np.where(finite, x, 0).astype(np.float64) - np.where(finite, ours, 0))
    special = ~np.isfinite(x)
    if not special.any():
        assert (error <= maxima * BOUND[form["--format"]]).all(), options
        assert (np.signbit(ours) == np.signbit(x)).all(), options


def check_layouts():
    scale_layouts = {
        ("a", "1"): ["nd", "zz", "mx-a-nd", "mx-a-dn"], ("a", "0"): ["dn", "zz", "mx-a-nd", "mx-a-dn"],
        ("b", "0"): ["dn", "nn", "mx-b-nd", "mx-b-dn"], ("b", "1"): ["nd", "nn", "mx-b-nd", "mx-b-dn"]}
    count = 0
    for i, shape in enumerate([(1, 1), (37, 129), (200, 96)]):
        x = values(shape, i)
        np.save("w.npy", x)
        for (role, axis), layouts in scale_layouts.items():
            for layout, data in itertools.product(layouts, ["nd", "nz"]):
                # Every format with every layout once, over the shapes.
                form = {"--role": role, "--axis": axis, "--scale-layout": layout, "--data-layout": data,
                        "--format": list(BOUND)[(i + count) % 3], "--scale-rule": ["ocp", "nv"][count % 2]}
                check(x, "w.npy", [part for pair in form.items() for part in pair], form)
                count += 1
    assert count == 96


def check_sources():
    form = {"--axis": "1", "--format": "mxfp8-e4m3"}
    options = [part for pair in form.items() for part in pair]
    x = values((70, 66), 7)
    x[0, 0], x[1, 40], x[2, 2] = np.nan, np.inf, -np.inf
    np.save("w.npy", x)
    check(x, "w.npy", options, form)
    reference = open("q.safetensors", "rb").read()
    np.save("w.npy", np.asfortranarray(x))
    check(x, "w.npy", options, form)
    assert open("q.safetensors", "rb").read() == reference
    np.save("w.npy", x.astype(np.float64))
    check(x, "w.npy", options, form)
    with np.errstate(over="ignore"):
        half = x.astype(np.float16)
    np.save("w.npy", half)
    check(half.astype(np.float32), "w.npy", options, form)
    bf16 = (x.view(np.uint32) >> 16).astype(np.uint16)
    np.save("w.npy", bf16)
    check((bf16.astype(np.uint32) << 16).view(np.float32), "w.npy", options + ["--npy-bf16"], form)


def check_checkpoint():
    x = values((64, 40), 3)
    stack = values((3, 33, 70), 4)
    ids = np.arange(5, dtype=np.int64)
    write_safetensors("in.safetensors", {"a.weight": ("F32", x), "ids": ("I64", ids), "e": ("F32", stack),
                                         "none": ("F32", np.zeros((0, 4), np.float32))})
    run("quantize", "in.safetensors", "-o", "q.safetensors", "--stacks", "--format", "mxfp4-e2m1",
        "--data-layout", "nz", "--scale-layout", "nn")
    run("dequantize", "q.safetensors", "-o", "back.safetensors")
    tensors, metadata = read_quantized.read_file("q.safetensors")
    back, _ = read_quantized.read_file("back.safetensors")
    assert sorted(back) == ["a.weight", "e", "ids", "none"], sorted(back)
    for name in ["a.weight", "e"]:
        assert same_bits(read_quantized.dequantise(tensors, metadata, name), back[name]), name
    assert np.array_equal(back["ids"], ids) and np.array_equal(tensors["ids"], ids)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        check_layouts()
        check_sources()
        check_checkpoint()
    print("PASS")


main()
