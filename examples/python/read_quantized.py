#!/usr/bin/python3
"""Reads a .safetensors file that `mxtile quantize` wrote, and dequantises it, with numpy alone.

  read_quantized.py IN.safetensors            lists what is in it
  read_quantized.py IN.safetensors NAME OUT.npy   writes the float32 values of one tensor

Nothing here comes from mxtile: the tables follow from the definitions of the formats, the layouts from
docs/quantize.md. The values are those of `mxtile dequantize`, bit for bit.
"""

import json
import struct
import sys

import numpy as np


def minifloat(exponent_bits, mantissa_bits, bias):
    """The value of each code of a format, without its special codes."""
    values = []
    for code in range(1 << (1 + exponent_bits + mantissa_bits)):
        mantissa = code % (1 << mantissa_bits) / (1 << mantissa_bits)
        exponent = (code >> mantissa_bits) % (1 << exponent_bits)
        sign = -1.0 if code >> (exponent_bits + mantissa_bits) else 1.0
        if exponent == 0:
            values.append(sign * mantissa * 2.0 ** (1 - bias))
        else:
            values.append(sign * (1 + mantissa) * 2.0 ** (exponent - bias))
    return np.array(values)


def e4m3():
    values = minifloat(4, 3, 7)
    values[[0x7F, 0xFF]] = np.nan
    return values


def e5m2():
    values = minifloat(5, 2, 15)
    values[0x7C], values[0xFC] = np.inf, -np.inf
    values[[0x7D, 0x7E, 0x7F, 0xFD, 0xFE, 0xFF]] = np.nan
    return values


ELEMENTS = {"mxfp8-e4m3": e4m3(), "mxfp8-e5m2": e5m2(), "mxfp4-e2m1": minifloat(2, 1, 1)}
SCALES = np.array([2.0 ** (code - 127) for code in range(255)] + [np.nan])
DTYPES = {"F8_E4M3": "u1", "F8_E5M2": "u1", "F8_E8M0": "u1", "U8": "u1", "F16": "<f2", "F32": "<f4", "F64": "<f8",
          "BF16": "<u2", "I64": "<i8", "I32": "<i4", "BOOL": "u1"}


def read_file(path):
    """The tensors by name, as stored, and the metadata."""
    with open(path, "rb") as file:
        size = struct.unpack("<Q", file.read(8))[0]
        header = json.loads(file.read(size))
        data = file.read()
    metadata = header.pop("__metadata__", {})
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        tensors[name] = np.frombuffer(data[begin:end], DTYPES[entry["dtype"]]).reshape(entry["shape"])
    return tensors, metadata


def codes_of(data, form):
    """[rows, cols], padded, of one matrix."""
    if form["data_layout"] == "nz":  # [columns / 32 bytes, rows, 32 bytes]
        data = data.transpose(1, 0, 2).reshape(data.shape[1], -1)
    if form["format"] == "mxfp4-e2m1":  # two in a byte, the even column low
        data = np.stack([data & 15, data >> 4], axis=-1).reshape(data.shape[0], -1)
    return data


def scales_of(scale, form):
    """[lines, groups], padded: the lines are rows along axis 1, columns along axis 0."""
    layout = form["scale_layout"]
    if layout == "nd":
        return scale
    if layout == "dn":
        return scale.T
    if layout in ("zz", "nn"):  # [lines / 16, groups / 2, 16, 2]
        return scale.transpose(0, 2, 1, 3).reshape(scale.shape[0] * 16, -1)
    if layout in ("mx-a-nd", "mx-b-dn"):  # [lines, groups / 2, 2]
        return scale.reshape(scale.shape[0], -1)
    if layout in ("mx-a-dn", "mx-b-nd"):  # [groups / 2, lines, 2]
        return scale.transpose(1, 0, 2).reshape(scale.shape[1], -1)
    raise ValueError("scale layout " + layout)


def matrix(data, scale, form, rows, cols):
    codes = codes_of(data, form)
    scales = SCALES[scales_of(scale, form)]
    if form["axis"] == 0:
        scales = scales.T.repeat(32, axis=0)
    else:
        scales = scales.repeat(32, axis=1)
    with np.errstate(over="ignore"):
        values = (ELEMENTS[form["format"]][codes] * scales).astype(np.float32)
    values[np.isnan(values)] = np.nan  # one NaN: 0x7FC00000
    return values[:rows, :cols]


def dequantise(tensors, metadata, name):
    form = json.loads(metadata["mxtile.tensor." + name])
    data, scale, shape = tensors[name], tensors[form["scale"]], form["shape"]
    if len(shape) == 2:
        return matrix(data, scale, form, *shape)
    return np.stack([matrix(data[i], scale[i], form, *shape[1:]) for i in range(shape[0])])


def main():
    if len(sys.argv) not in (2, 4):
        sys.exit(__doc__)
    tensors, metadata = read_file(sys.argv[1])
    if len(sys.argv) == 4:
        np.save(sys.argv[3], dequantise(tensors, metadata, sys.argv[2]))
        return
    for name, tensor in tensors.items():
        form = metadata.get("mxtile.tensor." + name, "")
        print(name, tensor.dtype, list(tensor.shape), form)


if __name__ == "__main__":
    main()
