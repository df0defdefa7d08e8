#!/usr/bin/env python3
"""Greedy text of SmolLM2-135M-Instruct by Hugging Face transformers, as goldens for the engine.

    python3 -m venv env && env/bin/pip install torch==2.15.0 transformers==5.24.0 gguf==0.19.0 \
        tokenizers==0.23.3 numpy==2.4.6 jinja2==3.1.6
    env/bin/python tools/make_smollm2_goldens.py SmolLM2-135M-Instruct.Q4_1.gguf > golden.jsonl

Nothing of brigada takes part: the `gguf` package reads and dequantises the file, the weights become a
float32 LlamaForCausalLM (rows of Q and K put back from GGUF's order into Hugging Face's), the
tokenizer is assembled from the file's vocabulary and merges with Hugging Face's `tokenizers`, and Jinja2
renders the chat template that the file carries. One line per prompt: see testdata/smollm2/ORIGIN.
"""
import json
import sys

import jinja2
import numpy
import tokenizers
import torch
from gguf import GGUFReader
from gguf.quants import dequantize
from transformers import LlamaConfig, LlamaForCausalLM

IM_END, END_OF_TEXT = 2, 0


def user(text):
    return [{"role": "user", "content": text}]


def system(text, question):
    return [{"role": "system", "content": text}, *user(question)]


# (messages or plain text, most tokens to generate)
PROMPTS = [
    (user("What is the capital of France?"), 32),
    (user("Explain in two sentences why the sky is blue."), 64),
    (user("Give me three ideas for a weekend in the mountains."), 64),
    (user("¿Cuál es la capital de España?"), 32),
    (user("Escribe una frase corta sobre el mar."), 48),
    (user("Traduce al inglés: «Mañana iremos al mercado con mi abuela»."), 48),
    (user("Write a Python function that returns the factorial of n."), 64),
    (user("Fix this JavaScript:\n\n```js\nconst total = items.reduce((a, b) => a + b.price);\n```"), 64),
    (system("You answer in one short sentence.", "Who wrote Don Quixote?"), 32),
    (system("Eres un asistente que responde en español.", "¿Qué es un algoritmo?"), 64),
    (system("You are a careful reviewer of shell scripts.", "Is `rm -rf \"$DIR\"/` safe if DIR is empty?"), 64),
    (user("My name is Ana.") + [{"role": "assistant", "content": "Hello Ana! How can I help you today?"}]
     + user("What is my name?"), 32),
    (user("List the numbers 17, 3 and 250 from smallest to largest."), 32),
    (user("Summarise: The quick brown fox jumps over the lazy dog. 🦊🐶"), 48),
    ("Once upon a time, in a small village by the sea,", 64),
    ("The three laws of thermodynamics are", 64),
    ("def quicksort(items):\n    \"\"\"Sort a list.\"\"\"\n", 64),
    ("#include <vector>\n\n// Returns the sum of all elements.\nint sum(const std::vector<int>& v) {\n", 48),
    ("En un lugar de la Mancha, de cuyo nombre", 48),
    ("{\"name\": \"brigada\", \"version\": \"0.1.0\", \"dependencies\": {", 48),
]


def contents(reader, key):
    return reader.fields[key].contents()


def hugging_face_name(name):
    plain = {"token_embd.weight": "model.embed_tokens.weight", "output_norm.weight": "model.norm.weight"}
    if name in plain:
        return plain[name]
    _, layer, part, _ = name.split(".")
    inside = {"attn_norm": "input_layernorm", "ffn_norm": "post_attention_layernorm",
              "attn_q": "self_attn.q_proj", "attn_k": "self_attn.k_proj", "attn_v": "self_attn.v_proj",
              "attn_output": "self_attn.o_proj", "ffn_gate": "mlp.gate_proj", "ffn_up": "mlp.up_proj",
              "ffn_down": "mlp.down_proj"}[part]
    return f"model.layers.{layer}.{inside}.weight"


def halves(rows, heads):
    """Rows of each head from (pair, member) order, as GGUF keeps Q and K of llama, to (member, pair)."""
    size, columns = rows.shape
    return rows.reshape(heads, size // heads // 2, 2, columns).swapaxes(1, 2).reshape(size, columns)


def weights(reader, heads, kv_heads):
    out = {}
    for tensor in reader.tensors:
        values = dequantize(tensor.data, tensor.tensor_type).astype(numpy.float32)
        if ".attn_q." in tensor.name:
            values = halves(values, heads)
        if ".attn_k." in tensor.name:
            values = halves(values, kv_heads)
        out[hugging_face_name(tensor.name)] = torch.from_numpy(numpy.ascontiguousarray(values))
    out["lm_head.weight"] = out["model.embed_tokens.weight"]
    return out


def load_model(reader):
    heads = contents(reader, "llama.attention.head_count")
    kv_heads = contents(reader, "llama.attention.head_count_kv")
    model = LlamaForCausalLM(LlamaConfig(
        vocab_size=contents(reader, "llama.vocab_size"),
        hidden_size=contents(reader, "llama.embedding_length"),
        intermediate_size=contents(reader, "llama.feed_forward_length"),
        num_hidden_layers=contents(reader, "llama.block_count"),
        num_attention_heads=heads, num_key_value_heads=kv_heads,
        max_position_embeddings=contents(reader, "llama.context_length"),
        rms_norm_eps=contents(reader, "llama.attention.layer_norm_rms_epsilon"),
        rope_parameters={"rope_type": "default", "rope_theta": contents(reader, "llama.rope.freq_base")},
        tie_word_embeddings=True, attention_bias=False, mlp_bias=False,
        attn_implementation="eager"))
    model.load_state_dict(weights(reader, heads, kv_heads), strict=True)
    return model.float().eval()


def load_tokenizer(reader):
    """SmolLM2's tokenizer: digits one by one, then GPT-2's byte-level BPE."""
    tokens = contents(reader, "tokenizer.ggml.tokens")
    kinds = contents(reader, "tokenizer.ggml.token_type")
    merges = [tuple(merge.split(" ")) for merge in contents(reader, "tokenizer.ggml.merges")]
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE(
        vocab={token: i for i, token in enumerate(tokens)}, merges=merges))
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Sequence([
        tokenizers.pre_tokenizers.Digits(individual_digits=True),
        tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)])
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    tokenizer.add_special_tokens([
        tokenizers.AddedToken(token, special=True, normalized=False)
        for token, kind in zip(tokens, kinds) if kind == 3])
    return tokenizer


def render(reader, messages):
    environment = jinja2.Environment(trim_blocks=True, lstrip_blocks=True)
    template = environment.from_string(contents(reader, "tokenizer.chat_template"))
    return template.render(messages=messages, add_generation_prompt=True)


@torch.no_grad()
def generate(model, ids, limit):
    """Greedy ids up to an end token or `limit`, the margins, and the five best of the first step."""
    out, margins, first = [], [], []
    step, past = torch.tensor([ids]), None
    while len(out) < limit:
        answer = model(step, past_key_values=past, use_cache=True)
        past = answer.past_key_values
        best = torch.topk(answer.logits[0, -1].float(), 5)
        first = first or [[int(i), round(float(v), 5)] for v, i in zip(best.values, best.indices)]
        token = int(best.indices[0])
        margins.append(round(float(best.values[0] - best.values[1]), 5))
        if token in (IM_END, END_OF_TEXT):
            return out, margins, first, "stop"
        out.append(token)
        step = torch.tensor([[token]])
    return out, margins, first, "length"


def main():
    torch.set_num_threads(1)
    reader = GGUFReader(sys.argv[1])
    tokenizer, model = load_tokenizer(reader), load_model(reader)
    for prompt, limit in PROMPTS:
        chat = isinstance(prompt, list)
        text = render(reader, prompt) if chat else prompt
        ids = tokenizer.encode(text, add_special_tokens=False).ids
        generated, margins, first, finish = generate(model, ids, limit)
        line = {"messages": prompt} if chat else {}
        line |= {"prompt": text, "prompt_ids": ids, "max_tokens": limit, "generated_ids": generated,
                 "text": tokenizer.decode(generated, skip_special_tokens=False), "finish": finish,
                 "margins": margins, "first_logits": first}
        print(json.dumps(line, ensure_ascii=False), flush=True)
        print(f"{len(ids)} + {len(generated)} tokens, {finish}, smallest margin {min(margins)}",
              file=sys.stderr)


if __name__ == "__main__":
    main()
