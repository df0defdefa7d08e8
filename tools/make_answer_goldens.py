#!/usr/bin/env python3
"""Writes testdata/dialect/answers/CASE/DIALECT.{sse,json}: answers as upstreams of each dialect send
them. Every event and every whole answer is checked against the types of the official SDKs.

    python3 -m venv sdk && sdk/bin/pip install openai==3.57.0 anthropic==2.14.0
    sdk/bin/python tools/make_answer_goldens.py
"""
import json
from pathlib import Path

from anthropic.types import Message, RawMessageStreamEvent
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.responses import Response, ResponseStreamEvent
from pydantic import TypeAdapter

GOLDENS = Path(__file__).resolve().parent.parent / "testdata" / "dialect" / "answers"

WEATHER = ("call_Weather1", "get_weather", ['{"city": "', 'Málaga', '", "days', '": 3, "note": "a \\"b\\" {"}'])
TIME = ("call_Time2", "get_time", ['{"zone"', ': "Europe/', 'Madrid"}'])
TEXT = ["Héllo ", "\"wörld\"\n", "日本", " 😀 </end> \\ done."]
THOUGHT = ["The user greets.", " I should\nanswer \"kindly\"."]

# What is said, in order. A call is (id, name, pieces of its arguments).
CASES = {
    "text": {"say": [("text", TEXT)], "end": "stop"},
    "tools": {"say": [("text", TEXT[:1]), ("call", WEATHER)], "end": "tool_calls"},
    "parallel": {"say": [("call", WEATHER), ("call", TIME)], "end": "tool_calls"},
    "thinking": {"say": [("thinking", THOUGHT), ("text", TEXT)], "end": "stop"},
    "error": {"say": [("text", TEXT[:2])], "end": "error"},
    "cut": {"say": [("text", TEXT[:2])], "end": "cut"},
    "length": {"say": [("text", TEXT[:2])], "end": "length"},
    "empty": {"say": [], "end": "stop"},
    "refusal": {"say": [("refusal", ["I can't ", "help with that."])], "end": "refusal"},
}
PROMPT, CACHED, WRITTEN, OUTPUT, REASONING = 1200, 1000, 50, 40, 12
SIGNATURE = "EqQBCkYIBxgCKkA/+signature=="
CREATED = 1770000000


def chunked(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


# --- Chat Completions ---------------------------------------------------------------------------

CHAT_HEAD = {"id": "chatcmpl-Upstream1", "created": CREATED, "model": "gpt-upstream"}
CHAT_USAGE = {
    "prompt_tokens": PROMPT, "completion_tokens": OUTPUT, "total_tokens": PROMPT + OUTPUT,
    "prompt_tokens_details": {"cached_tokens": CACHED, "cache_write_tokens": WRITTEN},
    "completion_tokens_details": {"reasoning_tokens": REASONING},
}
CHAT_ENDS = {"refusal": "stop"}


def chat_chunk(choices, usage=None):
    chunk = {**CHAT_HEAD, "object": "chat.completion.chunk", "choices": choices, "usage": usage}
    ChatCompletionChunk.model_validate(chunk, strict=True)
    return chunk


def chat_delta(delta, finish=None):
    return chat_chunk([{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}])


def interleaved(calls):
    """The pieces of all calls side by side, as engines that run them together send them."""
    for index, (call_id, name, _) in enumerate(calls):
        yield {"index": index, "id": call_id, "type": "function",
               "function": {"name": name, "arguments": ""}}
    for at in range(max(len(pieces) for _, _, pieces in calls)):
        for index, (_, _, pieces) in enumerate(calls):
            if at < len(pieces):
                yield {"index": index, "function": {"arguments": pieces[at]}}


def chat_stream(case):
    yield chat_delta({"role": "assistant", "content": ""})
    fields = {"text": "content", "thinking": "reasoning_content", "refusal": "refusal"}
    for kind, pieces in case["say"]:
        if kind != "call":
            yield from (chat_delta({fields[kind]: piece}) for piece in pieces)
    calls = [said for kind, said in case["say"] if kind == "call"]
    if calls:
        yield from (chat_delta({"tool_calls": [piece]}) for piece in interleaved(calls))
    if case["end"] == "error":
        yield {"error": {"message": "The server had an error while processing your request.",
                         "type": "server_error", "param": None, "code": None}}
    elif case["end"] != "cut":
        yield chat_delta({}, CHAT_ENDS.get(case["end"], case["end"]))
        yield chat_chunk([], CHAT_USAGE)


def chat_sse(case):
    out = "".join(f"data: {chunked(chunk)}\n\n" for chunk in chat_stream(case))
    return out + ("" if case["end"] in ("error", "cut") else "data: [DONE]\n\n")


def chat_whole(case):
    joined = {kind: "".join(pieces) for kind, pieces in case["say"] if kind != "call"}
    message = {"role": "assistant", "content": joined.get("text"), "refusal": joined.get("refusal")}
    if "thinking" in joined:
        message["reasoning_content"] = joined["thinking"]
    calls = [said for kind, said in case["say"] if kind == "call"]
    if calls:
        message["tool_calls"] = [
            {"id": call_id, "type": "function",
             "function": {"name": name, "arguments": "".join(pieces)}}
            for call_id, name, pieces in calls]
    whole = {**CHAT_HEAD, "object": "chat.completion", "usage": CHAT_USAGE, "choices": [
        {"index": 0, "message": message, "logprobs": None,
         "finish_reason": CHAT_ENDS.get(case["end"], case["end"])}]}
    ChatCompletion.model_validate(whole, strict=True)
    return whole


# --- Messages -----------------------------------------------------------------------------------

MESSAGES_ENDS = {"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use",
                 "refusal": "refusal"}
MESSAGE_EVENT = TypeAdapter(RawMessageStreamEvent)


def messages_usage(output):
    return {"input_tokens": PROMPT - CACHED - WRITTEN, "cache_creation_input_tokens": WRITTEN,
            "cache_read_input_tokens": CACHED, "output_tokens": output,
            "output_tokens_details": {"thinking_tokens": REASONING}}


def message_head():
    return {"id": "msg_Upstream1", "type": "message", "role": "assistant",
            "model": "claude-upstream"}


def message_blocks(case):
    """Each block as it begins, its deltas, and as it is when whole."""
    for kind, said in case["say"]:
        if kind == "call":
            call_id, name, pieces = said
            head = {"type": "tool_use", "id": call_id, "name": name}
            deltas = [{"type": "input_json_delta", "partial_json": p} for p in ["", *pieces]]
            yield {**head, "input": {}}, deltas, {**head, "input": json.loads("".join(pieces))}
        elif kind == "thinking":
            deltas = [{"type": "thinking_delta", "thinking": p} for p in said]
            deltas.append({"type": "signature_delta", "signature": SIGNATURE})
            yield ({"type": "thinking", "thinking": "", "signature": ""}, deltas,
                   {"type": "thinking", "thinking": "".join(said), "signature": SIGNATURE})
            data = {"type": "redacted_thinking", "data": "EmwKAhgB+redacted=="}
            yield data, [], data
        else:
            deltas = [{"type": "text_delta", "text": p} for p in said]
            yield {"type": "text", "text": ""}, deltas, {"type": "text", "text": "".join(said)}


def messages_stream(case):
    start = {**message_head(), "content": [], "stop_reason": None, "stop_sequence": None,
             "usage": {**messages_usage(1)}}
    yield {"type": "message_start", "message": start}
    yield {"type": "ping"}
    for index, (begins, deltas, _) in enumerate(message_blocks(case)):
        yield {"type": "content_block_start", "index": index, "content_block": begins}
        for delta in deltas:
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        if case["end"] not in ("error", "cut"):
            yield {"type": "content_block_stop", "index": index}
    if case["end"] == "error":
        yield {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    elif case["end"] != "cut":
        yield {"type": "message_delta", "usage": messages_usage(OUTPUT),
               "delta": {"stop_reason": MESSAGES_ENDS[case["end"]], "stop_sequence": None}}
        yield {"type": "message_stop"}


def messages_sse(case):
    out = ""
    for event in messages_stream(case):
        if event["type"] not in ("ping", "error"):
            MESSAGE_EVENT.validate_python(event)
        out += f"event: {event['type']}\ndata: {chunked(event)}\n\n"
    return out


def messages_whole(case):
    whole = {**message_head(), "content": [whole for _, _, whole in message_blocks(case)],
             "stop_reason": MESSAGES_ENDS[case["end"]], "stop_sequence": None,
             "usage": messages_usage(OUTPUT)}
    Message.model_validate(whole, strict=True)
    return whole


# --- Responses ----------------------------------------------------------------------------------

RESPONSE_EVENT = TypeAdapter(ResponseStreamEvent)
RESPONSE_USAGE = {
    "input_tokens": PROMPT, "output_tokens": OUTPUT, "total_tokens": PROMPT + OUTPUT,
    "input_tokens_details": {"cached_tokens": CACHED, "cache_write_tokens": WRITTEN},
    "output_tokens_details": {"reasoning_tokens": REASONING},
}


def response(status, output, **more):
    value = {"id": "resp_Upstream1", "object": "response", "created_at": CREATED, "status": status,
             "error": None, "incomplete_details": None, "instructions": None,
             "model": "gpt-upstream", "output": output, "parallel_tool_calls": True,
             "temperature": 1.0, "tool_choice": "auto", "tools": [], "top_p": 1.0, "metadata": {},
             "usage": None, **more}
    Response.model_validate(value)
    return value


def response_items(case):
    """Each item as it begins, the events in it, and as it is when whole."""
    for number, (kind, said) in enumerate(case["say"]):
        item_id = {"text": "msg", "refusal": "msg", "thinking": "rs", "call": "fc"}[kind] + f"_u{number}"
        at = {"item_id": item_id, "output_index": number}
        if kind == "call":
            call_id, name, pieces = said
            item = {"id": item_id, "type": "function_call", "call_id": call_id, "name": name,
                    "status": "in_progress", "arguments": ""}
            whole = {**item, "status": "completed", "arguments": "".join(pieces)}
            event = "response.function_call_arguments"
            events = [{"type": f"{event}.delta", **at, "delta": p} for p in pieces]
            events.append({"type": f"{event}.done", **at, "name": name,
                           "arguments": "".join(pieces)})
        elif kind == "thinking":
            item = {"id": item_id, "type": "reasoning", "summary": []}
            whole = {**item, "encrypted_content": SIGNATURE,
                     "summary": [{"type": "summary_text", "text": p} for p in said]}
            events = []
            for index, paragraph in enumerate(said):
                here = {**at, "summary_index": index}
                part = {"type": "summary_text", "text": paragraph}
                event = "response.reasoning_summary"
                events += [
                    {"type": f"{event}_part.added", **here, "part": {**part, "text": ""}},
                    {"type": f"{event}_text.delta", **here, "delta": paragraph},
                    {"type": f"{event}_text.done", **here, "text": paragraph},
                    {"type": f"{event}_part.done", **here, "part": part}]
        else:
            field = {"text": "text", "refusal": "refusal"}[kind]
            part_type = {"text": "output_text", "refusal": "refusal"}[kind]
            extra = {"annotations": [], "logprobs": []} if kind == "text" else {}
            more = {"logprobs": []} if kind == "text" else {}
            item = {"id": item_id, "type": "message", "status": "in_progress",
                    "role": "assistant", "content": []}
            part = {"type": part_type, field: "".join(said), **extra}
            whole = {**item, "status": "completed", "content": [part]}
            here = {**at, "content_index": 0}
            event = f"response.{part_type}"
            events = [{"type": "response.content_part.added", **here, "part": {**part, field: ""}}]
            events += [{"type": f"{event}.delta", **here, "delta": p, **more} for p in said]
            events += [{"type": f"{event}.done", **here, field: "".join(said), **more},
                       {"type": "response.content_part.done", **here, "part": part}]
        yield item, events, whole


def response_end(case):
    output = [whole for _, _, whole in response_items(case)]
    if case["end"] == "length":
        output[-1]["status"] = "incomplete"
        return response("incomplete", output, usage=RESPONSE_USAGE,
                        incomplete_details={"reason": "max_output_tokens"})
    return response("completed", output, usage=RESPONSE_USAGE)


def responses_stream(case):
    yield {"type": "response.created", "response": response("in_progress", [])}
    yield {"type": "response.in_progress", "response": response("in_progress", [])}
    items = list(response_items(case))
    open_end = case["end"] in ("error", "cut")
    if all(kind == "call" for kind, _ in case["say"]):  # calls run side by side
        for number, (item, _, _) in enumerate(items):
            yield {"type": "response.output_item.added", "output_index": number, "item": item}
        for at in range(max((len(events) for _, events, _ in items), default=0)):
            yield from (events[at] for _, events, _ in items if at < len(events))
        for number, (_, _, whole) in enumerate(items):
            yield {"type": "response.output_item.done", "output_index": number, "item": whole}
    else:
        for number, (item, events, whole) in enumerate(items):
            yield {"type": "response.output_item.added", "output_index": number, "item": item}
            yield from (event for event in events if not open_end or not event["type"].endswith(".done"))
            if not open_end:
                yield {"type": "response.output_item.done", "output_index": number, "item": whole}
    if case["end"] == "error":
        yield {"type": "response.failed", "response": response(
            "failed", [], error={"code": "server_error", "message": "The model failed."})}
    elif case["end"] != "cut":
        final = response_end(case)
        yield {"type": f"response.{final['status']}", "response": final}


def responses_sse(case):
    out = ""
    for number, event in enumerate(responses_stream(case)):
        event = {"type": event["type"], "sequence_number": number, **event}
        RESPONSE_EVENT.validate_python(event)
        out += f"event: {event['type']}\ndata: {chunked(event)}\n\n"
    return out


def main():
    for name, case in CASES.items():
        folder = GOLDENS / name
        folder.mkdir(parents=True, exist_ok=True)
        for dialect, sse in (("chat", chat_sse), ("messages", messages_sse),
                             ("responses", responses_sse)):
            (folder / f"{dialect}.sse").write_text(sse(case))
        if case["end"] in ("error", "cut"):
            continue
        for dialect, whole in (("chat", chat_whole), ("messages", messages_whole),
                               ("responses", response_end)):
            (folder / f"{dialect}.json").write_text(json.dumps(whole(case), ensure_ascii=False, indent=1))


if __name__ == "__main__":
    main()
