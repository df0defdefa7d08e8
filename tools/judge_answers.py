#!/usr/bin/env python3
"""Reads every answer below testdata/dialect/answers with the official SDKs' stream helpers, as a
client would, and compares what they put together: the upstream's answer read in its own dialect,
with the same answer as we wrote it in each client's. Prints what differs.

    sdk/bin/python tools/judge_answers.py      # the environment of make_answer_goldens.py
"""
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import anthropic
import openai

GOLDENS = Path(__file__).resolve().parent.parent / "testdata" / "dialect" / "answers"
DIALECTS = ("chat", "messages", "responses")


class FileServer(BaseHTTPRequestHandler):
    """Answers every call with the file that the judge looks at."""
    path_now = None

    def do_POST(self):
        self.rfile.read(int(self.headers["content-length"]))
        stream = self.path_now.suffix == ".sse"
        self.send_response(200)
        self.send_header("content-type", "text/event-stream" if stream else "application/json")
        self.end_headers()
        self.wfile.write(self.path_now.read_bytes())

    def log_message(self, *_):
        pass


SERVER = ThreadingHTTPServer(("127.0.0.1", 0), FileServer)
threading.Thread(target=SERVER.serve_forever, daemon=True).start()
ADDRESS = {"api_key": "none", "base_url": f"http://127.0.0.1:{SERVER.server_port}", "max_retries": 0}
OPENAI, ANTHROPIC = openai.OpenAI(**ADDRESS), anthropic.Anthropic(**ADDRESS)


def neutral():
    return {"text": "", "thinking": "", "refusal": "", "calls": [], "seals": [], "end": None,
            "usage": None}


# --- what each SDK put together -----------------------------------------------------------------

def of_chat(completion):
    out = neutral()
    choice = completion.choices[0]
    message = choice.message
    out["text"] = message.content or ""
    out["thinking"] = getattr(message, "reasoning_content", None) or ""
    out["refusal"] = message.refusal or ""
    out["calls"] = [(call.id, call.function.name, json.loads(call.function.arguments))
                    for call in message.tool_calls or []]
    out["end"] = "refusal" if out["refusal"] and choice.finish_reason == "stop" else choice.finish_reason
    if completion.usage:
        usage = completion.usage
        out["usage"] = (usage.prompt_tokens, usage.prompt_tokens_details.cached_tokens,
                        usage.prompt_tokens_details.cache_write_tokens, usage.completion_tokens,
                        usage.completion_tokens_details.reasoning_tokens)
    return out


MESSAGES_ENDS = {"end_turn": "stop", "max_tokens": "length", "tool_use": "tool_calls",
                 "refusal": "refusal"}


def of_message(message):
    out = neutral()
    for block in message.content:
        if block.type == "text":
            out["text"] += block.text
        elif block.type == "thinking":
            out["thinking"] += block.thinking
            out["seals"] += [block.signature] if block.signature else []
        elif block.type == "redacted_thinking":
            out["seals"].append(block.data)
        else:
            out["calls"].append((block.id, block.name, block.input))
    out["end"] = MESSAGES_ENDS.get(message.stop_reason)
    usage = message.usage
    prompt = usage.input_tokens + usage.cache_read_input_tokens + usage.cache_creation_input_tokens
    details = usage.output_tokens_details
    out["usage"] = (prompt, usage.cache_read_input_tokens, usage.cache_creation_input_tokens,
                    usage.output_tokens, details and details.thinking_tokens)
    out["blocks"] = len(message.content)
    return out


RESPONSES_ENDS = {"max_output_tokens": "length", "content_filter": "content_filter"}


def of_response(response):
    out = neutral()
    for item in response.output:
        if item.type == "message":
            for part in item.content:
                out["text" if part.type == "output_text" else "refusal"] += (
                    part.text if part.type == "output_text" else part.refusal)
        elif item.type == "reasoning":
            out["thinking"] += "\n\n".join(part.text for part in item.summary)
            if item.encrypted_content:
                out["seals"].append(item.encrypted_content.removeprefix("redacted_thinking:"))
        else:
            out["calls"].append((item.call_id, item.name, json.loads(item.arguments)))
    details = response.incomplete_details
    out["end"] = (RESPONSES_ENDS[details.reason] if details else
                  "tool_calls" if out["calls"] else "refusal" if out["refusal"] else "stop")
    if response.usage:
        usage = response.usage
        out["usage"] = (usage.input_tokens, usage.input_tokens_details.cached_tokens,
                        usage.input_tokens_details.cache_write_tokens, usage.output_tokens,
                        usage.output_tokens_details.reasoning_tokens)
    return out


# --- streams and whole answers, as clients ask for them -----------------------------------------

ASK = {"model": "any", "messages": [{"role": "user", "content": "hello"}]}


def read_chat(path, heard):
    if path.suffix == ".json":
        return of_chat(OPENAI.chat.completions.create(**ASK))
    with OPENAI.chat.completions.stream(**ASK) as stream:
        for event in stream:
            if event.type == "content.delta":
                heard.append(event.delta)
        try:
            return of_chat(stream.get_final_completion())
        except (openai.LengthFinishReasonError, openai.ContentFilterFinishReasonError):
            return of_chat(stream.current_completion_snapshot)


def read_messages(path, heard):
    ask = {**ASK, "max_tokens": 100}
    if path.suffix == ".json":
        return of_message(ANTHROPIC.messages.create(**ask))
    with ANTHROPIC.messages.stream(**ask) as stream:
        check_blocks(stream, heard)
        return of_message(stream.get_final_message())


def check_blocks(stream, heard):
    """Blocks follow each other, and the message stops last."""
    open_block, types = None, []
    for event in stream:
        types.append(event.type)
        if event.type == "text":
            heard.append(event.text)
        if event.type == "content_block_start":
            assert open_block is None, "a block begins inside another"
            open_block = event.index
        elif event.type == "content_block_delta":
            assert event.index == open_block, "a delta of a block that is not open"
        elif event.type == "content_block_stop":
            assert event.index == open_block, "the end of a block that is not open"
            open_block = None
    assert types[0] == "message_start" and types.count("message_start") == 1
    if "message_stop" in types:
        assert types[-1] == "message_stop" and open_block is None


def read_responses(path, heard):
    ask = {"model": "any", "input": "hello"}
    if path.suffix == ".json":
        return of_response(OPENAI.responses.create(**ask))
    final, said = None, {}
    with OPENAI.responses.stream(**ask) as stream:
        for number, event in enumerate(stream):
            assert event.sequence_number == number, f"sequence_number {event.sequence_number} at {number}"
            follow_item(event, said)
            if event.type == "response.output_text.delta":
                heard.append(event.delta)
            if event.type in ("response.completed", "response.incomplete"):
                final = event.response
            if event.type == "response.failed":
                raise RuntimeError(f"{event.response.error.code}: {event.response.error.message}")
    if final is None:
        raise EOFError("stream closed before response.completed")
    assert [item.id for item in final.output] == [said[i] for i in range(len(final.output))]
    return of_response(final)


def follow_item(event, said):
    """The item of every event is the one that was added at its index."""
    if event.type == "response.output_item.added":
        assert event.output_index == len(said), "an item begins at the wrong index"
        said[event.output_index] = event.item.id
    elif event.type == "response.output_item.done":
        assert said[event.output_index] == event.item.id
    elif getattr(event, "item_id", None):
        assert said[event.output_index] == event.item_id


READERS = {"chat": read_chat, "messages": read_messages, "responses": read_responses}


def read(path, dialect):
    """What was put together; of what broke, how and after which text."""
    FileServer.path_now = path
    heard = []
    try:
        out = READERS[dialect](path, heard)
    except (openai.APIError, anthropic.APIError, RuntimeError):
        return f"failed after {''.join(heard)!r}"
    except EOFError:
        out = neutral()
    return f"cut after {''.join(heard)!r}" if out["end"] is None else out


# --- what a dialect cannot say ------------------------------------------------------------------

def as_told_by(target, answer, source):
    """`answer`, read from `source`, with what `target` has no words for left out."""
    if isinstance(answer, str):
        return answer
    out = {key: value for key, value in answer.items() if key != "blocks"}
    if target == "chat":
        out["seals"] = []
    if target == "messages":
        out["text"], out["refusal"] = out["text"] + out["refusal"], ""
    elif source == "messages" and out["end"] == "refusal":  # its text is ordinary text
        out["end"] = "content_filter"
    return out


def differences(case, source, target, suffix):
    ours = GOLDENS / case / f"{source}.to.{target}{suffix}"
    theirs = GOLDENS / case / f"{source}{suffix}"
    expected = as_told_by(target, read(theirs, source), source)
    answer = read(ours, target)
    found = as_told_by(target, answer, target)
    if found != expected:
        yield f"{ours.relative_to(GOLDENS)}:\n  expected {expected}\n  found    {found}"
    if not isinstance(answer, str) and answer.get("blocks") == 0:
        yield f"{ours.relative_to(GOLDENS)}: a message without a block"


def main():
    count, faults = 0, []
    for path in sorted(GOLDENS.glob("*/*.to.*")):
        source, target = path.stem.split(".to.")
        faults += differences(path.parent.name, source, target, path.suffix)
        count += 1
    print(*faults, sep="\n")
    print(f"{count} answers judged, {len(faults)} differ")
    sys.exit(1 if faults or count == 0 else 0)


if __name__ == "__main__":
    main()
