#!/usr/bin/env python3
"""Makes testdata/models/quantised: floats, and how the PyPI package `gguf` stores them.

    pip install gguf==0.19.0 && tools/make_quantise_goldens.py testdata/models/quantised

values.f32 holds 1,024 little-endian floats: normal numbers of widely different sizes per block of 32,
one block of zeros, one of one number repeated. TYPE.blocks are the same numbers, quantised.
"""

import sys
from pathlib import Path

import numpy as np
from gguf import GGMLQuantizationType as Type
from gguf.quants import quantize


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng(20260101)
    sizes = 2.0 ** rng.integers(-12, 6, (32, 1))
    values = (rng.standard_normal((32, 32)) * sizes).astype("<f4")
    values[5] = 0
    values[6] = -0.75
    (folder / "values.f32").write_bytes(values.tobytes())
    for kind in (Type.F16, Type.BF16, Type.Q4_0, Type.Q4_1, Type.Q8_0):
        stored = quantize(values.reshape(1, -1), kind)
        (folder / f"{kind.name.lower()}.blocks").write_bytes(stored.tobytes())


if __name__ == "__main__":
    main()
