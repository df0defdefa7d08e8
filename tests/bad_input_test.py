#!/usr/bin/env python3
"""What no client should send and no upstream should say, in each dialect: the same answer every time, in the
client's own shape, and the server goes on. Through `brigada gateway` before a scripted upstream of each dialect and
before the engine, and at the engine itself.

    tests/bad_input_test.py BINARY
"""
import contextlib
import http.client
import json
import os
import sys
import tempfile
import unittest

import tape_model
from scripted_model import DIALECTS, Say, Use
from scripted_upstream import Upstream
from server import CALL_SECONDS, Server, default_binary
from translation_test import PROVIDERS, SPOKEN, USAGE, Door, events, frames, is_finished, question

BINARY = default_binary()
PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="
TEXT = {"chat": "messages", "messages": "messages", "responses": "input"}


def plain(dialect, model, **more):
    """A question without tools."""
    body = question(dialect, model, "text", **more)
    del body["tools"]
    return body


def with_tools(dialect, model, tools):
    """`tools` are (name, schema)."""
    body = plain(dialect, model)
    body["tools"] = [question(dialect, model, tool=name)["tools"][0] for name, _ in tools]
    for tool, (_, schema) in zip(body["tools"], tools):
        if dialect == "chat":
            tool["function"]["parameters"] = schema
        else:
            tool["input_schema" if dialect == "messages" else "parameters"] = schema
    return body


def with_calls(dialect, model, ids, arguments='{"path": "a"}', results=None):
    """A turn in which the model has made these calls, and somebody answers those of `results`."""
    body = question(dialect, model, "text")
    results = ids if results is None else results
    if dialect == "chat":
        calls = [{"id": id_, "type": "function", "function": {"name": "read", "arguments": arguments}} for id_ in ids]
        said = [{"role": "assistant", "content": None, "tool_calls": calls}] if ids else []
        said += [{"role": "tool", "tool_call_id": id_, "content": "31"} for id_ in results]
    elif dialect == "messages":
        try:
            parsed = json.loads(arguments)
        except ValueError:
            parsed = {"text": arguments}  # there is no way to say it
        calls = [{"type": "tool_use", "id": id_, "name": "read", "input": parsed} for id_ in ids]
        said = [{"role": "assistant", "content": calls}] if ids else []
        said += [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": id_, "content": "31"}
                                              for id_ in results]}]
    else:
        body["input"] = [{"role": "user", "content": "text"}]
        said = [{"type": "function_call", "call_id": id_, "name": "read", "arguments": arguments} for id_ in ids]
        said += [{"type": "function_call_output", "call_id": id_, "output": "31"} for id_ in results]
    body[TEXT[dialect]] += said + [{"role": "user", "content": "text"}]
    return body


def with_part(dialect, model, chat, messages, responses):
    body = plain(dialect, model)
    part = {"chat": chat, "messages": messages, "responses": responses}[dialect]
    body[TEXT[dialect]] = [{"role": "user", "content": [part]}]
    return body


def with_limit(dialect, model, limit):
    name = {"chat": "max_completion_tokens", "messages": "max_tokens", "responses": "max_output_tokens"}[dialect]
    return {**plain(dialect, model), name: limit}


def nested(depth):
    """A schema of lists of lists, as text: Python's own json would not write it."""
    return '{"type":"array","items":' * depth + "{}" + "}" * depth


def with_nested(dialect, model, depth):
    body = with_tools(dialect, model, [("deep", {"type": "object", "properties": {"here": {"const": 0}}})])
    return json.dumps(body).replace('{"const": 0}', nested(depth)).encode()


def with_bytes(dialect, model, old, new):
    return json.dumps(plain(dialect, model)).encode().replace(old, new)


PICTURES = ({"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PICTURE}"}},
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PICTURE}},
            {"type": "input_image", "image_url": f"data:image/png;base64,{PICTURE}"})
SOUND = {"type": "input_audio", "input_audio": {"data": "UklGRg==", "format": "wav"}}
MEGABYTES = {"type": "object", "description": "x" * (10 << 20)}

SAME, OTHER, ENGINE = range(3)  # an upstream of the client's own API; of another one; the engine

# name: ((dialect, model) -> body, what becomes of it at SAME, OTHER, ENGINE). Words are of a 400 that says them.
CASES = {
    "nothing": (lambda d, m: b"", ["the body"] * 3),
    "no JSON": (lambda d, m: b'{"model": "' + m.encode() + b'", "messages": [', ["the body is not"] * 3),
    "no object": (lambda d, m: b'["' + m.encode() + b'"]', ["JSON object"] * 3),
    "invalid UTF-8": (lambda d, m: with_bytes(d, m, b'"text"', b'"te\xffxt"'), ["not valid UTF-8"] * 3),
    "a NUL in a text": (lambda d, m: with_bytes(d, m, b'"text"', b'"te\\u0000xt"'), [200] * 3),
    "half a surrogate pair": (lambda d, m: with_bytes(d, m, b'"text"', b'"te\\ud83dxt"'), [200] * 3),
    "2,000 tools": (lambda d, m: with_tools(d, m, [(f"tool_{i}", {"type": "object"}) for i in range(2000)]), [200] * 3),
    "a schema of 10 MB": (lambda d, m: with_tools(d, m, [("big", MEGABYTES)]), [200] * 3),
    "nested 100 deep": (lambda d, m: with_nested(d, m, 100), [200] * 3),
    "nested 100,000 deep": (lambda d, m: with_nested(d, m, 100_000), ["nested"] * 3),
    "two calls of one id": (lambda d, m: with_calls(d, m, ["c", "c"]), [200] * 3),
    "a result without a call": (lambda d, m: with_calls(d, m, [], results=["c"]), [200] * 3),
    "a call without a result": (lambda d, m: with_calls(d, m, ["c"], results=[]), [200] * 3),
    "arguments cut within an escape": (lambda d, m: with_calls(d, m, ["c"], '{"path": "a\\u00'), [200] * 3),
    "a picture": (lambda d, m: with_part(d, m, *PICTURES), [200, 200, "messages[0].content[0].type: \"image_url\""]),
    "a sound": (lambda d, m: with_part(d, m, *[SOUND] * 3), [200, "input_audio", "input_audio"]),
    "0 tokens": (lambda d, m: with_limit(d, m, 0), [200, "tokens: ", "tokens: "]),
    "-1 tokens": (lambda d, m: with_limit(d, m, -1), ["got -1"] * 3),
    "10^12 tokens": (lambda d, m: with_limit(d, m, 10**12), [200] * 3),
    "half a token": (lambda d, m: with_limit(d, m, 0.5), ["got 0.5"] * 3),
    "a hundred stop sequences": (lambda d, m: {**plain(d, m), STOP[d]: ["x"] * 100}, [200, 200, "stop: 100 strings"]),
}
# Responses have none: there it is a field that nobody knows.
STOP = {"chat": "stop", "messages": "stop_sequences", "responses": "stop"}


class CutUse(Use):
    """A call whose arguments end in the middle of an escape."""
    text = '{"path": "a\\u00'


def with_event(texts, event):
    """`event` in the middle, and no end."""
    return texts[:len(texts) // 2] + [event]


def without_end(texts):
    half = texts[len(texts) // 2]
    return with_event(texts, half[:len(half) // 2])


# What an upstream may send as a stream: of the events of an answer, what it says of them instead.
FAULTS = {
    "nothing": lambda texts: [],
    "half an event": without_end,
    "an event that is no JSON": lambda texts: with_event(texts, 'data: {"id": \n\n'),
    "an event that is no object": lambda texts: with_event(texts, "data: [1, 2]\n\n"),
    "bytes of no text": lambda texts: with_event(texts, b'data: {"a\xff\xfe": "\xc3"}\n\n'),
    "no end": lambda texts: texts[:len(texts) // 2],
}


ENDS = {"chat": "[DONE]", "messages": "message_stop", "responses": "response.completed"}


def arguments(client, stream):
    """Of the call that a stream tells, piece by piece."""
    for event in events(stream):
        if client == "chat" and event != "[DONE]":
            for choice in event["choices"]:
                for call in choice["delta"].get("tool_calls") or []:
                    yield call["function"]["arguments"]
        elif client == "messages" and event["type"] == "content_block_delta":
            yield event["delta"]["partial_json"]
        elif client == "responses" and event["type"] == "response.function_call_arguments.delta":
            yield event["delta"]


class Everywhere(unittest.TestCase):
    """A gateway before an upstream of each API and before the engine."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.upstreams = {}
        for spoken in SPOKEN:
            cls.upstreams[spoken] = Upstream()
            cls.addClassCleanup(cls.upstreams[spoken].stop)
        model = os.path.join(cls.folder.name, "tape")
        os.mkdir(model)
        tape_model.write(model)
        cls.engine = Server(BINARY, model, "--name", "tape").__enter__()
        cls.addClassCleanup(cls.engine.kill)
        cls.door = BeforeAll(BINARY, cls.folder.name, cls.upstreams, cls.engine.port)
        cls.addClassCleanup(cls.door.kill)
        cls.key = cls.door.new_key(key_alias="red")

    def setUp(self):
        for spoken, upstream in self.upstreams.items():
            dialect = DIALECTS[spoken]
            upstream.behave = lambda exchange, dialect=dialect: exchange.answer(
                200, dialect.answer(exchange.body, Say("ok"), USAGE))

    def ask(self, target, client, body):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        path = DIALECTS[client].path
        if target == "engine":
            return self.engine.post(path, data)
        status, _, answer = self.door.call(path, data, self.key, method="POST")
        return status, answer

    def check_error(self, client, answer, words):
        error = answer["error"]
        self.assertIn(words, error["message"])
        self.assertEqual(error["type"], "invalid_request_error")
        self.assertEqual(answer.get("type"), "error" if client == "messages" else None)

    def targets(self):
        for client in SPOKEN:
            for target in (*SPOKEN, "tape", "engine"):
                yield client, target, ENGINE if target in ("tape", "engine") else SAME if client == target else OTHER


class Requests(Everywhere):
    def test_each_has_its_answer(self):
        for name, (make, becomes) in CASES.items():
            for client, target, kind in self.targets():
                with self.subTest(case=name, client=client, at=target):
                    body = make(client, "tape" if target == "engine" else f"at-{target}")
                    status, answer = self.ask(target, client, body)
                    expected = becomes[kind]
                    if name == "a hundred stop sequences" and client == "responses":
                        expected = 200
                    if isinstance(expected, int):
                        self.assertEqual(status, expected, answer)
                    else:
                        self.assertEqual(status, 400, answer)
                        self.check_error(client, answer, expected)

    def test_a_tool_of_the_provider_is_named(self):
        """Between APIs it is dropped by its name; at the engine's own API, which has no other way, it is refused."""
        body = question("chat", "tape", "text")
        body["tools"].append({"type": "web_search_preview"})
        for target, model in (("engine", "tape"), ("tape", "at-tape")):
            status, answer = self.ask(target, "chat", {**body, "model": model})
            self.assertEqual(status, 400)
            self.check_error("chat", answer, 'tools[1].type: "web_search_preview" tools are run by a provider')
        for client, tool in (("messages", {"type": "web_search_20250305", "name": "web_search"}),
                             ("responses", {"type": "web_search"})):
            body = question(client, "at-chat", "text")
            body["tools"].append(tool)
            status, headers, _ = self.door.call(DIALECTS[client].path, body, self.key)
            self.assertEqual((status, headers["x-brigada-dropped"]), (200, "tools.web_search"))


class Streams(Everywhere):
    def let_stream(self, spoken, step, change=lambda texts: texts):
        def behave(exchange):
            exchange.begin_stream()
            for text in change(frames(DIALECTS[spoken], exchange.body, step)):
                exchange.write(text)
            exchange.end_stream()

        self.upstreams[spoken].behave = behave

    def pairs(self):
        for client in SPOKEN:
            for spoken in SPOKEN:
                yield client, spoken

    def read(self, client, spoken, body):
        """Status and text of a streamed answer; what is no UTF-8 in it shows as U+FFFD."""
        connection = http.client.HTTPConnection("127.0.0.1", self.door.port, timeout=CALL_SECONDS)
        with contextlib.closing(connection):
            connection.request("POST", DIALECTS[client].path, json.dumps({**body, "stream": True}),
                               {"Content-Type": "application/json", "Authorization": f"Bearer {self.key}"})
            response = connection.getresponse()
            return response.status, response.read().decode(errors="replace")

    def test_a_fault_is_an_error_and_never_an_end(self):
        for name, change in FAULTS.items():
            for client, spoken in self.pairs():
                with self.subTest(fault=name, client=client, upstream=spoken):
                    self.let_stream(spoken, Say("one two three"), change)
                    status, text = self.read(client, spoken, plain(client, f"at-{spoken}"))
                    if status == 200:  # something had been said
                        self.assertIn("broke off", text.rstrip().rsplit("data: ", 1)[-1])
                        self.assertNotIn(ENDS[client], text)
                    else:
                        self.assertEqual(status, 502)
                        self.assertRegex(json.loads(text)["error"]["message"], "proper end|no JSON object")

    def test_arguments_that_end_within_an_escape_are_passed_on_as_they_are(self):
        for client, spoken in self.pairs():
            with self.subTest(client=client, upstream=spoken):
                self.let_stream(spoken, CutUse("read", {"path": "a"}))
                stream = self.door.stream(DIALECTS[client].path, question(client, f"at-{spoken}"), self.key)
                self.assertTrue(is_finished(client, stream), stream)
                self.assertEqual("".join(arguments(client, stream)), CutUse.text)


class BeforeAll(Door):
    def __init__(self, binary, folder, upstreams, engine_port):
        self.engine_port = engine_port
        super().__init__(binary, folder, upstreams)

    def yaml(self, upstreams):
        return Door.yaml(upstreams) + f"""- model_name: at-tape
  litellm_params: {{model: hosted_vllm/tape, api_base: 'http://127.0.0.1:{self.engine_port}/v1', api_key: none}}
router_settings: {{allowed_fails: 1000000}}
"""


if __name__ == "__main__":
    if len(sys.argv) > 1 and os.access(sys.argv[1], os.X_OK):
        BINARY = sys.argv.pop(1)
    unittest.main(verbosity=2)
