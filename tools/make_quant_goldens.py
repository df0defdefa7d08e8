#!/usr/bin/env python3
"""Makes testdata/quants: what the PyPI package `gguf` says of weight types, and writes and reads of them.

    pip install gguf==0.19.0 && tools/make_quant_goldens.py testdata/quants

sizes.csv has the number, the block and its bytes of every type. every-type.gguf has one tensor of each type
in a file that the package wrote, every-type-0000N-of-00003.gguf the same in three, bytes.csv how many bytes
the package reads in each.
TYPE.blocks holds raw blocks as a file stores them, TYPE.f32 their values as little-endian floats.
Any bytes are a valid block, but a random f16 scale may be infinite or NaN: scales are drawn as normal
and subnormal numbers of both signs instead.
"""

import sys
from pathlib import Path

import numpy as np
from gguf import GGMLQuantizationType as Type
from gguf import GGUFReader, GGUFWriter
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
# Types of computing only: no file has tensors of them.
IN_NO_FILE = {Type.Q8_1, Type.Q8_K}
STORED = [kind for kind in GGML_QUANT_SIZES if kind not in IN_NO_FILE]


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


def write_sizes(path):
    rows = [f"{kind.name},{kind.value},{cols},{size}\n" for kind, (cols, size) in GGML_QUANT_SIZES.items() if kind in STORED]
    path.write_text("name,number,elements,bytes\n" + "".join(rows))


def write_every_type(path, **split):
    """A model of one layer; its experts and further matrices have every type there is."""
    writer = GGUFWriter(path, "gpt-oss", **split)
    writer.add_name("every type")
    writer.add_context_length(4096)
    writer.add_embedding_length(256)
    writer.add_block_count(1)
    writer.add_head_count(4)
    writer.add_head_count_kv(2)
    writer.add_key_length(8)
    writer.add_value_length(8)
    writer.add_expert_count(4)
    writer.add_expert_used_count(2)
    shapes = {
        "token_embd.weight": (16, 256),
        "blk.0.attn_k.weight": (16, 256),
        "blk.0.ffn_gate_inp.weight": (4, 256),
    }
    kinds = dict.fromkeys(shapes, Type.F32)
    for kind in STORED:
        shapes[f"blk.0.ffn_{kind.name.lower()}_exps.weight"] = (4, 2, 256)
        kinds[f"blk.0.ffn_{kind.name.lower()}_exps.weight"] = kind
    for name, shape in shapes.items():
        cols, size = GGML_QUANT_SIZES[kinds[name]]
        stored = np.zeros((*shape[:-1], shape[-1] // cols * size), dtype=np.uint8)
        writer.add_tensor(name, stored, raw_dtype=kinds[name])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def write_bytes(path, model):
    rows = [f"{t.name},{t.tensor_type.name},{t.n_elements},{t.n_bytes}\n" for t in GGUFReader(model).tensors]
    path.write_text("tensor,type,elements,bytes\n" + "".join(rows))


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    write_sizes(folder / "sizes.csv")
    write_every_type(folder / "every-type.gguf")
    write_every_type(folder / "every-type.gguf", split_max_tensors=12)
    write_bytes(folder / "bytes.csv", folder / "every-type.gguf")
    rng = np.random.default_rng(20250607)
    for kind in F16_FIELDS:
        blocks = random_blocks(rng, kind)
        name = kind.name.lower()
        (folder / f"{name}.blocks").write_bytes(blocks.tobytes())
        (folder / f"{name}.f32").write_bytes(dequantize(blocks, kind).astype("<f4").tobytes())


if __name__ == "__main__":
    main()
