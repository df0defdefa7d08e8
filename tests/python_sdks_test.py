#!/usr/bin/env python3
"""The SDKs of PyPI through `brigada gateway`, before a model that does what the prompt says: openai,
anthropic, and litellm as a client. Streams, tools, schemas, aborts, retries, errors, counting.

    tests/python_sdks_test.py BINARY      needs tools/fetch_clients
"""
import concurrent.futures
import os
import sys
import tempfile
import threading
import unittest

import loopback

PACKAGES = os.path.abspath("build/python")
sys.path.insert(0, PACKAGES)
os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # else its import asks the network
try:
    import anthropic
    import litellm
    import openai
    import pydantic
    MISSING = ""
except ImportError as why:
    if os.environ.get("BRIGADA_REQUIRE_ASSETS"):
        raise
    raise unittest.SkipTest(f"{why}: tools/fetch_clients obtains it") from why

import up_test
from gateway import Gateway
from prompted_model import (ANSWERS, BAD, BUSY, CAPITAL, ENDLESS, HELLO, SUNNY, WEATHER,
                            PromptedModel)
from scripted_upstream import Upstream
from server import default_binary

BINARY = default_binary()
SECONDS = 30
WEATHER_FIELDS = {"type": "object", "properties": {"city": {"type": "string"}},
                  "required": ["city"]}


class Capital(pydantic.BaseModel):
    capital: str


def user(text):
    return [{"role": "user", "content": text}]


class SdkTest(unittest.TestCase):
    """A door with two models: `coder` at an upstream of OpenAI's dialects, `claude` at one of
    Anthropic's."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.upstream = Upstream()
        cls.door = Gateway(BINARY, cls.folder.name,
                           {"coder": [cls.upstream.url], "claude": [cls.upstream.url]})
        cls.url = f"http://127.0.0.1:{cls.door.port}"

    @classmethod
    def tearDownClass(cls):
        cls.door.kill()
        cls.upstream.stop()
        cls.folder.cleanup()

    def setUp(self):
        self.upstream.behave = PromptedModel()
        self.upstream.calls.clear()
        self.upstream.gone.clear()

    def after_a_refusal(self, leave, call):
        """What `call` answers, whose key has no room until `leave` has ended another call, which it
        does once `call` has been refused: the SDK waits as long as it is told, and tries again."""
        before = self.refusals()
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            answer = pool.submit(call)
            pause = threading.Event()
            while self.refusals() == before:
                self.assertFalse(answer.done(), "nobody refused it")
                pause.wait(0.02)
            leave()
            return answer.result(timeout=SECONDS)

    def refusals(self):
        return self.door.metric("brigada_refusals_total")

    def retries_of_the_last_call(self):
        return int(self.upstream.calls[-1]["headers"]["x-stainless-retry-count"])

    def assert_gone(self):
        self.assertTrue(self.upstream.gone.wait(SECONDS), "the upstream was left")


class OpenAi(SdkTest):
    def client(self, key=None, **options):
        return openai.OpenAI(base_url=f"{self.url}/v1", api_key=key or self.door.new_key(),
                             **options)

    def chat(self, text, client=None, **fields):
        return (client or self.client()).chat.completions.create(
            model="coder", messages=user(text), **fields)

    def test_models(self):
        client = self.client()
        self.assertEqual([model.id for model in client.models.list()], ["coder", "claude"])
        self.assertEqual(client.models.retrieve("coder").owned_by, "brigada")
        with self.assertRaises(openai.NotFoundError):
            client.models.retrieve("nobody")

    def test_an_answer_whole_and_in_pieces(self):
        whole = self.chat(HELLO)
        self.assertEqual(whole.choices[0].message.content, ANSWERS[HELLO])
        self.assertEqual(whole.usage.prompt_tokens, 1000)
        pieces = list(self.chat(HELLO, stream=True, stream_options={"include_usage": True}))
        text = "".join(piece.choices[0].delta.content or "" for piece in pieces if piece.choices)
        self.assertEqual(text, ANSWERS[HELLO])
        self.assertEqual(pieces[-1].usage.prompt_tokens, 1000)

    def test_tools(self):
        tools = [{"type": "function",
                  "function": {"name": "weather", "parameters": WEATHER_FIELDS}}]
        with self.client().chat.completions.stream(
                model="coder", messages=user(WEATHER), tools=tools) as stream:
            message = stream.get_final_completion().choices[0].message
        [call] = message.tool_calls
        self.assertEqual((call.function.name, call.function.arguments),
                         ("weather", '{"city": "Lima"}'))
        messages = [*user(WEATHER), message.to_dict(),
                    {"role": "tool", "tool_call_id": call.id, "content": "sunny"}]
        answer = self.client().chat.completions.create(model="coder", messages=messages,
                                                       tools=tools)
        self.assertEqual(answer.choices[0].message.content, SUNNY)
        self.assertEqual(answer.usage.prompt_tokens_details.cached_tokens, 1000)

    def test_a_schema(self):
        answer = self.client().chat.completions.parse(
            model="coder", messages=user(CAPITAL), response_format=Capital)
        self.assertEqual(answer.choices[0].message.parsed, Capital(capital="Lima"))

    def test_responses(self):
        client = self.client()
        self.assertEqual(client.responses.create(model="coder", input=HELLO).output_text,
                         ANSWERS[HELLO])
        tools = [{"type": "function", "name": "weather", "parameters": WEATHER_FIELDS}]
        with client.responses.stream(model="coder", input=user(WEATHER), tools=tools) as stream:
            [call] = stream.get_final_response().output
        self.assertEqual((call.name, call.arguments), ("weather", '{"city": "Lima"}'))
        answer = client.responses.create(
            model="coder", tools=tools,
            input=[*user(WEATHER), call.to_dict(),
                   {"type": "function_call_output", "call_id": call.call_id, "output": "sunny"}])
        self.assertEqual(answer.output_text, SUNNY)
        parsed = client.responses.parse(model="coder", input=CAPITAL, text_format=Capital)
        self.assertEqual(parsed.output_parsed, Capital(capital="Lima"))

    def test_leaving_a_stream_stops_the_upstream(self):
        stream = self.chat(ENDLESS, stream=True)
        next(stream)
        stream.close()
        self.assert_gone()

    def test_a_refusal_is_retried_when_it_says_so(self):
        client = self.client(self.door.new_key(max_parallel_requests=1), max_retries=5)
        stream = self.chat(ENDLESS, client, stream=True)
        next(stream)
        answer = self.after_a_refusal(stream.close, lambda: self.chat(HELLO, client))
        self.assertEqual(answer.choices[0].message.content, ANSWERS[HELLO])
        self.assertGreaterEqual(self.retries_of_the_last_call(), 1)

    def test_a_busy_upstream(self):
        self.assertEqual(self.chat(BUSY).choices[0].message.content, BUSY)

    def test_errors_are_the_classes_of_the_sdk(self):
        cases = [
            (openai.AuthenticationError, {"key": "sk-nobody-has-this-one"}, {}),
            (openai.NotFoundError, {}, {"model": "nobody"}),
            (openai.BadRequestError, {}, {"text": BAD}),
            (openai.RateLimitError, {"key": self.door.new_key(max_budget=1e-9)}, {}),
            (openai.PermissionDeniedError, {"key": self.door.new_key(models=["claude"])}, {}),
        ]
        for wanted, who, what in cases:
            before = self.refusals()
            with self.assertRaises(wanted) as caught:
                self.client(**who).chat.completions.create(
                    model=what.get("model", "coder"), messages=user(what.get("text", HELLO)))
            self.assertTrue(caught.exception.body["message"], wanted)
            self.assertLessEqual(self.refusals() - before, 1, f"{wanted}: waiting does not help")


class Anthropic(SdkTest):
    TOOLS = [{"name": "weather", "input_schema": WEATHER_FIELDS}]

    def client(self, key=None, **options):
        return anthropic.Anthropic(base_url=self.url, api_key=key or self.door.new_key(),
                                   **options)

    def message(self, text, client=None, **fields):
        return (client or self.client()).messages.create(
            model="claude", max_tokens=50, messages=user(text), **fields)

    def test_models(self):
        client = self.client()
        self.assertEqual([(model.id, model.display_name) for model in client.models.list()],
                         [("coder", "coder"), ("claude", "claude")])
        self.assertEqual(client.models.retrieve("claude").created_at.year, 1970)
        with self.assertRaises(anthropic.NotFoundError):
            client.models.retrieve("nobody")

    def test_counting_costs_nothing(self):
        key = self.door.new_key()
        count = self.client(key).messages.count_tokens(model="claude", messages=user(HELLO))
        self.assertEqual(count.input_tokens, 42)
        info = self.door.call("/key/info", key=key)[2]["info"]
        self.assertEqual(info["spend"], 0)

    def test_an_answer_whole_and_in_pieces(self):
        whole = self.message(HELLO)
        self.assertEqual(whole.content[0].text, ANSWERS[HELLO])
        self.assertEqual(whole.usage.input_tokens, 1000)
        with self.client().messages.stream(model="claude", max_tokens=50,
                                           messages=user(HELLO)) as stream:
            self.assertEqual("".join(stream.text_stream), ANSWERS[HELLO])
            self.assertEqual(stream.get_final_message().stop_reason, "end_turn")

    def test_tools(self):
        with self.client().messages.stream(model="claude", max_tokens=50, tools=self.TOOLS,
                                           messages=user(WEATHER)) as stream:
            message = stream.get_final_message()
        [call] = message.content
        self.assertEqual((call.name, call.input, message.stop_reason),
                         ("weather", {"city": "Lima"}, "tool_use"))
        result = {"type": "tool_result", "tool_use_id": call.id, "content": "sunny"}
        answer = self.client().messages.create(
            model="claude", max_tokens=50, tools=self.TOOLS,
            messages=[*user(WEATHER), {"role": "assistant", "content": [call.to_dict()]},
                      {"role": "user", "content": [result]}])
        self.assertEqual(answer.content[0].text, SUNNY)
        self.assertEqual(answer.usage.cache_read_input_tokens, 1000)

    def test_a_schema(self):
        answer = self.client().messages.parse(model="claude", max_tokens=50,
                                              messages=user(CAPITAL), output_format=Capital)
        self.assertEqual(answer.parsed_output, Capital(capital="Lima"))

    def test_leaving_a_stream_stops_the_upstream(self):
        stream = self.message(ENDLESS, stream=True)
        next(stream)
        stream.close()
        self.assert_gone()

    def test_a_refusal_is_retried_when_it_says_so(self):
        client = self.client(self.door.new_key(max_parallel_requests=1), max_retries=5)
        stream = self.message(ENDLESS, client, stream=True)
        next(stream)
        answer = self.after_a_refusal(stream.close, lambda: self.message(HELLO, client))
        self.assertEqual(answer.content[0].text, ANSWERS[HELLO])
        self.assertGreaterEqual(self.retries_of_the_last_call(), 1)

    def test_a_busy_upstream(self):
        self.assertEqual(self.message(BUSY).content[0].text, BUSY)

    def test_errors_are_the_classes_of_the_sdk(self):
        cases = [
            (anthropic.AuthenticationError, "authentication_error",
             {"key": "sk-nobody-has-this-one"}, {}),
            (anthropic.NotFoundError, "not_found_error", {}, {"model": "nobody"}),
            (anthropic.BadRequestError, "invalid_request_error", {}, {"text": BAD}),
            (anthropic.RateLimitError, "billing_error",
             {"key": self.door.new_key(max_budget=1e-9)}, {}),
            (anthropic.PermissionDeniedError, "permission_error",
             {"key": self.door.new_key(models=["coder"])}, {}),
        ]
        for wanted, kind, who, what in cases:
            before = self.refusals()
            with self.assertRaises(wanted) as caught:
                self.client(**who).messages.create(
                    model=what.get("model", "claude"), max_tokens=50,
                    messages=user(what.get("text", HELLO)))
            self.assertEqual(caught.exception.body["error"]["type"], kind)
            self.assertLessEqual(self.refusals() - before, 1, f"{wanted}: waiting does not help")


class LiteLlm(SdkTest):
    """litellm.completion, as programs that move to the door call it: by both of its providers."""

    DOORS = (("openai/coder", "/v1"), ("anthropic/claude", ""))

    def each(self):
        for model, path in self.DOORS:
            yield model, {"model": model, "api_base": self.url + path}

    def test_an_answer_whole_and_in_pieces(self):
        for model, door in self.each():
            with self.subTest(model):
                key = self.door.new_key()
                whole = litellm.completion(messages=user(HELLO), api_key=key, **door)
                self.assertEqual(whole.choices[0].message.content, ANSWERS[HELLO])
                self.assertEqual(whole.usage.prompt_tokens, 1000)
                pieces = litellm.completion(messages=user(HELLO), api_key=key, stream=True, **door)
                text = "".join(piece.choices[0].delta.content or "" for piece in pieces)
                self.assertEqual(text, ANSWERS[HELLO])

    def test_tools(self):
        tools = [{"type": "function",
                  "function": {"name": "weather", "parameters": WEATHER_FIELDS}}]
        for model, door in self.each():
            with self.subTest(model):
                key = self.door.new_key()
                first = litellm.completion(messages=user(WEATHER), api_key=key, tools=tools, **door)
                message = first.choices[0].message
                [call] = message.tool_calls
                self.assertEqual((call.function.name, call.function.arguments),
                                 ("weather", '{"city": "Lima"}'))
                result = {"role": "tool", "tool_call_id": call.id, "content": "sunny"}
                second = litellm.completion(messages=[*user(WEATHER), message, result],
                                            api_key=key, tools=tools, **door)
                self.assertEqual(second.choices[0].message.content, SUNNY)
                self.assertEqual(second.usage.prompt_tokens_details.cached_tokens, 1000)

    def test_errors_are_the_classes_of_the_sdk(self):
        spent = self.door.new_key(max_budget=1e-9)
        cases = [(litellm.AuthenticationError, "sk-nobody-has-this-one", HELLO),
                 (litellm.BadRequestError, None, BAD), (litellm.RateLimitError, spent, HELLO)]
        for model, door in self.each():
            for wanted, key, text in cases:
                with self.subTest(model, wanted=wanted.__name__), self.assertRaises(wanted):
                    litellm.completion(messages=user(text), api_key=key or self.door.new_key(),
                                       **door)


class AtTheEngine(unittest.TestCase):
    """The same SDKs before a real model: `brigada up`."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        up_test.BINARY = BINARY
        cls.up = up_test.Up(cls.folder.name)
        cls.key = cls.up.manage("/key/generate", {})["key"]
        cls.url = f"http://127.0.0.1:{cls.up.port}/v1"

    @classmethod
    def tearDownClass(cls):
        cls.up.kill()
        cls.folder.cleanup()

    QUESTION = "What is the capital of France?"

    def test_openai(self):
        client = openai.OpenAI(base_url=self.url, api_key=self.key)
        asked = {"model": up_test.MODEL, "messages": user(self.QUESTION), "temperature": 0,
                 "max_tokens": 8}
        whole = client.chat.completions.create(**asked)
        self.assertEqual((whole.usage.prompt_tokens, whole.usage.completion_tokens), (37, 8))
        pieces = list(client.chat.completions.create(
            stream=True, stream_options={"include_usage": True}, **asked))
        text = "".join(piece.choices[0].delta.content or "" for piece in pieces if piece.choices)
        self.assertEqual(text, whole.choices[0].message.content)
        self.assertGreater(pieces[-1].usage.prompt_tokens_details.cached_tokens, 0)
        with self.assertRaises(openai.BadRequestError):
            client.chat.completions.create(top_p=7, **asked)

    def test_litellm(self):
        asked = {"model": f"openai/{up_test.MODEL}", "messages": user(self.QUESTION),
                 "temperature": 0, "max_tokens": 8, "api_base": self.url, "api_key": self.key}
        whole = litellm.completion(**asked)
        self.assertEqual((whole.usage.prompt_tokens, whole.usage.completion_tokens), (37, 8))
        text = "".join(piece.choices[0].delta.content or ""
                       for piece in litellm.completion(stream=True, **asked))
        self.assertEqual(text, whole.choices[0].message.content)


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        BINARY = sys.argv.pop(1)
    if not loopback.only():
        print("this machine allows no network of its own")
    unittest.main(verbosity=2, warnings="ignore")  # of litellm's own classes
