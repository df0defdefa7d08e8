"""Models that say what they are told to, for tests of what becomes of it: real files that the engine loads and
computes, in which each token has exactly one likely next one. Standard library only.

    tests/tape_model.py FOLDER      writes the tapes below: config.json, tokenizer.json, model.safetensors
                                    and chat_template.jinja

The last user message names the tape; its text is what the model answers. A token is one-hot in the hidden state,
attention and feed-forward add nothing, and the head's row of a token looks at the one before it.
"""
import array
import json
import pathlib
import re
import struct
import sys

HIDDEN = 256    # one dimension per token of all tapes together
HEADS = 8
END = 2         # </s>

CALL = '{"name": "get_weather", "arguments": {"city": "Málaga", "days": [1, 2.5, null]}}'

# What is said, and which of it are control tokens.
TAPES = {
    "text": "Just words, and a tag <tool_call that is none.",
    "hermes": f"I will look.\n<tool_call>\n{CALL}\n</tool_call>",
    "called": f"<tool_call>\n{CALL}\n</tool_call>",
    "thinking": f"<think>\nWhere is that?\n</think>\n\n<tool_call>\n{CALL}\n</tool_call>",
    "broken": '<tool_call>\n{"name": "get_weather", "arguments": {"city": Málaga}}\n</tool_call>',
    "harmony": '<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city": "Málaga"}'
               "<|call|>",
    "sum": '{"sum": "much"}',
    "mistral": '[TOOL_CALLS]get_weather[ARGS]{"city": "Málaga", "days": []}',
}
CONTROLS = ["[TOOL_CALLS]", "[ARGS]", "<|channel|>", "<|constrain|>", "<|message|>", "<|call|>"]

TEMPLATE = """\
{#- The tapes write calls as <tool_call>, and reasoning in <think> and </think>. #}
{%- for message in messages %}
{{- message.role + ': ' + (message.reasoning_content or '') + (message.content or '') }}
{%- for call in message.tool_calls or [] %}
{{- '<call ' + call.function.name + ' ' + call.function.arguments | tojson + '>' }}
{%- endfor %}
{{- '\n' }}
{%- endfor %}
{%- set asked = messages | selectattr('role', 'equalto', 'user') | list %}
{%- if add_generation_prompt %}{{ '<|tape:' + asked[-1].content + '|>' }}{% endif %}
"""


def cut(text, used):
    """`text` in pieces of which none is in `used`, and which are added to it: a token stands in one place. A control
    token is a piece of its own."""
    pieces = []
    for part in re.split("(" + "|".join(map(re.escape, CONTROLS)) + ")", text):
        while part:
            size = len(part) if part in CONTROLS else 3
            while part[:size] in used and size < len(part):
                size += 1
            piece, part = part[:size], part[size:]
            while piece in used:    # the end of a text, which has to do with the one before
                piece = pieces.pop() + piece
            pieces.append(piece)
            used.add(piece)
    return pieces


def chains():
    """For each tape the pieces it is made of, its opening token first."""
    used = set()
    return [[f"<|tape:{name}|>", *cut(text, used)] for name, text in TAPES.items()]


def tokenizer(pieces):
    """A byte-level vocabulary with the pieces as added tokens, and the id of the first."""
    tiny = pathlib.Path(__file__).resolve().parent.parent / "testdata/tokenizer-tiny/shakespeare.json"
    out = json.loads(tiny.read_text(encoding="utf-8"))
    first = len(out["model"]["vocab"])
    for number, piece in enumerate(pieces):
        is_control = piece in CONTROLS or piece.startswith("<|tape:")
        out["added_tokens"].append({"id": first + number, "content": piece, "single_word": False, "lstrip": False,
                                    "rstrip": False, "normalized": False, "special": is_control})
    return out, first


def one_hot(rows, columns, ones, value):
    out = array.array("f", bytes(4 * rows * columns))
    for row, column in ones:
        out[row * columns + column] = value
    return out


def weights(tapes, first, vocab):
    """Dimension i belongs to the i-th piece; the piece after it, or the end, looks at it."""
    embedded, looking, number = [], [], 0
    for tape in tapes:
        for place in range(len(tape)):
            embedded.append((first + number, number))
            looking.append((first + number + 1 if place + 1 < len(tape) else END, number))
            number += 1
    assert number <= HIDDEN
    size, ones = HIDDEN, array.array("f", [1.0] * HIDDEN)
    layer = "model.layers.0."
    return {
        "model.embed_tokens.weight": ((vocab, size), one_hot(vocab, size, embedded, 1.0)),
        "lm_head.weight": ((vocab, size), one_hot(vocab, size, looking, 8.0)),
        "model.norm.weight": ((size,), ones),
        layer + "input_layernorm.weight": ((size,), ones),
        layer + "post_attention_layernorm.weight": ((size,), ones),
        **{f"{layer}self_attn.{name}_proj.weight": ((size, size), one_hot(size, size, [], 0)) for name in "qkvo"},
        **{f"{layer}mlp.{name}_proj.weight": ((size, size), one_hot(size, size, [], 0))
           for name in ("gate", "up", "down")},
    }


def write_safetensors(path, tensors):
    header, at = {}, 0
    for name, (shape, values) in tensors.items():
        size = 4 * len(values)
        header[name] = {"dtype": "F32", "shape": list(shape), "data_offsets": [at, at + size]}
        at += size
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text)
        for _, values in tensors.values():
            file.write(values.tobytes())


def config(vocab):
    return {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "vocab_size": vocab, "hidden_size": HIDDEN,
            "intermediate_size": HIDDEN, "num_hidden_layers": 1, "num_attention_heads": HEADS,
            "num_key_value_heads": HEADS, "head_dim": HIDDEN // HEADS, "max_position_embeddings": 4096,
            "hidden_act": "silu", "rms_norm_eps": 1e-05, "rope_theta": 10000.0, "tie_word_embeddings": False,
            "bos_token_id": 1, "eos_token_id": END, "torch_dtype": "float32"}


def write(folder):
    folder = pathlib.Path(folder)
    tapes = chains()
    pieces = [piece for tape in tapes for piece in tape]
    words, first = tokenizer(pieces)
    vocab = first + len(pieces)
    write_safetensors(folder / "model.safetensors", weights(tapes, first, vocab))
    (folder / "config.json").write_text(json.dumps(config(vocab)), encoding="utf-8")
    (folder / "tokenizer.json").write_text(json.dumps(words), encoding="utf-8")
    (folder / "chat_template.jinja").write_text(TEMPLATE, encoding="utf-8")


if __name__ == "__main__":
    write(sys.argv[1])
