#!/usr/bin/env python3
"""Makes testdata/quants: random blocks of every weight type and what the PyPI package `gguf` reads in them.

    pip install gguf==0.19.0 && tools/make_quant_goldens.py testdata/quants

TYPE.blocks holds raw blocks as a file stores them, TYPE.f32 their values as little-endian floats.
Any bytes are a valid block, but a random f16 scale may be infinite or NaN: scales are drawn as normal
and subnormal numbers of both signs instead.
"""

import sys
from pathlib import Path

import numpy as np
from gguf import GGMLQuantizationType as Type
from gguf.constants import GGML_QUANT_SIZES
from gguf.quants import dequantize

# Byte offsets of the f16 fields in a block. Source: block layouts of the GGUF specification.
F16_FIELDS = {
    Type.Q4_0: [0],
    Type.Q4_1: [0, 2],
    Type.Q5_0: [0],
    Type.Q5_1: [0, 2],
    Type.Q8_0: [0],
    Type.Q2_K: [80, 82],
    Type.Q3_K: [108],
    Type.Q4_K: [0, 2],
    Type.Q5_K: [0, 2],
    Type.Q6_K: [208],
}
VALUES = 1024


def random_scales(rng, count):
    """f16 numbers from subnormal to 8, both signs, as bits."""
    exponents = rng.integers(0, 19, count)
    mantissas = rng.integers(0, 1024, count)
    signs = rng.integers(0, 2, count)
    return (signs << 15 | exponents << 10 | mantissas).astype("<u2")


def random_blocks(rng, kind):
    cols, size = GGML_QUANT_SIZES[kind]
    blocks = rng.integers(0, 256, (VALUES // cols, size), dtype=np.uint8)
    for offset in F16_FIELDS[kind]:
        blocks[:, offset : offset + 2] = random_scales(rng, len(blocks)).view(np.uint8).reshape(-1, 2)
    return blocks


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(20250607)
    for kind in F16_FIELDS:
        blocks = random_blocks(rng, kind)
        name = kind.name.lower()
        (folder / f"{name}.blocks").write_bytes(blocks.tobytes())
        (folder / f"{name}.f32").write_bytes(dequantize(blocks, kind).astype("<f4").tobytes())


if __name__ == "__main__":
    main()
