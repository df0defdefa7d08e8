"""Writes testdata/kv/block_keys.json: block keys computed by the Python package xxhash.

Independent of the C++ code: it packs the bytes itself, after DESIGN.md 1.3 and kv/block_key.h.
Run from the repository root: python3 tools/make_block_key_goldens.py
"""

import json
import struct
from pathlib import Path

import xxhash

SEED = 1337


def scope_key(salt, lora):
    if not salt and not lora:
        return None
    lora_bytes = lora.encode()
    return xxhash.xxh3_64_intdigest(
        struct.pack("<I", len(lora_bytes)) + lora_bytes + salt.encode(), SEED
    )


def block_keys(tokens, block_tokens, parent):
    keys = []
    for first in range(0, len(tokens) - block_tokens + 1, block_tokens):
        block = tokens[first : first + block_tokens]
        local = xxhash.xxh3_64_intdigest(struct.pack(f"<{block_tokens}I", *block), SEED)
        if parent is not None:
            local = xxhash.xxh3_64_intdigest(struct.pack("<QQ", parent, local), SEED)
        parent = local
        keys.append(f"{parent:016x}")
    return keys


def case(tokens, block_tokens=16, salt="", lora=""):
    root = scope_key(salt, lora)
    return {
        "salt": salt,
        "lora": lora,
        "block_tokens": block_tokens,
        "tokens": tokens,
        "scope_key": None if root is None else f"{root:016x}",
        "keys": block_keys(tokens, block_tokens, root),
    }


counting = list(range(100))
wide = [(i * 2654435761) % 2**32 for i in range(70)]
cases = [
    case([]),
    case(counting[:15]),
    case(counting[:16]),
    case(counting),
    case([0] * 48),
    case(wide),
    case(wide, block_tokens=64),
    case(counting[:33], block_tokens=1),
    case(counting, salt="tenant-7"),
    case(counting, lora="sql-adapter"),
    case(counting, salt="c", lora="ab"),
    case(counting, salt="bc", lora="a"),
    case(counting[:32], salt="s" * 300, lora="año"),
]
lines = ",\n".join(json.dumps(c, ensure_ascii=False) for c in cases)
Path("testdata/kv/block_keys.json").write_text(f"[\n{lines}\n]\n", encoding="utf-8")
