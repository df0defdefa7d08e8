#!/usr/bin/env python3
"""Token ids of SmolLM2's vocabulary by Hugging Face's tokenizers, as goldens for tokens_test.

    python3 -m venv env && env/bin/pip install gguf==0.19.0 tokenizers==0.23.3
    env/bin/python tools/make_smollm2_tokenizer_goldens.py SmolLM2-135M-Instruct.Q4_1.gguf \\
        testdata/tokenizer-goldens/qwen3.jsonl > testdata/tokenizer-goldens/smollm2.jsonl

The vocabulary and merges are the file's; how text is cut (each digit alone, then GPT-2's pattern) and
that there is no normaliser is what SmolLM2's own tokenizer.json says. The strings are every third of those
of the other goldens and all with special tokens.
"""
import json
import sys

from gguf import GGUFReader
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers

CONTROL, USER_DEFINED = 3, 4


def strings(field):
    return [bytes(field.parts[i]).decode() for i in field.data]


def read_tokenizer(path):
    fields = GGUFReader(path).fields
    pieces = strings(fields["tokenizer.ggml.tokens"])
    types = [int(fields["tokenizer.ggml.token_type"].parts[i][0])
             for i in fields["tokenizer.ggml.token_type"].data]
    merges = [tuple(line.split(" ")) for line in strings(fields["tokenizer.ggml.merges"])]
    tokenizer = Tokenizer(models.BPE({piece: i for i, piece in enumerate(pieces)}, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence([
        pre_tokenizers.Digits(individual_digits=True),
        pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)])
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(piece, special=True, normalized=False)
                                  for piece, kind in zip(pieces, types) if kind == CONTROL])
    assert USER_DEFINED not in types
    return tokenizer


def main():
    tokenizer = read_tokenizer(sys.argv[1])
    for line in open(sys.argv[2]):
        string = json.loads(line)
        if string["i"] % 3 and string["cat"] != "special":
            continue
        text = string["text"]
        tokenizer.encode_special_tokens = False
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        tokenizer.encode_special_tokens = True
        no_special = tokenizer.encode(text, add_special_tokens=False).ids
        golden = {"i": string["i"], "cat": string["cat"], "text": text, "ids": ids}
        if no_special != ids:
            golden["ids_no_special"] = golden["ids_no_added"] = no_special  # all added are special
        decoded = tokenizer.decode(ids, skip_special_tokens=False)
        if decoded != text:
            golden["decoded"] = decoded
        print(json.dumps(golden, ensure_ascii=False, separators=(",", ":")))


main()
