#!/usr/bin/env python3
"""Makes the seeds of fuzz_gguf and fuzz_safetensors: tools/make_model_fuzz_seeds.py testdata/fuzz

Whole small files of every kind of value and tensor, a complete tiny llama, and files with one thing wrong
each. What a fuzzer finds later stands beside them under the name libFuzzer gives.
"""

import json
import struct
import sys
from pathlib import Path

NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "B", 10: "Q", 11: "q", 12: "d"}
STRING, ARRAY, U32, F32 = 8, 9, 4, 6
# ggml's number of each type that is read: (numbers, bytes) per block
BLOCKS = {0: (1, 4), 1: (1, 2), 30: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34),
          10: (256, 84), 11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210)}


def text(s):
    raw = s.encode()
    return struct.pack("<Q", len(raw)) + raw


def value(kind, v):
    if kind == STRING:
        return text(v)
    if kind == ARRAY:
        element, items = v
        return struct.pack("<IQ", element, len(items)) + b"".join(value(element, i) for i in items)
    return struct.pack("<" + NUMBERS[kind], v)


def gguf(entries=(), tensors=(), version=3, alignment=32, magic=b"GGUF"):
    """entries: (key, kind, value); tensors: (name, dimensions fastest first, type)."""
    head = magic + struct.pack("<IQQ", version, len(tensors), len(entries))
    for key, kind, v in entries:
        head += text(key) + struct.pack("<I", kind) + value(kind, v)
    data = b""
    for name, dimensions, kind in tensors:
        head += text(name) + struct.pack("<I", len(dimensions))
        head += b"".join(struct.pack("<Q", d) for d in dimensions) + struct.pack("<IQ", kind, len(data))
        numbers, size = BLOCKS[kind]
        count = 1
        for d in dimensions:
            count *= d
        data += bytes(i * 37 % 251 for i in range(count // numbers * size))
        data += bytes(-len(data) % alignment)
    return head + bytes(-len(head) % alignment) + data


def llama_entries(architecture="llama", **more):
    keys = {"context_length": 64, "embedding_length": 8, "block_count": 1, "feed_forward_length": 16,
            "attention.head_count": 2, "attention.head_count_kv": 1} | more
    out = [("general.architecture", STRING, architecture), ("general.name", STRING, "seed")]
    out += [(f"{architecture}.{k}", U32, v) for k, v in keys.items()]
    return out + [(f"{architecture}.attention.layer_norm_rms_epsilon", F32, 1e-5)]


LLAMA_TENSORS = [
    ("token_embd.weight", [8, 4], 0), ("output_norm.weight", [8], 0),
    ("blk.0.attn_norm.weight", [8], 0), ("blk.0.attn_q.weight", [8, 8], 0), ("blk.0.attn_k.weight", [8, 4], 0),
    ("blk.0.attn_v.weight", [8, 4], 0), ("blk.0.attn_output.weight", [8, 8], 0), ("blk.0.ffn_norm.weight", [8], 0),
    ("blk.0.ffn_gate.weight", [8, 16], 1), ("blk.0.ffn_up.weight", [8, 16], 30), ("blk.0.ffn_down.weight", [16, 8], 0)]
SPM = [("tokenizer.ggml.model", STRING, "llama"),
       ("tokenizer.ggml.tokens", ARRAY, (STRING, ["<unk>", "<s>", "</s>", "a"])),
       ("tokenizer.ggml.scores", ARRAY, (F32, [0, 0, 0, -1])),
       ("tokenizer.ggml.token_type", ARRAY, (5, [2, 3, 3, 1])),
       ("tokenizer.ggml.eos_token_id", U32, 2)]
BPE = [("tokenizer.ggml.model", STRING, "gpt2"), ("tokenizer.ggml.pre", STRING, "qwen2"),
       ("tokenizer.ggml.tokens", ARRAY, (STRING, ["a", "b", "ab", "<|im_end|>"])),
       ("tokenizer.ggml.merges", ARRAY, (STRING, ["a b"])),
       ("tokenizer.ggml.token_type", ARRAY, (5, [1, 1, 1, 3])),
       ("tokenizer.chat_template", STRING, "{{ messages }}"),
       ("tokenizer.chat_template.tool_use", STRING, "{{ tools }}"),
       ("tokenizer.chat_templates", ARRAY, (STRING, ["tool_use"]))]


def gguf_seeds():
    whole = gguf(llama_entries() + SPM, LLAMA_TENSORS)
    yield "llama", whole
    yield "llama-v2", gguf(llama_entries() + SPM, LLAMA_TENSORS, version=2)
    yield "qwen3-bpe", gguf(llama_entries("qwen3") + BPE, LLAMA_TENSORS + [("blk.0.attn_q_norm.weight", [4], 0)])
    yield "every-value", gguf([(f"v{k}", k, 1) for k in NUMBERS] + [("s", STRING, "text")]
                              + [(f"a{k}", ARRAY, (k, [0, 1, 1])) for k in NUMBERS])
    for kind, (numbers, _) in BLOCKS.items():
        yield f"tensor-{kind}", gguf([], [("w", [numbers, 2], kind), ("v", [numbers], kind)])
    yield "aligned-64", gguf([("general.alignment", U32, 64)], [("w", [3], 0), ("v", [3], 0)], alignment=64)
    yield "rope-freqs", gguf(llama_entries() + SPM, LLAMA_TENSORS + [("rope_freqs.weight", [2], 0)])
    yield "yarn", gguf(llama_entries() + [("llama.rope.scaling.type", STRING, "yarn"),
                                          ("llama.rope.scaling.factor", F32, 4.0)], LLAMA_TENSORS)
    yield "longrope", gguf(llama_entries() + [("llama.rope.scaling.type", STRING, "longrope")],
                           LLAMA_TENSORS + [("rope_factors_long.weight", [2], 0), ("rope_factors_short.weight", [2], 0)])
    yield "windows", gguf(llama_entries(**{"attention.sliding_window": 16})
                          + [("llama.attention.sliding_window_pattern", ARRAY, (7, [1]))], LLAMA_TENSORS)
    yield "windows-by-number", gguf(llama_entries(**{"attention.sliding_window": 16,
                                                     "attention.sliding_window_pattern": 2}), LLAMA_TENSORS)
    yield "experts", gguf(llama_entries(expert_count=4), LLAMA_TENSORS)
    yield "empty", b""
    yield "magic", b"GGUF"
    yield "cut", whole[: len(whole) // 2]
    yield "big-endian", b"GGUF" + struct.pack(">IQQ", 3, 0, 0)
    yield "absurd-counts", b"GGUF" + struct.pack("<IQQ", 3, 1 << 62, 1 << 62)
    yield "overflowing-shape", gguf([], [])[:24].replace(struct.pack("<Q", 0), struct.pack("<Q", 1), 1) \
        + text("w") + struct.pack("<IQQIQ", 2, 1 << 33, 1 << 33, 0, 0) + bytes(64)
    yield "nested-array", b"GGUF" + struct.pack("<IQQ", 3, 0, 1) + text("k") + struct.pack("<IIQ", ARRAY, ARRAY, 1)
    yield "key-twice", gguf([("k", U32, 1), ("k", U32, 2)])
    yield "split", gguf([("split.count", 2, 3)])


def safetensors(header, data=b""):
    raw = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(raw)) + raw + data


def entry(dtype, shape, begin, end):
    return {"dtype": dtype, "shape": shape, "data_offsets": [begin, end]}


def safetensors_seeds():
    good = {"__metadata__": {"format": "pt"}, "model.norm.weight": entry("F32", [2], 0, 8),
            "model.layers.0.self_attn.q_proj.weight": entry("BF16", [2, 1], 8, 12),
            "lm_head.weight": entry("F16", [1, 1], 12, 14), "mask": entry("U8", [2], 14, 16)}
    yield "good", safetensors(good, bytes(range(16)))
    yield "scalar", safetensors({"a": entry("F32", [], 0, 4), "b": entry("F16", [0, 7], 4, 4)}, bytes(4))
    yield "empty-header", safetensors({})
    yield "empty", b""
    yield "cut", safetensors(good)[:-20]
    yield "long-header", struct.pack("<Q", (1 << 64) - 1) + b"{}"
    yield "no-object", safetensors(b"[1, 2]")
    yield "key-twice", safetensors(b'{"a": 1, "a": 2}')
    yield "deep", safetensors(b'{"a":' + b"[" * 200 + b"]" * 200 + b"}")
    yield "overlap", safetensors({"a": entry("F16", [2], 0, 4), "b": entry("F16", [2], 2, 6)}, bytes(6))
    yield "past-the-end", safetensors({"a": entry("F16", [2], 0, 4)}, bytes(2))
    yield "overflow", safetensors({"a": entry("F32", [1 << 63, 4], 0, 4)}, bytes(4))
    yield "number-range", safetensors(b'{"a":{"dtype":"F32","shape":[1e999],"data_offsets":[0,4]}}')


def main():
    for folder, seeds in (("gguf", gguf_seeds()), ("safetensors", safetensors_seeds())):
        path = Path(sys.argv[1]) / folder
        path.mkdir(parents=True, exist_ok=True)
        for name, data in seeds:
            (path / name).write_bytes(data)


if __name__ == "__main__":
    main()
