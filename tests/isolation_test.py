#!/usr/bin/env python3
"""What one tenant does is no other tenant's trouble. isolation_test.py BINARY"""
import json
import socket
import struct
import sys
import tempfile
import threading
import unittest

from gateway import MASTER, Gateway
from scripted_upstream import Upstream, chat_answer, chat_events
from server import default_binary, free_port

BINARY = default_binary()
POISON = "poison"
TRIES = 5  # more than is allowed


def reset(exchange):
    """Closes so that what is under way is lost."""
    exchange.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    exchange.close_connection = True
    exchange.connection.close()


def close(exchange):
    exchange.close_connection = True
    exchange.connection.shutdown(socket.SHUT_RDWR)


def say(bytes_):
    def behave(exchange):
        exchange.wfile.write(bytes_)
        close(exchange)
    return behave


def cut(exchange):
    exchange.stream(chat_events()[:1], end=False)


def fail_in_band(exchange):
    exchange.stream([json.dumps({"error": {"message": "CUDA error", "type": "internal_error", "code": 500}})])


def hang(exchange):
    exchange.server.quit.wait()


def refuse_head(exchange, status, why):
    exchange.answer(status, {"error": {"message": why, "type": "invalid_request_error"}}, Connection="close")


def error(status):
    return lambda exchange: exchange.answer(status, {"error": {"message": "no", "type": "x"}})


# What a server does with a call that it can't stand: how, and whether the call streams.
FALLS = {
    "it closes the connection": (close, False),
    "it resets the connection": (reset, False),
    "it says what is no HTTP": (say(b"Segmentation fault\n"), False),
    "it closes in the middle of a head": (say(b"HTTP/1.1 200 OK\r\nContent-Le"), False),
    "it closes in the middle of an answer": (say(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{"), False),
    "it cuts a stream": (cut, True),
    "it fails within a stream": (fail_in_band, True),
    "it answers 500": (error(500), False),
    "it answers 504": (error(504), False),
    "it answers 408": (error(408), False),
    "its firewall answers 403": (error(403), False),
    "it never answers": (hang, False),
    "its answer is too long": (lambda exchange: exchange.answer(200, chat_answer("x" * (3 << 20))), False),
}


class IsolationTest(unittest.TestCase):
    def start(self, url, params="", provider="openai", info=""):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        gateway = One(folder.name, url, params, provider, info)
        self.addCleanup(gateway.kill)
        return gateway

    def upstream(self, behave=None):
        one = Upstream(behave)
        one.server.quit = threading.Event()
        self.addCleanup(one.stop)
        self.addCleanup(one.server.quit.set)
        return one


class One(Gateway):
    def __init__(self, folder, url, params, provider, info):
        self.url, self.params, self.provider, self.info = url, params, provider, info
        super().__init__(BINARY, folder, {})
        self.red, self.blue, self.green = (self.new_team(name) for name in ("red", "blue", "green"))

    def yaml(self, _):
        return f"""general_settings: {{master_key: {MASTER}, max_response_size_mb: 2}}
router_settings: {{allowed_fails: 2, num_retries: 0, cooldown_time: 600}}
model_list:
- model_name: m
  litellm_params: {{model: {self.provider}/m, api_base: '{self.url}', api_key: k{self.params}}}{self.info}
"""

    def new_team(self, name):
        return self.new_key(team_id=self.call("/team/new", {"team_alias": name})[2]["team_id"])

    def status(self, key, content="hi", **more):
        return self.call("/v1/chat/completions", {
            "model": "m", "messages": [{"role": "user", "content": content}], **more}, key)[0]


class Poison(IsolationTest):
    def fall(self, behave):
        return lambda exchange: behave(exchange) if POISON in str(exchange.body) else exchange.answer_chat()

    def test_a_call_that_an_upstream_cannot_stand_closes_it_for_its_own_tenant_alone(self):
        for name, (behave, stream) in FALLS.items():
            with self.subTest(name):
                upstream = self.upstream(self.fall(behave))
                gateway = self.start(upstream.url, ", timeout: 0.3" if behave is hang else "")
                for _ in range(TRIES):
                    gateway.status(gateway.red, POISON, stream=stream)
                self.assertEqual(len(upstream.calls), 3, "then it is left alone")
                self.assertEqual(gateway.status(gateway.red), 503)
                self.assertEqual(gateway.status(gateway.blue), 200)
                health = gateway.call("/health")[2]
                self.assertEqual((health["healthy_count"], health["unhealthy_count"]), (1, 0))

    def test_a_call_that_is_more_than_a_limit_allows_pauses_it_for_its_own_tenant_alone(self):
        for status in (429, 503):
            with self.subTest(status):
                upstream = self.upstream(self.fall(error(status)))
                gateway = self.start(upstream.url)
                for _ in range(TRIES):
                    gateway.status(gateway.red, POISON)
                self.assertEqual(len(upstream.calls), 1, "then it is left alone")
                self.assertEqual(gateway.status(gateway.red), 503)
                self.assertEqual(gateway.status(gateway.blue), 200)

    def test_where_it_says_how_long_it_is_busy_all_wait(self):
        def busy(exchange):
            exchange.answer(429, {"error": {"message": "busy", "type": "x"}}, Retry_After="60")

        upstream = self.upstream(self.fall(busy))
        gateway = self.start(upstream.url)
        gateway.status(gateway.red, POISON)
        self.assertEqual(gateway.status(gateway.blue), 503)
        self.assertEqual(len(upstream.calls), 1)

    def test_what_two_tenants_meet_closes_it_for_all(self):
        upstream = self.upstream(error(500))
        gateway = self.start(upstream.url)
        for key in (gateway.red, gateway.red, gateway.blue):
            self.assertEqual(gateway.status(key), 502)
        self.assertEqual(gateway.status(gateway.green), 503)
        self.assertEqual(len(upstream.calls), 3)

    def test_where_nobody_listens_one_tenant_finds_it_out_for_all(self):
        gateway = self.start(f"http://127.0.0.1:{free_port()}/v1")
        for _ in range(3):
            self.assertEqual(gateway.status(gateway.red), 502)
        self.assertEqual(gateway.status(gateway.green), 503)


class ItsOwnFault(IsolationTest):
    """What is the call's own fault says nothing about the upstream, not even to its tenant."""

    def check_is_refused(self, gateway, status, content="hi", headers=None, body=None):
        body = body or {"model": "m", "messages": [{"role": "user", "content": content}]}
        for _ in range(TRIES):
            self.assertEqual(gateway.call("/v1/chat/completions", body, gateway.red, headers)[0], status)
        for key in (gateway.red, gateway.blue):
            self.assertEqual(gateway.status(key), 200)

    def test_one_nested_beyond_what_servers_survive_is_not_passed_on(self):
        upstream = self.upstream()
        upstream.at_head = lambda exchange: reset(exchange) or True
        gateway = self.start(upstream.url)
        deep = b'{"model":"m","messages":[],"tools":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
        for _ in range(TRIES):
            status, _, answer = gateway.call("/v1/chat/completions", deep, gateway.red)
            self.assertEqual(status, 400)
            self.assertIn("tools: makes the body nested 100001 levels deep; at most 256", answer["error"]["message"])
        upstream.at_head = lambda exchange: False
        self.assertEqual(gateway.status(gateway.red), 200)

    def test_a_body_refused_before_it_was_read(self):
        def refuse_large(exchange):
            if int(exchange.headers["Content-Length"]) < 1 << 20:
                return False
            refuse_head(exchange, 413, "too large")
            return True

        upstream = self.upstream()
        upstream.at_head = refuse_large
        self.check_is_refused(self.start(upstream.url), 413, "x" * (8 << 20))

    def test_a_header_that_is_too_long(self):
        def refuse_long(exchange):
            if len(exchange.headers.get("User-Agent", "")) < 8_000:
                return False
            refuse_head(exchange, 431, "too long")
            return True

        upstream = self.upstream()
        upstream.at_head = refuse_long
        self.check_is_refused(self.start(upstream.url), 431, headers={"User-Agent": "x" * 9_000})

    def test_bytes_that_are_no_text(self):
        upstream = self.upstream()
        gateway = self.start(upstream.url)
        for wrong in (b"\xff", b"\x00", b"\xed\xa0\x80", b"\xc0\x80", b"\n"):
            self.check_is_refused(gateway, 400, body=b'{"model":"m","messages":[{"content":"' + wrong + b'"}]}')
        self.assertEqual(len(upstream.calls), 2 * 5, "none of them was passed on")


class Kv(IsolationTest):
    def test_no_tenant_finds_the_kv_of_another_or_can_ask_for_it(self):
        upstream = self.upstream()
        gateway = self.start(upstream.url, provider="hosted_vllm")

        def salt(key, path="/v1/chat/completions", **more):
            body = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "max_tokens": 9, **more}
            self.assertEqual(gateway.call(path, body, key)[0], 200)
            return upstream.calls[-1]["body"]["cache_salt"]

        red = salt(gateway.red)
        self.assertEqual(salt(gateway.red), red)
        self.assertEqual(salt(gateway.red, "/v1/messages"), red, "translated, it is the same tenant's")
        self.assertNotEqual(salt(gateway.red, cache_salt="mine"), red)
        others = {salt(gateway.blue), salt(gateway.blue, cache_salt=red), salt(gateway.blue, "/v1/messages")}
        self.assertNotIn(red, others)

    def test_where_they_trust_each_other_it_is_shared(self):
        upstream = self.upstream()
        gateway = self.start(upstream.url, provider="hosted_vllm",
                             info="\n  model_info: {brigada: {kv_shared_by: all}}")
        gateway.status(gateway.red)
        self.assertNotIn("cache_salt", upstream.calls[-1]["body"])
        gateway.status(gateway.red, cache_salt="mine")
        self.assertEqual(upstream.calls[-1]["body"]["cache_salt"], "mine")


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        BINARY = sys.argv.pop(1)
    unittest.main(verbosity=2)
