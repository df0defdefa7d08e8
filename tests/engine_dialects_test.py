#!/usr/bin/env python3
"""`brigada serve` to clients of Anthropic's Messages and OpenAI's Responses: the same answers as to
those of Chat Completions. The model says what it is told to (`tape_model.py`).

    tests/engine_dialects_test.py [BINARY]
"""
import json
import sys
import tempfile
import unittest

import tape_model
from server import Server, default_binary

BINARY = default_binary()
WEATHER = {"type": "object", "properties": {"city": {"type": "string"}}}
ARGUMENTS = json.loads(tape_model.CALL)["arguments"]


def chat(tape, **more):
    return {"model": "tape", "messages": [{"role": "user", "content": tape}], "temperature": 0,
            "tools": [{"type": "function", "function": {"name": "get_weather",
                                                        "parameters": WEATHER}}], **more}


def messages(tape, **more):
    return {"model": "tape", "messages": [{"role": "user", "content": tape}], "temperature": 0,
            "max_tokens": 500, "tools": [{"name": "get_weather", "input_schema": WEATHER}], **more}


def responses(tape, **more):
    return {"model": "tape", "input": tape, "temperature": 0,
            "tools": [{"type": "function", "name": "get_weather", "parameters": WEATHER}], **more}


class EngineDialects(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        tape_model.write(cls.folder.name)
        cls.server = Server(BINARY, cls.folder.name, "--name", "tape").__enter__()
        cls.addClassCleanup(cls.server.kill)

    def whole(self, path, body):
        status, answer = self.server.post(path, body)
        self.assertEqual(status, 200, answer)
        return answer

    def events(self, path, body):
        """(name, data) of each event."""
        connection = self.server.connect()
        connection.request("POST", path, json.dumps({**body, "stream": True}),
                           {"Content-Type": "application/json"})
        response = connection.getresponse()
        self.assertEqual(response.status, 200)
        out = []
        for event in response.read().decode().strip().split("\n\n"):
            name, data = event.split("\n")
            out.append((name.removeprefix("event: "), json.loads(data.removeprefix("data: "))))
        connection.close()
        return out

    def test_messages_have_what_the_chat_has(self):
        usage = self.whole("/v1/chat/completions", chat("thinking"))["usage"]
        answer = self.whole("/v1/messages", messages("thinking"))
        self.assertEqual([block["type"] for block in answer["content"]], ["thinking", "tool_use"])
        self.assertEqual(answer["content"][0]["thinking"], "Where is that?")
        self.assertEqual((answer["content"][1]["name"], answer["content"][1]["input"]),
                         ("get_weather", ARGUMENTS))
        self.assertEqual((answer["stop_reason"], answer["model"]), ("tool_use", "tape"))
        told = answer["usage"]
        self.assertEqual(told["input_tokens"] + told["cache_read_input_tokens"], usage["prompt_tokens"])
        self.assertEqual(told["output_tokens"], usage["completion_tokens"])
        counted = self.whole("/v1/messages/count_tokens", messages("thinking"))
        self.assertEqual(counted, {"input_tokens": usage["prompt_tokens"]})

    def test_messages_are_streamed_block_by_block(self):
        events = self.events("/v1/messages", messages("hermes"))
        self.assertEqual(events[0][0], "message_start")
        self.assertEqual([name for name, _ in events[-2:]], ["message_delta", "message_stop"])
        opened = [data["index"] for name, data in events if name == "content_block_start"]
        closed = [data["index"] for name, data in events if name == "content_block_stop"]
        self.assertEqual((opened, closed), ([0, 1], [0, 1]))
        deltas = [data["delta"] for name, data in events if name == "content_block_delta"]
        self.assertEqual("".join(d.get("text", "") for d in deltas), "I will look.")
        self.assertEqual(json.loads("".join(d.get("partial_json", "") for d in deltas)), ARGUMENTS)
        self.assertEqual(events[-2][1]["delta"]["stop_reason"], "tool_use")

    def test_responses_have_items_and_count_their_events(self):
        answer = self.whole("/v1/responses", responses("thinking"))
        self.assertEqual([item["type"] for item in answer["output"]], ["reasoning", "function_call"])
        self.assertEqual(json.loads(answer["output"][1]["arguments"]), ARGUMENTS)
        self.assertGreater(answer["usage"]["output_tokens_details"]["reasoning_tokens"], 5)
        events = self.events("/v1/responses", responses("hermes"))
        self.assertEqual([data["sequence_number"] for _, data in events], list(range(len(events))))
        self.assertEqual((events[0][0], events[-1][0]), ("response.created", "response.completed"))
        final = events[-1][1]["response"]
        self.assertEqual([item["type"] for item in final["output"]], ["message", "function_call"])
        self.assertEqual(final["output"][0]["content"][0]["text"], "I will look.")

    def test_logprobs_stand_beside_the_text_and_nowhere_else(self):
        asked = {"include": ["message.output_text.logprobs"], "top_logprobs": 2}
        for tape, said in (("text", tape_model.TAPES["text"]), ("hermes", "I will look.")):
            answer = self.whole("/v1/responses", responses(tape, **asked))
            [part] = answer["output"][0]["content"]
            self.assertIn(said, "".join(entry["token"] for entry in part["logprobs"]))
            self.assertEqual({len(entry["top_logprobs"]) for entry in part["logprobs"]}, {2})
            events = self.events("/v1/responses", responses(tape, **asked))
            told = [entry for name, data in events if name == "response.output_text.delta" for entry in data["logprobs"]]
            self.assertIn(said, "".join(entry["token"] for entry in told))
            self.assertNotIn("get_weather", "".join(entry["token"] for entry in told))
        [part] = self.whole("/v1/responses", responses("text"))["output"][0]["content"]
        self.assertEqual(part["logprobs"], [])

    def test_errors_have_the_clients_shape(self):
        status, answer = self.server.post("/v1/messages", messages("hermes", max_tokens=0))
        self.assertEqual((status, answer["type"], answer["error"]["type"]),
                         (400, "error", "invalid_request_error"))
        self.assertIn("max_tokens", answer["error"]["message"])
        status, answer = self.server.post("/v1/messages", {**messages("hermes"), "model": "other"})
        self.assertEqual((status, answer["error"]["type"]), (404, "not_found_error"))
        long = "word " * 100_000
        status, answer = self.server.post("/v1/messages", messages(long))
        self.assertEqual(status, 400)
        self.assertTrue(answer["error"]["message"].startswith("prompt is too long"), answer)
        status, answer = self.server.post("/v1/responses",
                                          responses("hermes", previous_response_id="resp_1"))
        self.assertEqual(status, 400)
        self.assertIn("previous_response_id", answer["error"]["message"])

    def test_what_means_nothing_here_is_named(self):
        connection = self.server.connect()
        connection.request("POST", "/v1/messages", json.dumps(messages("hermes", container="c")),
                           {"Content-Type": "application/json"})
        response = connection.getresponse()
        self.assertEqual(response.status, 200, response.read())
        self.assertEqual(response.headers["x-brigada-dropped"], "container")
        connection.close()


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        BINARY = sys.argv.pop(1)
    unittest.main(verbosity=2)
