#!/usr/bin/env python3
"""A stream whose upstream is silent for long, as a client sees it. silence_test.py BINARY"""
import json
import sys
import tempfile
import threading
import unittest

from gateway import Gateway
from scripted_upstream import Upstream
from server import default_binary

BINARY = default_binary()
SECONDS = 30


class Silence(unittest.TestCase):
    """While an upstream reads a long prompt, comments keep a stream's connection alive."""

    def setUp(self):
        self.upstreams = [Upstream(self.after_a_comment(lambda exchange: exchange.answer_chat())), Upstream()]
        self.seen = threading.Event()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.gateway = Gateway(BINARY, folder.name, {
            "one": [self.upstreams[0].url], "m": [upstream.url for upstream in self.upstreams]},
            "router_settings: {routing_strategy: round-robin}\nbrigada: {keepalive_seconds: 0.05}\n")
        self.addCleanup(self.gateway.kill)
        for upstream in self.upstreams:
            self.addCleanup(upstream.stop)

    def after_a_comment(self, behave):
        def wait(exchange):
            self.assertTrue(self.seen.wait(SECONDS))
            behave(exchange)
        return wait

    def stream(self, model):
        """Headers, and what came: "comment" once or more often, then data."""
        self.seen.clear()
        key = self.gateway.new_key()
        connection = self.gateway.connect()
        self.addCleanup(connection.close)
        connection.request("POST", "/v1/chat/completions", json.dumps(
            {"model": model, "stream": True, "messages": [{"role": "user", "content": "hi"}]}),
            {"Authorization": f"Bearer {key}", "Content-Type": "application/json"})
        response = connection.getresponse()
        came = []
        for line in response:
            if line.startswith(b":"):
                self.assertEqual(line, b": keep-alive\n")
                self.seen.set()
            elif line.strip():
                came.append(line.decode().strip().removeprefix("data: "))
        return response, came

    def test_the_head_comes_with_the_first_comment_and_names_who_is_asked(self):
        response, came = self.stream("one")
        self.assertTrue(self.seen.is_set())
        self.assertEqual((response.status, response.headers["x-litellm-model-id"]), (200, "one-0"))
        self.assertTrue(response.headers["content-type"].startswith("text/event-stream"))
        self.assertEqual((json.loads(came[0])["choices"][0]["delta"]["content"], came[-1]), ("he", "[DONE]"))

    def test_another_upstream_may_still_answer_behind_a_comment(self):
        self.upstreams[0].behave = self.after_a_comment(lambda exchange: exchange.answer(500, {}))
        while not self.upstreams[0].calls:    # the turn decides who is asked first
            _, came = self.stream("m")
            self.assertEqual(came[-1], "[DONE]")
        self.assertTrue(self.seen.is_set())

    def test_an_error_behind_a_comment_is_told_in_the_stream(self):
        self.upstreams[0].behave = self.after_a_comment(
            lambda exchange: exchange.answer(400, {"error": {"message": "too hot", "type": "invalid_request_error"}}))
        response, came = self.stream("one")
        self.assertEqual((response.status, len(came)), (200, 1))
        self.assertIn("too hot", json.loads(came[0])["error"]["message"])


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        BINARY = sys.argv.pop(1)
    unittest.main(verbosity=2)
