#!/usr/bin/env python3
"""Translating, constraining and predicting beside those who do it, too, in one run: LiteLLM's adapter,
llguidance and AIConfigurator, all by their Python packages. ./dev bench peers builds what it needs first; a peer that
can't be had is left out."""
import contextlib
import io
import json
import os
import random
import statistics
import subprocess
import sys
import time

import plan_peers

LITELLM = "build/python"  # tools/fetch_clients
LLGUIDANCE = "build/peers/llguidance"
TOKENIZER = os.path.expanduser("~/.cache/brigada/tokenizers/qwen3.json")


def ours(program, names):
    """The results of one of our benchmarks, by name."""
    told = subprocess.run([f"build/release/{program}", "--benchmark_format=json",
                           f"--benchmark_filter=^({'|'.join(names)})$"],
                          stdout=subprocess.PIPE, text=True, check=True).stdout
    return {result["name"]: result for result in json.loads(told)["benchmarks"]}


# --- translating ----------------------------------------------------------------------------------

def agent_body():
    """As src/dialect/dialect_bench.cc makes one: 60 tools and 60 turns in Anthropic's Messages."""
    dice = random.Random(1)

    def code(size):
        out = ""
        while len(out) < size:
            out += f'    if (value[{dice.randrange(1000)}] == "name{dice.randrange(100)}") return café;\n'
        return out

    def tool(number):
        arguments = {f"argument_{i}": {"type": "string" if i % 3 else "integer", "description": code(80)}
                     for i in range(12)}
        return {"name": f"tool_{number}", "description": code(600),
                "input_schema": {"type": "object", "properties": arguments, "required": ["argument_0"]}}

    messages = []
    for number in range(60):
        call = {"type": "tool_use", "id": f"toolu_{number}", "name": f"tool_{number}",
                "input": {"path": "/a/b.cc", "text": code(1000)}}
        result = {"type": "tool_result", "tool_use_id": f"toolu_{number}",
                  "content": [{"type": "text", "text": code(2000)}]}
        messages += [{"role": "user", "content": code(500)},
                     {"role": "assistant", "content": [
                         {"type": "thinking", "thinking": code(400), "signature": "c2ln"},
                         {"type": "text", "text": code(200)}, call]},
                     {"role": "user", "content": [result]}]
    return json.dumps({"model": "claude", "max_tokens": 32000, "stream": True, "messages": messages,
                       "system": [{"type": "text", "text": code(15000)}],
                       "tools": [tool(number) for number in range(60)]}, ensure_ascii=False)


def litellm_ms():
    """CPU of reading, translating to Chat Completions and writing; the middle of many."""
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    sys.path.insert(0, LITELLM)
    from litellm.llms.anthropic.messages.adapters.transformation import LiteLLMAnthropicMessagesAdapter
    adapter, body, took = LiteLLMAnthropicMessagesAdapter(), agent_body(), []
    with contextlib.redirect_stdout(io.StringIO()):  # it lists providers there
        for _ in range(20):
            before = time.process_time()
            json.dumps(adapter.translate_anthropic_to_openai(json.loads(body))[0])
            took.append(1e3 * (time.process_time() - before))
    return statistics.median(took), len(body.encode())


# --- constraining ---------------------------------------------------------------------------------

def catalogue():
    """As src/grammar/grammar_bench.cc has it: a call of one of 60 tools."""
    def arguments(number):
        options = {"depth": {"type": "integer"}, f"name_{number}": {"type": "string"},
                   "ratio": {"type": "number"}, "force": {"type": "boolean"}}
        return {"type": "object", "required": ["path"], "additionalProperties": False, "properties": {
            "path": {"type": "string", "description": "where"},
            "mode": {"enum": ["read", "write", "append"]},
            "limit": {"type": "integer", "minimum": 1, "maximum": 2000},
            "since": {"type": "string", "format": "date-time"},
            "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 10},
            "options": {"type": "object", "properties": options}}}

    return json.dumps({"anyOf": [
        {"type": "object", "required": ["name", "arguments"], "additionalProperties": False,
         "properties": {"name": {"const": f"tool_{number}"}, "arguments": arguments(number)}}
        for number in range(60)]})


ANSWER = ('{"name": "tool_37", "arguments": {"path": "/usr/share/doc/the quick brown fox/naïve", '
          '"mode": "append", "limit": 25, "since": "2024-02-29T10:15:00Z", "tags": ["one", "two", '
          '"drei"], "options": {"depth": 3, "name_37": "a \\"quoted\\" name\\nand more", "ratio": 0.75, '
          '"force": true}}}')


def llguidance_figures():
    """Compiling (CPU, ms), and the CPU time of each mask with its step (us), in order."""
    if not os.path.isdir(LLGUIDANCE):
        subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target",
                        LLGUIDANCE, "llguidance==1.9.1"], check=True)
    sys.path.insert(0, LLGUIDANCE)
    import llguidance
    tokenizer = llguidance.LLTokenizer(TOKENIZER)
    tokens = tokenizer.tokenize_str(ANSWER)
    before = time.process_time()
    grammar = llguidance.LLMatcher.grammar_from_json_schema(catalogue())
    llguidance.LLMatcher(tokenizer, grammar)
    compiled, took = 1e3 * (time.process_time() - before), []
    for _ in range(20):
        matcher = llguidance.LLMatcher(tokenizer, grammar)
        for token in tokens:
            start = time.thread_time()
            matcher.compute_bitmask()
            taken = matcher.consume_token(token)
            took.append(1e6 * (time.thread_time() - start))
            assert taken, matcher.get_error()
    return compiled, sorted(took)


def told(peer, measure):
    """What `measure` says; None where the peer can't be had."""
    try:
        return measure()
    except (ImportError, OSError, subprocess.CalledProcessError) as failed:
        print(f"{peer} is left out: {failed}", file=sys.stderr)
        return None


def ratio(theirs, mine):
    return f"{theirs:.1f} ({theirs / mine:.1f} x ours)"


def main():
    mine = ours("dialect_bench", ["translate/to_chat"])["translate/to_chat"]
    theirs = told("LiteLLM", litellm_ms)
    print("| Messages to Chat Completions, CPU, ms | bytes | brigada | LiteLLM |\n|---|---|---|---|")
    mine_ms = mine["cpu_time"] / 1e3
    print(f"| | {mine['bytes']:.0f}{f', {theirs[1]}' if theirs else ''} | {mine_ms:.2f} | "
          f"{ratio(theirs[0], mine_ms) if theirs else ''} |\n")

    figures = ours("grammar_bench", ["compile", "call_masks/qwen3_cold", "call_masks/qwen3_warm"])
    cold, warm = figures["call_masks/qwen3_cold"], figures["call_masks/qwen3_warm"]
    peer = told("llguidance", llguidance_figures)
    compiled, took = peer or (None, None)
    print("| one call of 60 tools, Qwen 3 | brigada, cold | warm | llguidance |\n|---|---|---|---|")
    print(f"| mask and step, us, median | {cold['median_us']:.1f} | {warm['median_us']:.2f} | "
          f"{ratio(statistics.median(took), cold['median_us']) if took else ''} |")
    print(f"| 90th percentile | {cold['p90_us']:.1f} | {warm['p90_us']:.2f} | "
          f"{ratio(took[len(took) * 9 // 10], cold['p90_us']) if took else ''} |")
    print(f"| the longest | {cold['max_us']:.0f} | {warm['max_us']:.0f} | "
          f"{ratio(took[-1], cold['max_us']) if took else ''} |")
    mine_ms = figures["compile"]["cpu_time"]
    print(f"| compiling, CPU, ms | {mine_ms:.1f} | | {ratio(compiled, mine_ms) if peer else ''} |\n")
    told("AIConfigurator", plan_peers.compare)


if __name__ == "__main__":
    main()
