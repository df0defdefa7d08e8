#!/usr/bin/env python3
"""`brigada gateway` before upstreams that choose HTTP/2: Node's, and nginx where there is one.

    tests/http2_test.py BINARY
"""
import concurrent.futures
import contextlib
import http.client
import json
import os
import queue
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest

from certificates import CertifiedTest
from gateway import Gateway
from scripted_upstream import Upstream
from server import CALL_SECONDS, default_binary, free_port

BINARY = default_binary()
SECONDS = 30
HERE = os.path.dirname(os.path.abspath(__file__))


class NodeUpstream:
    """Runs http2_upstream.mjs; `events` has what it says."""

    def __init__(self, certificate):
        self.process = subprocess.Popen(["node", os.path.join(HERE, "http2_upstream.mjs"), certificate],
                                        stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline())
        self.url = f"https://localhost:{self.port}/v1"
        self.events = queue.Queue()
        self.seen = []
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            self.events.put(line.strip())

    def wait_for(self, event):
        """The next event of that name; those before it are in `seen`."""
        while True:
            self.seen.append(self.events.get(timeout=SECONDS))
            if self.seen[-1].startswith(event):
                return self.seen[-1]

    def count(self, event, least=0):
        """How many of them it has told, once it has told at least so many."""
        while self.seen.count(event) < least:
            self.seen.append(self.events.get(timeout=SECONDS))
        with contextlib.suppress(queue.Empty):
            while True:
                self.seen.append(self.events.get_nowait())
        return self.seen.count(event)

    def stop(self):
        self.process.kill()
        self.process.wait()
        self.reader.join()
        self.process.stdout.close()


class Http2Test(CertifiedTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.certificate = cls.authority.issue("server")

    def setUp(self):
        super().setUp()
        self.upstream = NodeUpstream(self.certificate)
        self.stack.callback(self.upstream.stop)

    def gateway(self, url=None, extra=""):
        out = Gateway(BINARY, self.folder, {"m": [url or self.upstream.url]},
                      f"litellm_settings:\n  ssl_verify: {self.authority.file}\n{extra}")
        self.stack.callback(out.kill)
        self.key = out.new_key()
        return out

    def chat(self, gateway, content, **fields):
        return gateway.call("/v1/chat/completions",
                            {"model": "m", "messages": [{"role": "user", "content": content}],
                             **fields}, self.key)

    @contextlib.contextmanager
    def open_stream(self, gateway, content):
        client = http.client.HTTPConnection("127.0.0.1", gateway.port, timeout=CALL_SECONDS)
        with contextlib.closing(client):
            body = {"model": "m", "stream": True,
                    "messages": [{"role": "user", "content": content}]}
            client.request("POST", "/v1/chat/completions", json.dumps(body),
                           {"Authorization": f"Bearer {self.key}"})
            yield client


class Node(Http2Test):
    def test_many_calls_share_one_connection(self):
        gateway = self.gateway()
        self.assertEqual(self.chat(gateway, "first")[0], 200)

        def call(number):
            status, _, body = self.chat(gateway, f"call {number}", stream=number % 2 == 0)
            if number % 2 == 0:
                return status == 200 and body.rstrip().endswith("data: [DONE]") and "p19" in body
            return status == 200 and body["choices"][0]["message"]["content"] == f"call {number}"

        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            self.assertEqual(list(pool.map(call, range(64))), [True] * 64)
        self.assertEqual(self.upstream.count("session"), 1)
        self.assertEqual(self.upstream.count("stream HTTP/2.0"), 65)
        gateway.stop()
        self.assertEqual([row["status"] for row in gateway.ledger()], ["ok"] * 65)

    def test_big_bodies_pass_both_ways(self):
        text = "".join(chr(97 + i % 26) for i in range(5_000_000))
        gateway = self.gateway()
        status, _, body = self.chat(gateway, text)
        self.assertEqual(status, 200)
        self.assertEqual(body["choices"][0]["message"]["content"], text)

    def test_a_client_that_leaves_resets_its_stream_alone(self):
        gateway = self.gateway()
        with self.open_stream(gateway, "endless") as staying:
            answer = staying.getresponse()
            answer.readline()
            with self.open_stream(gateway, "hang"):
                self.upstream.wait_for("stream")
                self.upstream.wait_for("stream")
            self.assertEqual(self.upstream.wait_for("closed"), "closed 8")  # CANCEL
            for _ in range(100):
                self.assertTrue(answer.readline())
        self.assertEqual(self.upstream.wait_for("closed"), "closed 8")
        self.assertEqual(self.chat(gateway, "next")[0], 200)
        self.assertEqual(self.upstream.count("session"), 1)

    def test_a_stream_that_the_server_resets_is_told_in_band(self):
        gateway = self.gateway()
        text = self.chat(gateway, "reset", stream=True)[2]
        self.assertIn("ended the stream (INTERNAL_ERROR)", text)
        self.assertNotIn("[DONE]", text)

    def test_after_goaway_another_connection_serves(self):
        gateway = self.gateway()
        for content in ("goaway", "one", "goaway", "two"):
            status, _, body = self.chat(gateway, content)
            self.assertEqual(status, 200, body)
        self.assertEqual(self.upstream.count("session", least=3), 3)

    def test_an_upstream_that_dies_breaks_all_its_streams(self):
        gateway = self.gateway()
        with self.open_stream(gateway, "endless") as one, self.open_stream(gateway, "endless") as two:
            answers = [one.getresponse(), two.getresponse()]
            self.upstream.process.kill()
            for answer in answers:
                text = answer.read().decode()
                self.assertIn("upstream_error", text)
                self.assertNotIn("[DONE]", text)

    def test_it_is_not_offered_when_the_configuration_says_so(self):
        gateway = self.gateway(extra="brigada:\n  http2: false\n")
        self.assertEqual(self.chat(gateway, "one")[0], 200)
        self.assertEqual(self.upstream.wait_for("stream"), "stream HTTP/1.1")


@unittest.skipUnless(shutil.which("nginx"), "there is no nginx")
class Nginx(Http2Test):
    def setUp(self):
        super().setUp()
        self.behind = Upstream()
        self.stack.callback(self.behind.stop)
        self.port = free_port()
        with open(os.path.join(self.folder, "nginx.conf"), "w", encoding="utf-8") as file:
            file.write(f"""
daemon off; worker_processes 1; pid {self.folder}/nginx.pid; error_log stderr;
events {{}}
http {{
  access_log off; client_max_body_size 64m;
  client_body_temp_path {self.folder}; proxy_temp_path {self.folder};
  fastcgi_temp_path {self.folder}; uwsgi_temp_path {self.folder}; scgi_temp_path {self.folder};
  server {{
    listen 127.0.0.1:{self.port} ssl http2;
    ssl_certificate {self.certificate}; ssl_certificate_key {self.certificate};
    location / {{ proxy_pass {self.behind.url.rsplit("/", 1)[0]}; proxy_http_version 1.1;
                  proxy_buffering off; add_header x-protocol $server_protocol; }}
  }}
}}""")
        self.nginx = subprocess.Popen(["nginx", "-p", self.folder, "-c", "nginx.conf"],
                                      stderr=subprocess.DEVNULL)
        self.stack.callback(self.nginx.wait)
        self.stack.callback(self.nginx.terminate)

    def test_whole_streamed_and_big(self):
        gateway = self.gateway(f"https://localhost:{self.port}/v1")
        for stream in (False, True):
            status, _, body = self.chat(gateway, "hi", stream=stream)
            self.assertEqual(status, 200, body)
        status, _, body = self.chat(gateway, "x" * 3_000_000)
        self.assertEqual(status, 200, body)
        self.assertEqual(len(self.behind.calls[-1]["body"]["messages"][0]["content"]), 3_000_000)


if __name__ == "__main__":
    if len(sys.argv) > 1 and os.path.exists(sys.argv[1]):
        BINARY = sys.argv.pop(1)
    unittest.main(verbosity=2)
