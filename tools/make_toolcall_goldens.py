#!/usr/bin/env python3
"""Renders calls of tools and reasoning with real chat templates by Jinja2, set up as transformers sets it up, and
writes how each model writes them: what a parser must turn back into the same calls. Needs the package jinja2.

    tools/make_toolcall_goldens.py > testdata/toolcall/goldens.json
"""
import datetime
import json
import sys
from pathlib import Path

import jinja2
from jinja2.sandbox import SandboxedEnvironment

FOLDER = Path(__file__).resolve().parent.parent / "testdata/chat-templates"

# What ends an answer of each template, and arguments that make a prompt ask for reasoning.
TEMPLATES = {
    "deepseek-v3.1": ("<｜end▁of▁sentence｜>", {}),
    "deepseek-v3.2": ("<｜end▁of▁sentence｜>", {"enable_thinking": True}),
    "deepseek-v4": ("<｜end▁of▁sentence｜>", {}),
    "devstral-small-2507": ("</s>", {}),
    "glm-4.6": ("", {}),
    "glm-4.7-flash": ("", {}),
    "glm-5.2": ("", {}),
    "gpt-oss": ("", {}),
    "granite-4.0": ("<|end_of_text|>", {}),
    "hermes-3": ("<|im_end|>", {}),
    "kimi-k2": ("<|im_end|>", {}),
    "kimi-k2-thinking": ("<|im_end|>", {}),
    "llama-3.1": ("<|eot_id|>", {}),
    "minimax-m2": ("[e~[", {}),
    "ministral-3-reasoning": ("</s>", {}),
    "mistral-nemo": ("</s>", {}),
    "mistral-small-3.2": ("</s>", {}),
    "nemotron-3-nano": ("<|im_end|>", {}),
    "qwen2.5": ("<|im_end|>", {}),
    "qwen3": ("<|im_end|>", {}),
    "qwen3-coder": ("<|im_end|>", {}),
    "qwen3.5": ("<|im_end|>", {}),
}


def tool(name, **properties):
    return {"type": "function",
            "function": {"name": name, "description": f"Does {name}.",
                         "parameters": {"type": "object", "properties": properties}}}


def of(kind, **more):
    return {"type": kind, "description": f"A {kind}", **more}


TOOLS = [
    tool("get_weather", city=of("string"), unit=of("string", enum=["celsius", "fahrenheit"])),
    tool("write_file", path=of("string"), text=of("string"), mode=of("integer"), ratio=of("number"),
         append=of("boolean"), owner=of("null"), tags=of("array", items=of("string")),
         options=of("object")),
    tool("list-dir", **{"the-path": of("string")}),
]

ASSISTANT = {
    "one-call": {"content": "", "calls": [("get_weather", {"city": "Madrid", "unit": "celsius"})]},
    "text-and-two-calls": {
        "content": "I will look up both.",
        "calls": [("get_weather", {"city": "París, «la Ville»"}), ("get_weather", {"city": "東京 🗼"})]},
    "every-type": {
        "content": "",
        "calls": [("write_file", {
            "path": "/tmp/a b.txt", "text": "if (a < b && c) {\n\treturn \"x\\n\";\n}\n", "mode": 420, "ratio": 2.5,
            "append": True, "owner": None, "tags": ["a", "b, c", "5"],
            "options": {"deep": {"er": [1, 2, {"x": None}]}, "quote": "'\""}})]},
    "strings-that-look-like-other-things": {
        "content": "",
        "calls": [("write_file", {"path": "5", "text": "{\"name\": \"get_weather\", \"arguments\": {}}"}),
                  ("get_weather", {"city": "true", "unit": "null"}),
                  ("write_file", {"path": "", "text": " x "})]},
    "names": {"content": "", "calls": [("list-dir", {"the-path": "."})]},
    "no-arguments": {"content": "Let me see.", "calls": [("list-dir", {})]},
    "reasoning-and-call": {
        "content": "", "reasoning": "First the weather.\nThen the rest: <b>?",
        "calls": [("get_weather", {"city": "Oslo"})]},
    "reasoning-and-text": {"content": "It has 2 lines.", "reasoning": "Two lines came back.", "calls": []},
    "text": {"content": "Just text with <angles> and {braces}.", "calls": []},
}


def tojson(x, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
    return json.dumps(x, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys)


def raise_exception(message):
    raise jinja2.exceptions.TemplateError(message)


def environment():
    out = SandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"])
    out.filters["tojson"] = tojson
    out.filters["from_json"] = json.loads
    out.globals["raise_exception"] = raise_exception
    out.globals["strftime_now"] = datetime.datetime(2026, 7, 1, 12).strftime
    return out


def message_of(case, name):
    message = {"role": "assistant", "content": case["content"]}
    if "reasoning" in case:
        message["reasoning_content"] = case["reasoning"]
        if name == "gpt-oss":
            message["thinking"] = case["reasoning"]
    if case["calls"]:
        message["tool_calls"] = [
            {"id": f"call0000{i}", "type": "function", "function": {"name": called, "arguments": arguments}}
            for i, (called, arguments) in enumerate(case["calls"])]
    return message


def golden(name, template, case, bos, eos):
    """What the model writes after the prompt, or None where the template cannot say it so."""
    end, extra = TEMPLATES[name]
    before = [{"role": "user", "content": "Please."}]
    # The array's schema sends hermes-3's template round in circles.
    tools = [TOOLS[0], TOOLS[2]] if name == "hermes-3" else TOOLS
    common = {"tools": tools, "bos_token": bos, "eos_token": eos, **extra}
    prompt = template.render(messages=before, add_generation_prompt=True, **common)
    try:
        whole = template.render(messages=before + [message_of(case, name)], add_generation_prompt=False, **common)
    except jinja2.exceptions.TemplateError:
        return None
    if not whole.startswith(prompt):
        return None
    calls = case["calls"][:1] if name == "gpt-oss" else case["calls"]    # its template shows one per message
    answer = whole[len(prompt):].rstrip("\n") if end else whole[len(prompt):]
    return {
        "prompt_end": prompt[-40:],
        "answer": answer.removesuffix(end),
        "content": case["content"] if case["content"] in answer else "",
        "reasoning": case.get("reasoning", "") if case.get("reasoning", "") in answer else "",
        "calls": [{"name": called, "arguments": arguments} for called, arguments in calls],
    }


def main():
    out = {"tools": TOOLS, "templates": {}}
    for name in TEMPLATES:
        tokens = json.loads((FOLDER / f"goldens/{name}.json").read_text(encoding="utf-8"))
        template = environment().from_string((FOLDER / f"templates/{name}.jinja").read_text(encoding="utf-8"))
        cases = {}
        for case_name, case in ASSISTANT.items():
            # Where a prompt opens the reasoning, an answer without any cannot follow it.
            thoughtful = {"reasoning": "Well.", **case}
            found = (golden(name, template, case, tokens["bos_token"], tokens["eos_token"])
                     or golden(name, template, thoughtful, tokens["bos_token"], tokens["eos_token"]))
            if found:
                cases[case_name] = found
        out["templates"][name] = cases
    json.dump(out, sys.stdout, ensure_ascii=False, indent=1)
    print()


if __name__ == "__main__":
    main()
