#!/usr/bin/env python3
"""`brigada serve` seen from outside: answers, streams, prefix reuse, bad input, draining.

    tests/serve_test.py [BINARY]     needs the smollm2 model: brigada model pull smollm2
"""
import contextlib
import json
import os
import pathlib
import queue
import signal
import socket
import subprocess
import sys
import threading
import unittest

from server import Server, default_binary, free_port

ROOT = pathlib.Path(__file__).resolve().parent.parent
STORIES = str(ROOT / "testdata/models/stories260K/gguf/stories260K-f32.gguf")
GOLDEN = ROOT / "testdata/smollm2/golden.jsonl"
BINARY = default_binary()

CHAT = "/v1/chat/completions"
COMPLETIONS = "/v1/completions"
SYSTEM = ("You are a patient assistant for a small bakery. You know the opening hours, which are nine to "
          "five, the breads, which are rye, wheat and spelt, and you answer briefly and kindly.")


def user(text):
    return {"role": "user", "content": text}


def text_of(chunks):
    return "".join(choice["delta"].get("content") or "" for chunk in chunks
                   for choice in chunk["choices"])


def eventually(condition, seconds=30):
    """Whether it became true within that time."""
    clock = threading.Event()
    for _ in range(seconds * 20):
        if condition():
            return True
        clock.wait(0.05)
    return False


class WithServer(unittest.TestCase):
    model = None
    options = ()

    @classmethod
    def setUpClass(cls):
        cls.server = Server(BINARY, cls.model, *cls.options).__enter__()

    @classmethod
    def tearDownClass(cls):
        cls.server.kill()


class Chat(WithServer):
    model = "smollm2"
    options = ("--compute", "exact", "--kv-type", "f32",    # as the goldens were computed
               "--keep-alive", "1")

    def chat(self, messages, **more):
        body = {"model": "smollm2", "messages": messages, "temperature": 0, **more}
        status, answer = self.server.post(CHAT, body)
        self.assertEqual(status, 200, answer)
        return answer

    def test_greedy_text_is_the_golden_one(self):
        golden = [json.loads(line) for line in GOLDEN.read_text(encoding="utf-8").splitlines()]
        for line in [g for g in golden if "messages" in g][:3]:
            answer = self.chat(line["messages"], max_tokens=line["max_tokens"])
            self.assertEqual(answer["choices"][0]["message"]["content"], line["text"])
            self.assertEqual(answer["choices"][0]["finish_reason"], line["finish"])
            self.assertEqual(answer["usage"]["prompt_tokens"], len(line["prompt_ids"]))

    def test_the_second_turn_finds_the_first_in_the_cache(self):
        messages = [{"role": "system", "content": SYSTEM}, user("Which breads do you have?")]
        usages = []
        for question in ("And when do you open?", None):
            with self.server.stream(CHAT, {
                    "model": "smollm2", "messages": messages, "temperature": 0, "max_tokens": 24,
                    "stream_options": {"include_usage": True}}) as stream:
                chunks = list(stream)
            self.assertEqual(chunks[0]["choices"][0]["delta"]["role"], "assistant")
            self.assertEqual(chunks[-1]["choices"], [])
            usages.append(chunks[-1]["usage"])
            messages += [{"role": "assistant", "content": text_of(chunks)}]
            messages += [user(question)] if question else []
        cached = [u["prompt_tokens_details"]["cached_tokens"] for u in usages]
        self.assertGreaterEqual(cached[1], usages[0]["prompt_tokens"] // 16 * 16)
        self.assertLess(cached[1], usages[1]["prompt_tokens"])

    def test_cached_and_uncached_answers_are_the_same(self):
        messages = [{"role": "system", "content": SYSTEM}, user("Do you sell rye bread on Sundays?")]
        first, second = (self.chat(messages, max_tokens=20) for _ in range(2))
        self.assertEqual(first["choices"], second["choices"])
        self.assertGreater(second["usage"]["prompt_tokens_details"]["cached_tokens"], 0)

    def test_a_long_prefill_keeps_the_connection_alive(self):
        body = {"prompt": [1000 + n * 7 % 40000 for n in range(2500)], "max_tokens": 1, "stream": True}
        with contextlib.closing(self.server.connect()) as connection:
            connection.request("POST", COMPLETIONS, json.dumps(body).encode())
            lines = connection.getresponse().read().decode().splitlines()
        first_data = next(i for i, line in enumerate(lines) if line.startswith("data: "))
        self.assertIn(": keep-alive", lines[:first_data])
        self.assertEqual(lines[-2], "data: [DONE]")

    def test_eight_streams_progress_together(self):
        arrived = queue.Queue()

        def read(number):
            body = {"model": "smollm2", "messages": [user(f"Count from {number} upwards.")],
                    "temperature": 0, "max_tokens": 24, "ignore_eos": True}
            with self.server.stream(CHAT, body) as stream:
                for chunk in stream:
                    if text_of([chunk]):
                        arrived.put(number)

        readers = [threading.Thread(target=read, args=(n,)) for n in range(8)]
        for reader in readers:
            reader.start()
        for reader in readers:
            reader.join()
        order = list(arrived.queue)
        last_first = max(order.index(n) for n in range(8))
        first_last = min(len(order) - 1 - order[::-1].index(n) for n in range(8))
        self.assertLess(last_first, first_last, "a stream began only after another had ended")

    def test_a_client_that_goes_away_frees_its_blocks(self):
        body = {"model": "smollm2", "messages": [user("Tell me a very long story.")],
                "max_tokens": 4000, "ignore_eos": True}
        with self.server.stream(CHAT, body) as stream:
            next(stream)
            self.assertTrue(eventually(lambda: self.server.metric("vllm:num_requests_running") >= 1))
        self.assertTrue(eventually(lambda: self.server.metric("vllm:num_requests_running") == 0))

    def test_bad_requests_are_told_so(self):
        long_text = "word " * 9000
        cases = [
            (b"{", 400), (b"[]", 400), ({}, 400), ({"messages": []}, 400), ({"messages": "hi"}, 400),
            ({"messages": [user("x")], "temperature": "hot"}, 400),
            ({"messages": [user("x")], "max_tokens": -1}, 400),
            ({"messages": [user("x")], "model": "no-such-model"}, 404),
            ({"messages": [user(long_text)]}, 400),
        ]
        for body, expected in cases:
            status, answer = self.server.post(CHAT, body)
            self.assertEqual(status, expected, (str(body)[:80], answer))
            self.assertTrue(answer["error"]["message"])
            self.assertIn("type", answer["error"])
        self.assertEqual(self.server.post("/v1/nothing", {})[0], 404)
        self.chat([user("Still there?")], max_tokens=4)

    def test_tokenize_and_back(self):
        status, answer = self.server.post("/tokenize", {"model": "smollm2", "prompt": "¡Hola, señor! 123"})
        self.assertEqual(status, 200, answer)
        status, back = self.server.post("/detokenize", {"model": "smollm2", "tokens": answer["tokens"]})
        self.assertEqual(back["prompt"], "¡Hola, señor! 123")

    def test_models_and_metrics_carry_the_names_users_know(self):
        models = json.loads(self.server.get("/v1/models")[1])
        self.assertEqual(models["data"][0]["id"], "smollm2")
        metrics = self.server.get("/metrics")[1]
        for name in ("vllm:num_requests_running", "vllm:num_requests_waiting",
                     "vllm:kv_cache_usage_perc", "vllm:prefix_cache_queries", "vllm:prefix_cache_hits",
                     "vllm:time_to_first_token_seconds_bucket", "vllm:inter_token_latency_seconds_bucket",
                     "vllm:e2e_request_latency_seconds_bucket", "vllm:cache_config_info"):
            self.assertIn(name, metrics)


class StructuredOutput(WithServer):
    """By a model of 260,000 weights that has never seen JSON: what it says is the grammar's doing."""
    model = STORIES
    schema = {
        "type": "object", "additionalProperties": False, "required": ["name", "age", "pets"],
        "properties": {
            "name": {"type": "string", "minLength": 1, "maxLength": 10},
            "age": {"type": "integer", "minimum": 1, "maximum": 99},
            "pets": {"type": "array", "maxItems": 2, "items": {"enum": ["cat", "dog", "\u00f1and\u00fa"]}}}}

    def complete(self, **more):
        status, answer = self.server.post(COMPLETIONS, {
            "prompt": "Once upon a time", "max_tokens": 200, "temperature": 1.5, "seed": 7, **more})
        self.assertEqual(status, 200, answer)
        return answer["choices"][0]

    def check_person(self, text):
        person = json.loads(text)
        self.assertEqual(list(person), ["name", "age", "pets"])
        self.assertTrue(1 <= len(person["name"]) <= 10 and 1 <= person["age"] <= 99, person)
        self.assertTrue(set(person["pets"]) <= {"cat", "dog", "\u00f1and\u00fa"}, person)

    def test_every_name_of_a_schema_is_honoured(self):
        for asked in ({"response_format": {"type": "json_schema",
                                           "json_schema": {"name": "p", "schema": self.schema, "strict": True}}},
                      {"structured_outputs": {"json": self.schema}}, {"guided_json": self.schema},
                      {"guided_json": json.dumps(self.schema)}):
            choice = self.complete(**asked)
            self.check_person(choice["text"])
            self.assertEqual(choice["finish_reason"], "stop")

    def test_chat_whole_and_streamed(self):
        body = {"messages": [user("Who?")], "max_tokens": 200, "n": 3, "temperature": 2, "seed": 1,
                "response_format": {"type": "json_schema", "json_schema": {"name": "p", "schema": self.schema}}}
        status, answer = self.server.post(CHAT, body)
        self.assertEqual(status, 200, answer)
        for choice in answer["choices"]:
            self.check_person(choice["message"]["content"])
        with self.server.stream(CHAT, {**body, "n": 1, "stream": True}) as stream:
            self.check_person(text_of(list(stream)))

    def test_expressions_choices_and_grammars(self):
        self.assertRegex(self.complete(guided_regex=r"[A-Z]{2}-\d{3}")["text"], r"^[A-Z]{2}-[0-9]{3}$")
        self.assertIn(self.complete(structured_outputs={"choice": ["red", "blue"]})["text"], ("red", "blue"))
        grammar = 'root ::= "(" [a-z]+ ("," [a-z]+){1,3} ")"'
        self.assertRegex(self.complete(guided_grammar=grammar)["text"], r"^\([a-z]+(,[a-z]+)*(\)$|)")

    def test_what_cannot_be_honoured_is_a_400_that_names_the_place(self):
        for asked, place in (
                ({"response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": {
                    "properties": {"a": {"not": {}}}}}}},
                 "response_format.json_schema.schema: /properties/a/not: "),
                ({"guided_regex": "(?=a)"}, "guided_regex: character 3: "),
                ({"guided_grammar": "root ::= x"}, "guided_grammar: line 1, column 10: "),
                ({"guided_choice": []}, "guided_choice: must have"),
                ({"guided_json": {"type": "integer", "minimum": 2, "maximum": 1}}, "guided_json: no text")):
            status, answer = self.server.post(COMPLETIONS, {"prompt": "x", **asked})
            self.assertEqual(status, 400, answer)
            self.assertTrue(answer["error"]["message"].startswith(place), answer)
            self.assertEqual(answer["error"]["param"], place.split(":")[0])


class Stories(WithServer):
    model = STORIES

    def test_completes_a_plain_text(self):
        name = json.loads(self.server.get("/v1/models")[1])["data"][0]["id"]
        status, answer = self.server.post(COMPLETIONS, {
            "model": name, "prompt": "Once upon a time, there was a little girl named Lily.",
            "max_tokens": 40, "temperature": 0})
        self.assertEqual(status, 200, answer)
        self.assertEqual(answer["usage"]["completion_tokens"], 40)
        self.assertIn("She", answer["choices"][0]["text"])

    def test_a_slow_or_silent_client_does_not_stop_the_others(self):
        with socket.create_connection(("127.0.0.1", self.server.port)) as silent:
            silent.sendall(b"POST /v1/completions HTTP/1.1\r\nHost: x\r\nContent-Le")
            self.assertEqual(self.server.get("/health")[0], 200)


class Life(unittest.TestCase):
    def test_sigterm_lets_running_streams_finish(self):
        with Server(BINARY, STORIES) as server:
            body = {"prompt": "Once upon a time", "max_tokens": 400, "ignore_eos": True, "temperature": 0}
            with server.stream(COMPLETIONS, body) as stream:
                chunks = [next(stream)]
                server.process.send_signal(signal.SIGTERM)
                chunks += stream
            self.assertEqual(chunks[-1]["choices"][0]["finish_reason"], "length")
            self.assertEqual(server.process.wait(timeout=30), 0)

    def test_a_port_in_use_is_one_line_and_exit_code_1(self):
        with contextlib.closing(socket.socket()) as other:
            other.bind(("127.0.0.1", 0))
            other.listen()
            port = other.getsockname()[1]
            ended = subprocess.run([BINARY, "serve", STORIES, "--port", str(port)],
                                   capture_output=True, text=True, timeout=60)
        self.assertEqual(ended.returncode, 1)
        self.assertIn(str(port), ended.stderr)
        self.assertIn("in use", ended.stderr)

    def test_a_model_that_is_none_is_refused(self):
        for model in ("/etc/passwd", "no-such-model", str(ROOT / "testdata")):
            ended = subprocess.run([BINARY, "serve", model, "--port", str(free_port())],
                                   capture_output=True, text=True, timeout=60)
            self.assertEqual(ended.returncode, 1, model)
            self.assertTrue(ended.stderr.splitlines()[-1].startswith("brigada: "), ended.stderr)


if __name__ == "__main__":
    if len(sys.argv) > 1 and os.access(sys.argv[1], os.X_OK):
        BINARY = sys.argv.pop(1)
    unittest.main(verbosity=2)
