#!/usr/bin/env python3
"""Clients of one dialect before upstreams of another, through `brigada gateway`: answers whole and
streamed, errors, answers that break, and responses that are gone on from.

    tests/translation_test.py BINARY
"""
import contextlib
import http.client
import json
import sys
import tempfile
import unittest

from gateway import MASTER, Gateway
from scripted_model import DIALECTS, Say, Use, usage_of
from scripted_upstream import Upstream
from server import CALL_SECONDS, default_binary

BINARY = default_binary()
PROVIDERS = {"messages": "anthropic", "chat": "hosted_vllm", "responses": "openai"}
SPOKEN = ("chat", "messages", "responses")
TOOL = {"type": "object", "properties": {"path": {"type": "string"}}}


class Door(Gateway):
    """Models `at-chat`, `at-messages`, `at-responses`, each at an upstream that speaks just that, and
    `anywhere`, which all three have."""

    @staticmethod
    def yaml(upstreams):
        lines = ["general_settings:", f"  master_key: {MASTER}", "model_list:"]
        for name in ("at-{}", "anywhere"):
            for spoken, upstream in upstreams.items():
                lines += [f"- model_name: {name.format(spoken)}",
                          f"  litellm_params: {{model: {PROVIDERS[spoken]}/up, api_base: '{upstream.url}',"
                          " api_key: sk-up}",
                          f"  model_info: {{supported_endpoints: [{DIALECTS[spoken].path}]}}"]
        return "\n".join(lines) + "\n"

    def stream(self, path, body, key):
        """The whole stream, as text. A connection that breaks is an error."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=CALL_SECONDS)
        with contextlib.closing(connection):
            connection.request("POST", path, json.dumps({**body, "stream": True}),
                               {"Content-Type": "application/json", "Authorization": f"Bearer {key}"})
            response = connection.getresponse()
            assert response.status == 200, response.read()
            return response.read().decode()


USAGE = usage_of(1)  # of the second step: a prompt of which half is cached


def frames(dialect, body, step):
    """A streamed answer, as an upstream writes it."""
    out = [dialect.frame(event) for event in dialect.events(body, step, USAGE)]
    return out + [dialect.last] if dialect.last else out


def question(dialect, model, text="hi", tool="read", **more):
    body = {"model": model, **more}
    if dialect == "chat":
        function = {"type": "function", "function": {"name": tool, "parameters": TOOL}}
        return {**body, "messages": [{"role": "user", "content": text}], "tools": [function]}
    if dialect == "messages":
        return {**body, "max_tokens": 100, "messages": [{"role": "user", "content": text}],
                "tools": [{"name": tool, "input_schema": TOOL}]}
    return {**body, "input": text, "tools": [{"type": "function", "name": tool, "parameters": TOOL}]}


def tool_names(body):
    return [tool.get("function", tool)["name"] for tool in body["tools"]]


SIGNATURE = "c2lnbmVkIGJ5IGFub3RoZXI="


def with_a_thought(dialect, model):
    """A second turn, with what a model thought in the first and its provider signed."""
    body = question(dialect, model)
    if dialect == "messages":
        thought = {"type": "thinking", "thinking": "Hm.", "signature": SIGNATURE}
        body["messages"] += [{"role": "assistant", "content": [thought, {"type": "text", "text": "Yes."}]},
                             {"role": "user", "content": "go on"}]
    else:
        body["input"] = [{"role": "user", "content": "hi"},
                         {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": SIGNATURE},
                         {"role": "assistant", "content": "Yes."}, {"role": "user", "content": "go on"}]
    return body


def said(dialect, answer):
    """The text and the calls [(name, arguments)] of a whole answer, and its usage (prompt, cached, output)."""
    usage = answer["usage"]
    if dialect == "chat":
        message = answer["choices"][0]["message"]
        calls = [(call["function"]["name"], json.loads(call["function"]["arguments"]))
                 for call in message.get("tool_calls") or []]
        return message["content"] or "", calls, (
            usage["prompt_tokens"], usage["prompt_tokens_details"]["cached_tokens"],
            usage["completion_tokens"])
    if dialect == "messages":
        text = "".join(block["text"] for block in answer["content"] if block["type"] == "text")
        calls = [(block["name"], block["input"]) for block in answer["content"]
                 if block["type"] == "tool_use"]
        cached = usage.get("cache_read_input_tokens", 0)
        return text, calls, (usage["input_tokens"] + cached, cached, usage["output_tokens"])
    text = "".join(part["text"] for item in answer["output"] if item["type"] == "message"
                   for part in item["content"])
    calls = [(item["name"], json.loads(item["arguments"])) for item in answer["output"]
             if item["type"] == "function_call"]
    return text, calls, (usage["input_tokens"], usage["input_tokens_details"]["cached_tokens"],
                         usage["output_tokens"])


def events(stream):
    """The data of a stream's events, parsed; [DONE] as it is."""
    out = []
    for line in stream.splitlines():
        if line.startswith("data: "):
            out.append(line[6:] if line[6:] == "[DONE]" else json.loads(line[6:]))
    return out


def is_finished(dialect, stream):
    """Whether the stream ends as a good one of this dialect does."""
    last = events(stream)[-1]
    if dialect == "chat":
        return last == "[DONE]"
    return last["type"] == {"messages": "message_stop", "responses": "response.completed"}[dialect]


class TranslationTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.upstreams = {}
        for spoken in SPOKEN:
            cls.upstreams[spoken] = Upstream()
            cls.addClassCleanup(cls.upstreams[spoken].stop)
        cls.door = Door(BINARY, cls.folder.name, cls.upstreams)
        cls.addClassCleanup(cls.door.kill)
        cls.key = cls.door.new_key(key_alias="red")

    def setUp(self):
        for upstream in self.upstreams.values():
            upstream.calls.clear()

    def let_say(self, spoken, step):
        dialect = DIALECTS[spoken]

        def behave(exchange):
            if not exchange.body.get("stream"):
                return exchange.answer(200, dialect.answer(exchange.body, step, USAGE))
            exchange.begin_stream()
            for text in frames(dialect, exchange.body, step):
                exchange.write(text)
            return exchange.end_stream()

        self.upstreams[spoken].behave = behave

    def pairs(self):
        for client in SPOKEN:
            for spoken in SPOKEN:
                with self.subTest(client=client, upstream=spoken):
                    yield client, spoken, DIALECTS[client].path, question(client, f"at-{spoken}")

    def test_whole_answers_are_the_same_in_every_dialect(self):
        for step in (Say("All is well: ñ \"quoted\" \n"), Use("read", {"path": "a b.txt"})):
            for client, spoken, path, body in self.pairs():
                self.let_say(spoken, step)
                status, headers, answer = self.door.call(path, body, self.key)
                self.assertEqual(status, 200, answer)
                text, calls, usage = said(client, answer)
                if isinstance(step, Say):
                    self.assertEqual((text, calls), (step.text, []))
                else:
                    self.assertEqual(calls, [(step.tool, step.arguments)])
                self.assertEqual(usage, (USAGE.prompt, USAGE.cached, USAGE.output))
                self.assertEqual(self.upstreams[spoken].calls[-1]["path"], DIALECTS[spoken].path)
                self.assertEqual(headers.get("x-brigada-dropped"), None)

    def test_streams_have_the_text_and_end_properly(self):
        for client, spoken, path, body in self.pairs():
            self.let_say(spoken, Say("one two three"))
            stream = self.door.stream(path, body, self.key)
            self.assertTrue(is_finished(client, stream), stream)
            text = "".join(self.deltas(client, stream))
            self.assertEqual(text, "one two three", stream)

    @staticmethod
    def deltas(dialect, stream):
        for event in events(stream):
            if dialect == "chat" and event != "[DONE]" and event["choices"]:
                yield event["choices"][0]["delta"].get("content") or ""
            elif dialect == "messages" and event["type"] == "content_block_delta":
                yield event["delta"]["text"]
            elif dialect == "responses" and event["type"] == "response.output_text.delta":
                yield event["delta"]

    def test_a_stream_that_breaks_is_never_finished(self):
        for client, spoken, path, body in self.pairs():
            dialect = DIALECTS[spoken]

            def behave(exchange, dialect=dialect):
                texts = frames(dialect, exchange.body, Say("a long story"))
                exchange.begin_stream()
                for text in texts[:len(texts) // 2 + 1]:
                    exchange.write(text)
                exchange.close_connection = True
                exchange.connection.close()

            self.upstreams[spoken].behave = behave
            stream = self.door.stream(path, body, self.key)
            self.assertFalse(is_finished(client, stream), stream)
            last = events(stream)[-1]
            self.assertIn("broke off", json.dumps(last), stream)

    def test_an_upstream_without_streams_is_streamed_to_the_client(self):
        for client, spoken, path, body in self.pairs():
            if client == spoken:
                continue  # passes as it comes
            dialect = DIALECTS[spoken]

            def behave(exchange, dialect=dialect):
                exchange.answer(200, dialect.answer(exchange.body, Say("all at once"), USAGE))

            self.upstreams[spoken].behave = behave
            stream = self.door.stream(path, body, self.key)
            self.assertTrue(is_finished(client, stream), stream)
            self.assertEqual("".join(self.deltas(client, stream)), "all at once")

    def test_a_prompt_that_is_too_long_is_said_in_the_clients_words(self):
        self.upstreams["chat"].behave = lambda exchange: exchange.answer(
            400, {"error": {"message": "This model's maximum context length is 4096 tokens. However, "
                                       "you requested 5000 tokens.", "type": "BadRequestError",
                            "code": 400}})
        status, _, answer = self.door.call("/v1/messages", question("messages", "at-chat"), self.key)
        self.assertEqual((status, answer["type"]), (400, "error"))
        self.assertEqual(answer["error"], {"type": "invalid_request_error",
                                           "message": "prompt is too long: 5000 tokens > 4096 maximum"})
        status, _, answer = self.door.call("/v1/responses", question("responses", "at-chat"), self.key)
        self.assertEqual((status, answer["error"]["code"]), (400, "context_length_exceeded"))

    def test_what_an_upstream_cannot_be_told_is_named_or_refused(self):
        self.let_say("chat", Say("ok"))
        body = question("messages", "at-chat", top_k=5, container="c")
        status, headers, _ = self.door.call("/v1/messages", body, self.key)
        self.assertEqual((status, headers["x-brigada-dropped"]), (200, "container, top_k"))
        asked = len(self.upstreams["chat"].calls)
        status, _, answer = self.door.call("/v1/messages", body, self.key,
                                           headers={"x-brigada-strict": "true"})
        self.assertEqual(status, 400)
        self.assertIn("speaks chat, which can't say container, top_k", answer["error"]["message"])
        self.assertEqual(len(self.upstreams["chat"].calls), asked)

    def test_tools_keep_their_names_whatever_the_upstream_takes(self):
        names = ["files.read/" + "x" * 80, "files:read/" + "x" * 80]
        for client, spoken, path, body in self.pairs():
            if client == spoken:
                continue  # passes as it comes
            dialect = DIALECTS[spoken]

            def behave(exchange, dialect=dialect):
                step = Use(tool_names(exchange.body)[1], {"path": "a"})
                if not exchange.body.get("stream"):
                    return exchange.answer(200, dialect.answer(exchange.body, step, USAGE))
                exchange.begin_stream()
                for text in frames(dialect, exchange.body, step):
                    exchange.write(text)
                return exchange.end_stream()

            self.upstreams[spoken].behave = behave
            body["tools"] += question(client, "", tool=names[1])["tools"]
            body["tools"][0] = question(client, "", tool=names[0])["tools"][0]
            _, _, answer = self.door.call(path, body, self.key)
            self.assertEqual(said(client, answer)[1], [(names[1], {"path": "a"})])
            asked = tool_names(self.upstreams[spoken].calls[-1]["body"])
            self.assertEqual(len(set(asked)), 2)
            for name in asked:
                self.assertRegex(name, "^[a-zA-Z0-9_-]{1,64}$")
            self.assertIn(names[1], self.door.stream(path, body, self.key))

    def test_a_thought_that_another_provider_signed_is_left_out_when_it_is_refused(self):
        refusals = {
            "messages": {"type": "error", "error": {
                "type": "invalid_request_error",
                "message": "messages.1.content.0: Invalid `signature` in `thinking` block"}},
            "responses": {"error": {
                "message": "The encrypted content could not be verified.", "param": None,
                "type": "invalid_request_error", "code": "invalid_encrypted_content"}}}
        names = {"messages": "messages.thinking", "responses": "input.reasoning"}
        for spoken, refusal in refusals.items():
            dialect = DIALECTS[spoken]

            def behave(exchange, dialect=dialect, refusal=refusal):
                if SIGNATURE in json.dumps(exchange.body):
                    return exchange.answer(400, refusal)
                return exchange.answer(200, dialect.answer(exchange.body, Say("ok"), USAGE))

            self.upstreams[spoken].behave = behave
            for client, name in names.items():
                with self.subTest(client=client, upstream=spoken):
                    self.upstreams[spoken].calls.clear()
                    body = with_a_thought(client, f"at-{spoken}")
                    status, headers, answer = self.door.call(DIALECTS[client].path, body, self.key)
                    self.assertEqual(status, 200, answer)
                    self.assertEqual(said(client, answer)[0], "ok")
                    self.assertEqual(headers["x-brigada-dropped"], name)
                    [_, again] = self.upstreams[spoken].calls
                    self.assertIn("go on", json.dumps(again["body"]))
                    status, _, answer = self.door.call(DIALECTS[client].path, body, self.key,
                                                       headers={"x-brigada-strict": "true"})
                    self.assertEqual(status, 400, answer)
                    self.assertEqual(len(self.upstreams[spoken].calls), 3)

    def test_a_call_goes_where_all_of_it_can_be_said(self):
        for spoken in SPOKEN:
            self.let_say(spoken, Say("ok"))
        strict = {"x-brigada-strict": "true"}
        for _ in range(6):
            body = question("messages", "anywhere", top_k=5, container="c")
            self.assertEqual(self.door.call("/v1/messages", body, self.key, headers=strict)[0], 200)
            body = question("chat", "anywhere", n=2)  # which only this API has
            self.assertEqual(self.door.call("/v1/chat/completions", body, self.key)[0], 200)
        self.assertEqual({spoken: len(upstream.calls) for spoken, upstream in self.upstreams.items()},
                         {"chat": 6, "messages": 6, "responses": 0})

    def test_a_wrong_field_is_named_by_its_path(self):
        body = question("messages", "at-chat")
        body["messages"][0]["content"] = [{"type": "text", "text": 7}]
        status, _, answer = self.door.call("/v1/messages", body, self.key)
        self.assertEqual((status, answer["error"]["type"]), (400, "invalid_request_error"))
        self.assertIn("messages[0].content[0].text", answer["error"]["message"])

    # --- responses that are kept ------------------------------------------------------------------

    def ask(self, text, key=None, **more):
        status, _, answer = self.door.call("/v1/responses", question("responses", "at-chat", text, **more),
                                           key or self.key)
        return status, answer

    def test_a_response_is_gone_on_from_read_again_and_deleted(self):
        self.let_say("chat", Say("Paris"))
        _, first = self.ask("capital of France?", instructions="be short")
        self.let_say("chat", Say("two million"))
        _, second = self.ask("how many people?", previous_response_id=first["id"])
        asked = self.upstreams["chat"].calls[-1]["body"]["messages"]
        self.assertEqual([(m["role"], m["content"]) for m in asked],
                         [("user", "capital of France?"), ("assistant", "Paris"),
                          ("user", "how many people?")])  # instructions are each call's own
        _, _, again = self.door.call(f"/v1/responses/{second['id']}", key=self.key)
        self.assertEqual(again, second)
        _, _, items = self.door.call(f"/v1/responses/{first['id']}/input_items", key=self.key)
        self.assertEqual([item["content"] for item in items["data"]], ["capital of France?"])
        status, _, answer = self.door.call(f"/v1/responses/{first['id']}/cancel", {}, self.key)
        self.assertEqual(status, 400, answer)
        status, _, answer = self.door.call(f"/v1/responses/{first['id']}", key=self.key, method="DELETE")
        self.assertEqual((status, answer["deleted"]), (200, True))
        status, _, _ = self.door.call(f"/v1/responses/{first['id']}", key=self.key)
        self.assertEqual(status, 404)
        status, answer = self.ask("more", previous_response_id=first["id"])
        self.assertEqual(status, 400)
        self.assertIn(f"no response '{first['id']}' is kept", answer["error"]["message"])

    def test_a_streamed_response_is_kept_and_a_private_one_is_not(self):
        self.let_say("chat", Say("streamed"))
        stream = self.door.stream("/v1/responses", question("responses", "at-chat"), self.key)
        made = events(stream)[-1]["response"]
        _, _, again = self.door.call(f"/v1/responses/{made['id']}", key=self.key)
        self.assertEqual(again, made)
        _, private = self.ask("hush", store=False)
        status, _, _ = self.door.call(f"/v1/responses/{private['id']}", key=self.key)
        self.assertEqual(status, 404)

    def test_nobody_else_sees_a_response(self):
        self.let_say("chat", Say("mine"))
        _, mine = self.ask("a secret")
        other = self.door.new_key(key_alias="blue")
        for method, path in (("GET", ""), ("DELETE", ""), ("GET", "/input_items")):
            status, _, _ = self.door.call(f"/v1/responses/{mine['id']}{path}", key=other, method=method)
            self.assertEqual(status, 404)
        status, answer = self.ask("and?", key=other, previous_response_id=mine["id"])
        self.assertEqual(status, 400, answer)
        status, _, _ = self.door.call(f"/v1/responses/{mine['id']}", key=self.key)
        self.assertEqual(status, 200)


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        BINARY = sys.argv.pop(1)
    unittest.main(verbosity=2)
