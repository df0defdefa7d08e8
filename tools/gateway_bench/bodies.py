"""What the benchmark sends: a small call, and an agent's call of 400 KB with 60 tools."""
import json
import random

WORDS = ("file line return value error test build path index token cache block stream session "
         "request answer limit budget tenant route upstream replica commit branch function").split()


def text(chance, count):
    return " ".join(chance.choice(WORDS) for _ in range(count))


def tool(chance, number):
    return {"type": "function", "function": {
        "name": f"tool_{number}", "description": text(chance, 90),
        "parameters": {"type": "object", "required": ["path"], "properties": {
            name: {"type": "string", "description": text(chance, 12)}
            for name in ("path", "pattern", "old", "new", "mode")}}}}


def small(mode=None):
    """About 1 KB."""
    chance = random.Random(1)
    return body([{"role": "system", "content": text(chance, 60)},
                 {"role": "user", "content": text(chance, 70)}], None, mode)


def agent(mode=None):
    """About 400 KB: 60 tools, and 72 tool calls with their results."""
    chance = random.Random(2)
    messages = [{"role": "system", "content": text(chance, 1_500)}]
    for turn in range(72):
        arguments = json.dumps({"path": f"src/{chance.choice(WORDS)}/{turn}.cc"})
        messages.append({"role": "assistant", "content": text(chance, 40), "tool_calls": [
            {"id": f"call_{turn}", "type": "function",
             "function": {"name": f"tool_{turn % 60}", "arguments": arguments}}]})
        messages.append({"role": "tool", "tool_call_id": f"call_{turn}",
                         "content": text(chance, 560)})
    return body(messages, [tool(chance, number) for number in range(60)], mode)


def fresh_agent():
    """The same, in which `gateway_load steps` makes every part new."""
    out = json.loads(agent())
    for message in out["messages"]:
        message["content"] = "00000000 " + message["content"]
    for one in out["tools"]:
        one["function"]["description"] = "00000000 " + one["function"]["description"]
    return json.dumps(out, separators=(",", ":")).encode()


def body(messages, tools, mode):
    """`mode`: None for a whole answer, else how the mock engine streams."""
    out = {"model": "m", "max_tokens": 256, "messages": messages}
    if tools:
        out["tools"] = tools
    if mode:
        out["stream"] = True
        if mode != "burst":
            out["mock_mode"] = mode
    return json.dumps(out, separators=(",", ":")).encode()
