#!/usr/bin/env python3
"""Calls of tools and reasoning, as `brigada serve` tells them. The models say what they are told to
(`tape_model.py`); everything between them and the answer is real.

    tests/tools_test.py [BINARY]
"""
import json
import os
import subprocess
import sys
import tempfile
import unittest

import tape_model
from server import Server, default_binary, free_port

BINARY = default_binary()
CHAT = "/v1/chat/completions"
TOOLS = [{"type": "function", "function": {
    "name": "get_weather", "description": "Weather", "parameters": {
        "type": "object", "properties": {"city": {"type": "string"}}}}}]
ARGUMENTS = json.loads(tape_model.CALL)["arguments"]


class WithTapes(unittest.TestCase):
    options = ()

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        tape_model.write(cls.folder.name)
        cls.server = Server(BINARY, cls.folder.name, "--name", "tape", *cls.options).__enter__()

    @classmethod
    def tearDownClass(cls):
        cls.server.kill()
        cls.folder.cleanup()

    def ask(self, tape, **more):
        return {"model": "tape", "messages": [{"role": "user", "content": tape}], "temperature": 0, **more}

    def whole(self, tape, **more):
        status, answer = self.server.post(CHAT, self.ask(tape, **more))
        self.assertEqual(status, 200, answer)
        return answer

    def deltas(self, tape, choice=0, **more):
        """The deltas of one choice, and how it ended."""
        with self.server.stream(CHAT, self.ask(tape, **more)) as stream:
            chosen = [c for chunk in stream for c in chunk["choices"] if c["index"] == choice]
        self.assertEqual([c["finish_reason"] for c in chosen[:-1]], [None] * (len(chosen) - 1))
        return [c["delta"] for c in chosen[:-1]], chosen[-1]["finish_reason"]


def joined(deltas, name):
    return "".join(delta.get(name) or "" for delta in deltas)


class Hermes(WithTapes):
    """Recognised by the template, which the model brings along."""

    def check_call(self, call):
        self.assertEqual(call["type"], "function")
        self.assertTrue(call["id"].startswith("call_"))
        self.assertEqual(call["function"]["name"], "get_weather")
        self.assertEqual(json.loads(call["function"]["arguments"]), ARGUMENTS)

    def test_a_whole_answer_has_its_calls_apart(self):
        choice = self.whole("hermes", tools=TOOLS)["choices"][0]
        self.assertEqual(choice["finish_reason"], "tool_calls")
        self.assertEqual(choice["message"]["content"], "I will look.")
        self.check_call(*choice["message"]["tool_calls"])

    def test_a_stream_tells_a_call_once_and_its_arguments_as_they_come(self):
        deltas, reason = self.deltas("hermes", tools=TOOLS)
        self.assertEqual(reason, "tool_calls")
        self.assertEqual(joined(deltas, "content"), "I will look.")
        calls = [call for delta in deltas for call in delta.get("tool_calls", [])]
        self.assertEqual(calls[0]["function"], {"name": "get_weather", "arguments": ""})
        self.assertEqual({call["index"] for call in calls}, {0})
        self.assertGreater(len(calls), 5)
        for later in calls[1:]:
            self.assertEqual(sorted(later), ["function", "index"])
            self.assertEqual(sorted(later["function"]), ["arguments"])
        self.check_call({**calls[0], "function": {
            "name": "get_weather", "arguments": "".join(c["function"]["arguments"] for c in calls)}})

    def test_reasoning_stands_apart_and_is_counted(self):
        answer = self.whole("thinking", tools=TOOLS)
        message = answer["choices"][0]["message"]
        self.assertIsNone(message["content"])
        self.assertEqual(message["reasoning_content"], "Where is that?")
        self.check_call(*message["tool_calls"])
        told = answer["usage"]["completion_tokens_details"]["reasoning_tokens"]
        self.assertGreater(told, 5)
        self.assertLess(told, answer["usage"]["completion_tokens"] - 20)
        deltas, _ = self.deltas("thinking", tools=TOOLS)
        self.assertEqual(joined(deltas, "reasoning_content"), "Where is that?")
        self.assertEqual(joined(deltas, "content"), "")
        hidden = self.whole("thinking", tools=TOOLS, include_reasoning=False)["choices"][0]["message"]
        self.assertNotIn("reasoning_content", hidden)

    def test_without_tools_a_call_is_text(self):
        for more in ({}, {"tools": TOOLS, "tool_choice": "none"}):
            choice = self.whole("hermes", **more)["choices"][0]
            self.assertEqual(choice["message"]["content"], tape_model.TAPES["hermes"])
            self.assertNotIn("tool_calls", choice["message"])
            self.assertEqual(choice["finish_reason"], "stop")

    def test_text_stays_text(self):
        choice = self.whole("text", tools=TOOLS)["choices"][0]
        self.assertEqual(choice["message"], {"role": "assistant", "content": tape_model.TAPES["text"]})
        self.assertEqual(joined(self.deltas("text", tools=TOOLS)[0], "content"), tape_model.TAPES["text"])

    def test_a_broken_call_comes_back_as_text_and_is_counted(self):
        choice = self.whole("broken", tools=TOOLS)["choices"][0]
        self.assertEqual(choice["message"], {"role": "assistant", "content": tape_model.TAPES["broken"]})
        self.assertEqual(choice["finish_reason"], "stop")
        deltas, reason = self.deltas("broken", tools=TOOLS)
        self.assertEqual(joined(deltas, "content"), tape_model.TAPES["broken"])
        self.assertEqual(reason, "stop")
        self.assertGreaterEqual(self.server.metric("brigada_broken_tool_calls_total"), 2)

    def test_a_call_that_is_cut_off_is_none(self):
        choice = self.whole("hermes", tools=TOOLS, max_tokens=25)["choices"][0]
        self.assertEqual(choice["finish_reason"], "length")
        self.assertTrue(choice["message"]["content"].startswith("I will look.\n<tool_call>"))

    def test_choices_do_not_mix(self):
        answer = self.whole("hermes", tools=TOOLS, n=3)
        ids = set()
        for choice in answer["choices"]:
            self.check_call(*choice["message"]["tool_calls"])
            ids.add(choice["message"]["tool_calls"][0]["id"])
        self.assertEqual(len(ids), 3)
        for index in range(2):
            self.assertEqual(joined(self.deltas("hermes", index, tools=TOOLS, n=2)[0], "content"), "I will look.")

    def test_the_next_turn_shows_the_call_and_its_result_to_the_model(self):
        call = self.whole("hermes", tools=TOOLS)["choices"][0]["message"]
        messages = [{"role": "user", "content": "hermes"},
                    {**call, "reasoning_content": "Thought."},
                    {"role": "tool", "tool_call_id": call["tool_calls"][0]["id"], "content": "31"},
                    {"role": "user", "content": "text"}]
        status, tokens = self.server.post("/tokenize", {"messages": messages, "return_token_strs": True})
        self.assertEqual(status, 200, tokens)
        prompt = "".join(tokens["token_strs"])
        self.assertIn('Thought.I will look.<call get_weather {"city": "Málaga", "days": [1, 2.5, null]}>', prompt)
        self.assertIn("tool: 31", prompt)
        status, answer = self.server.post(CHAT, {"messages": messages, "tools": TOOLS, "temperature": 0})
        self.assertEqual(answer["choices"][0]["message"]["content"], tape_model.TAPES["text"])

    def test_a_call_that_must_be_is_made_whatever_the_model_would_say(self):
        cities = {"type": "object", "additionalProperties": False, "required": ["city"],
                  "properties": {"city": {"enum": ["Lima", "Oslo"]}}}
        tools = [{"type": "function", "function": {"name": name, "parameters": cities}}
                 for name in ("get_weather", "get_time")]
        for choice, names in (("required", {"get_weather", "get_time"}),
                              ({"type": "function", "function": {"name": "get_time"}}, {"get_time"})):
            answer = self.whole("text", tools=tools, tool_choice=choice, max_tokens=400)["choices"][0]
            self.assertEqual(answer["finish_reason"], "tool_calls", answer)
            self.assertIsNone(answer["message"]["content"])
            calls = answer["message"]["tool_calls"]
            if choice != "required":
                self.assertEqual(len(calls), 1)
            for call in calls:
                self.assertIn(call["function"]["name"], names)
                self.assertIn(json.loads(call["function"]["arguments"])["city"], ("Lima", "Oslo"))
        one = self.whole("text", tools=tools, tool_choice="required", parallel_tool_calls=False, max_tokens=400)
        self.assertEqual(len(one["choices"][0]["message"]["tool_calls"]), 1)
        refused = [{"type": "function", "function": {"name": "f", "parameters": {"not": {}}}}]
        status, answer = self.server.post(CHAT, self.ask("text", tools=refused, tool_choice="required"))
        self.assertEqual(status, 400)
        self.assertIn("tool_choice: tools 'f' parameters: /not", answer["error"]["message"])


    @staticmethod
    def strict_tools(strict=True):
        cities = {"type": "object", "additionalProperties": False, "required": ["city"],
                  "properties": {"city": {"enum": ["Lima", "Oslo"]}}}
        return [{"type": "function", "function": {"name": "get_weather", "strict": strict,
                                                  "parameters": cities}}]

    def test_a_strict_tool_is_called_as_its_schema_says_when_the_model_calls_it(self):
        for tape, text, thought in (("hermes", "I will look.", None), ("broken", None, None),
                                    ("thinking", None, "Where is that?")):
            answer = self.whole(tape, tools=self.strict_tools(), max_tokens=400)["choices"][0]
            message = answer["message"]
            self.assertEqual(answer["finish_reason"], "tool_calls", answer)
            self.assertEqual((message["content"], message.get("reasoning_content")), (text, thought))
            for call in message["tool_calls"]:
                self.assertIn(json.loads(call["function"]["arguments"])["city"], ("Lima", "Oslo"))
        content = self.whole("text", tools=self.strict_tools())["choices"][0]["message"]["content"]
        self.assertEqual(content, tape_model.TAPES["text"])
        self.check_call(self.whole("hermes", tools=self.strict_tools(strict=False))
                        ["choices"][0]["message"]["tool_calls"][0])

    def test_a_strict_tool_that_cannot_be_is_refused_by_its_name(self):
        tools = self.strict_tools()
        tools[0]["function"]["parameters"]["not"] = {}
        status, answer = self.server.post(CHAT, self.ask("text", tools=tools))
        self.assertEqual(status, 400)
        self.assertIn("strict: tools 'get_weather' parameters: /not: cannot be honoured",
                      answer["error"]["message"])


    # A form beside tools: the model calls, or keeps to the form.
    FORM = {"response_format": {"type": "json_schema", "json_schema": {"name": "sum", "schema": {
        "type": "object", "properties": {"sum": {"type": "integer", "minimum": 0, "maximum": 99}},
        "required": ["sum"], "additionalProperties": False}}}}

    def test_beside_a_form_the_model_may_call(self):
        for tape, thought in (("called", None), ("thinking", "Where is that?")):
            choice = self.whole(tape, tools=TOOLS, **self.FORM)["choices"][0]
            self.assertEqual(choice["finish_reason"], "tool_calls", choice)
            self.assertEqual((choice["message"]["content"], choice["message"].get("reasoning_content")),
                             (None, thought))
            self.check_call(*choice["message"]["tool_calls"])
            deltas, reason = self.deltas(tape, tools=TOOLS, **self.FORM)
            self.assertEqual((reason, joined(deltas, "content")), ("tool_calls", ""))

    def test_beside_a_form_what_is_no_call_keeps_to_it(self):
        for more in ({"tools": TOOLS}, {"tools": TOOLS, "tool_choice": "none"}, {}):
            choice = self.whole("sum", max_tokens=100, **more, **self.FORM)["choices"][0]
            self.assertEqual(choice["finish_reason"], "stop", choice)
            self.assertNotIn("tool_calls", choice["message"])
            self.assertLess(json.loads(choice["message"]["content"])["sum"], 100)
            deltas, reason = self.deltas("sum", max_tokens=100, **more, **self.FORM)
            self.assertEqual(reason, "stop")
            self.assertLess(json.loads(joined(deltas, "content"))["sum"], 100)

    def test_a_form_comes_after_what_was_thought(self):
        choice = self.whole("thinking", max_tokens=200, **self.FORM)["choices"][0]
        self.assertEqual(choice["message"]["reasoning_content"], "Where is that?")
        self.assertLess(json.loads(choice["message"]["content"])["sum"], 100)

    def test_a_call_that_must_be_leaves_no_text_to_have_a_form(self):
        choice = self.whole("text", tools=self.strict_tools(), tool_choice="required", parallel_tool_calls=False,
                            max_tokens=400, **self.FORM)["choices"][0]
        self.assertEqual((choice["finish_reason"], choice["message"]["content"]), ("tool_calls", None))


class Json(WithTapes):
    """Calls that nothing marks."""
    options = ("--tool-call-format", "json", "--reasoning-format", "none")

    def test_a_form_that_could_be_a_call_is_refused_with_an_example(self):
        form = {"type": "json_schema", "json_schema": {"name": "n", "schema": {
            "type": "object", "properties": {"name": {"type": "string"}}}}}
        status, answer = self.server.post(CHAT, self.ask("text", tools=TOOLS, response_format=form))
        self.assertEqual(status, 400)
        self.assertIn('beside tools an answer such as "{\\"name\\":\\"get_weather\\"}" can\'t be told from a call',
                      answer["error"]["message"])

    def test_an_object_is_no_call(self):
        choice = self.whole("sum", tools=TOOLS, response_format={"type": "json_object"})["choices"][0]
        self.assertEqual(choice["message"], {"role": "assistant", "content": tape_model.TAPES["sum"]})


class Mistral(WithTapes):
    """Chosen by hand, and marked by control tokens, which other answers do not show."""
    options = ("--tool-call-format", "mistral", "--reasoning-format", "none")

    def test_control_tokens_mark_a_call(self):
        choice = self.whole("mistral", tools=TOOLS)["choices"][0]
        call = choice["message"]["tool_calls"][0]
        self.assertIsNone(choice["message"]["content"])
        self.assertEqual(len(call["id"]), 9)
        self.assertEqual(json.loads(call["function"]["arguments"]), {"city": "Málaga", "days": []})

    def test_without_tools_they_are_left_out_as_ever(self):
        content = self.whole("mistral")["choices"][0]["message"]["content"]
        self.assertEqual(content, 'get_weather{"city": "Málaga", "days": []}')

    def test_reasoning_is_text_where_it_was_turned_off(self):
        content = self.whole("thinking", tools=TOOLS)["choices"][0]["message"]["content"]
        self.assertEqual(content, tape_model.TAPES["thinking"])


class Harmony(WithTapes):
    """Every message is between control tokens, and the last of them ends the answer."""
    options = ("--tool-call-format", "openai")

    def test_an_end_token_ends_the_call(self):
        answer = self.whole("harmony", tools=TOOLS)
        choice = answer["choices"][0]
        self.assertEqual(choice["finish_reason"], "tool_calls")
        self.assertEqual(choice["message"]["tool_calls"][0]["function"],
                         {"name": "get_weather", "arguments": '{"city": "Málaga"}'})
        self.assertIsNone(choice["message"]["content"])

    def test_a_call_may_be_made_beside_a_form(self):
        choice = self.whole("harmony", tools=TOOLS, **Hermes.FORM)["choices"][0]
        self.assertEqual(choice["finish_reason"], "tool_calls", choice)
        self.assertIsNone(choice["message"]["content"])

    def test_text_without_a_channel_is_text(self):
        content = self.whole("text", tools=TOOLS)["choices"][0]["message"]["content"]
        self.assertEqual(content, tape_model.TAPES["text"])


class Options(unittest.TestCase):
    def test_a_format_that_there_is_not_is_refused_with_those_there_are(self):
        with tempfile.TemporaryDirectory() as folder:
            tape_model.write(folder)
            ended = subprocess.run([BINARY, "serve", folder, "--port", str(free_port()),
                                    "--tool-call-format", "herpes"], capture_output=True, text=True, timeout=60)
        self.assertEqual(ended.returncode, 1)
        self.assertIn("herpes", ended.stderr)
        self.assertIn("hermes", ended.stderr)


if __name__ == "__main__":
    if len(sys.argv) > 1 and os.access(sys.argv[1], os.X_OK):
        BINARY = sys.argv.pop(1)
    unittest.main(verbosity=2)
