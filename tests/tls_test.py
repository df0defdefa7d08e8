#!/usr/bin/env python3
"""`brigada gateway` before upstreams behind https: real certificates, good and bad.

    tests/tls_test.py BINARY
"""
import contextlib
import http.client
import json
import os
import ssl
import subprocess
import sys
import tempfile
import threading
import unittest

from certificates import Authority, CertifiedTest
from gateway import MASTER, Gateway
from scripted_upstream import Upstream, chat_answer, chat_events
from server import CALL_SECONDS, default_binary, free_port

BINARY = default_binary()
SECONDS = 30


class TlsTest(CertifiedTest):
    def upstream(self, tls=None, behave=None):
        out = Upstream(behave, tls or self.authority.server())
        self.stack.callback(out.stop)
        return out

    def gateway(self, upstreams, settings=None):
        """Trusts the authority, unless `settings` of litellm_settings say something else."""
        lines = settings if settings is not None else [f"ssl_verify: {self.authority.file}"]
        extra = "".join(f"  {line}\n" for line in lines)
        out = Gateway(BINARY, self.folder, upstreams, extra and "litellm_settings:\n" + extra)
        self.stack.callback(out.kill)
        return out


class Answers(TlsTest):
    def test_whole_and_streamed_answers_on_one_connection(self):
        upstream = self.upstream()
        gateway = self.gateway({"m": [upstream.url]})
        key = gateway.new_key()
        for stream in (False, True, False):
            status, _, body = gateway.chat("m", key, stream=stream)
            self.assertEqual(status, 200, body)
            if stream:
                self.assertTrue(body.rstrip().endswith("data: [DONE]"), body)
        self.assertEqual(len({call["peer"] for call in upstream.calls}), 1)
        self.assertEqual(upstream.calls[0]["headers"]["host"], upstream.url.split("/")[2])
        gateway.stop()
        self.assertEqual([row["status"] for row in gateway.ledger()], ["ok"] * 3)

    def test_big_bodies_pass_both_ways(self):
        text = "".join(chr(97 + i % 26) for i in range(5_000_000))
        upstream = self.upstream(behave=lambda exchange: exchange.answer(
            200, chat_answer(exchange.body["messages"][0]["content"])))
        gateway = self.gateway({"m": [upstream.url]})
        status, _, body = gateway.call(
            "/v1/chat/completions", {"model": "m", "messages": [{"role": "user", "content": text}]},
            gateway.new_key())
        self.assertEqual(status, 200)
        self.assertEqual(body["choices"][0]["message"]["content"], text)

    def test_a_stream_cut_without_goodbye_never_looks_finished(self):
        upstream = self.upstream(behave=lambda e: e.stream(chat_events()[:2], end=False))
        gateway = self.gateway({"m": [upstream.url]})
        text = gateway.chat("m", gateway.new_key(), stream=True)[2]
        self.assertNotIn("[DONE]", text)
        self.assertIn("upstream_error", text)

    def test_a_client_that_leaves_is_seen_upstream(self):
        begun = threading.Event()

        def endless(exchange):
            exchange.begin_stream()
            while True:
                exchange.write(f"data: {chat_events()[0]}\n\n")
                begun.set()

        upstream = self.upstream(behave=endless)
        gateway = self.gateway({"m": [upstream.url]})
        client = http.client.HTTPConnection("127.0.0.1", gateway.port, timeout=CALL_SECONDS)
        with contextlib.closing(client):
            body = {"model": "m", "stream": True, "messages": [{"role": "user", "content": "hi"}]}
            client.request("POST", "/v1/chat/completions", json.dumps(body),
                           {"Authorization": f"Bearer {gateway.new_key()}"})
            client.getresponse().readline()
            self.assertTrue(begun.wait(SECONDS))
            client.sock and client.sock.close()
        self.assertTrue(upstream.gone.wait(SECONDS))

    def test_the_key_of_a_client_certificate_opens_the_upstream(self):
        server = self.authority.server()
        server.verify_mode = ssl.CERT_REQUIRED
        server.load_verify_locations(self.authority.file)
        upstream = self.upstream(server)
        mine = self.authority.issue("brigada", names="DNS:gateway")
        trust = f"ssl_verify: {self.authority.file}"
        gateway = self.gateway({"m": [upstream.url]}, [trust, f"ssl_certificate: {mine}"])
        self.assertEqual(gateway.chat("m", gateway.new_key())[0], 200)
        gateway.stop()
        without = self.gateway({"m": [upstream.url]}, [trust])
        status, _, body = without.chat("m", without.new_key())
        self.assertEqual(status, 502)
        self.assertIn("wants a client certificate", body["error"]["message"])


class Trust(TlsTest):
    def told(self, gateway):
        status, _, body = gateway.chat("m", gateway.new_key())
        self.assertEqual(status, 502, body)
        return body["error"]["message"]

    def test_what_is_not_trusted_is_said_and_gets_nothing(self):
        wrong_name = self.upstream(self.authority.server("other", names="DNS:other.example"))
        unknown = self.upstream(Authority(self.folder, "stranger").server())
        plain = Upstream()
        self.stack.callback(plain.stop)
        for upstream, words in ((wrong_name, "is for other.example, not for localhost"),
                                (unknown, "issued by CN=stranger, which is not trusted"),
                                (plain, "is it plain http?")):
            url = upstream.url.replace("http://127.0.0.1", "https://localhost")
            with self.subTest(words):
                gateway = self.gateway({"m": [url]})
                self.assertIn(words, self.told(gateway))
                self.assertEqual(upstream.calls, [])
                gateway.stop()

    def test_another_upstream_answers_instead(self):
        bad = self.upstream(Authority(self.folder, "stranger").server())
        good = self.upstream()
        gateway = self.gateway({"m": [bad.url, good.url]})
        key = gateway.new_key()
        for _ in range(4):
            self.assertEqual(gateway.chat("m", key)[0], 200)
        self.assertEqual((len(bad.calls), len(good.calls)), (0, 4))

    def test_verification_off_is_warned_of_and_works(self):
        upstream = self.upstream(Authority(self.folder, "stranger").server(names="DNS:other"))
        gateway = self.gateway({"m": [upstream.url]}, ["ssl_verify: false"])
        self.assertEqual(gateway.chat("m", gateway.new_key())[0], 200)
        self.assertIn("ssl_verify is false", gateway.said())

    def test_the_environment_names_a_bundle(self):
        upstream = self.upstream()
        os.environ["SSL_CERT_FILE"] = self.authority.file
        self.stack.callback(os.environ.pop, "SSL_CERT_FILE", None)
        gateway = self.gateway({"m": [upstream.url]}, [])
        self.assertEqual(gateway.chat("m", gateway.new_key())[0], 200)

    def test_a_missing_file_is_named_at_the_start(self):
        config = os.path.join(self.folder, "config.yaml")
        with open(config, "w", encoding="utf-8") as file:
            file.write(Gateway.yaml({"m": ["https://localhost:1/v1"]}) +
                       "litellm_settings:\n  ssl_verify: /nowhere/ca.pem\n")
        told = subprocess.run(
            [BINARY, "gateway", "--config", config, "--listen", f"127.0.0.1:{free_port()}",
             "--data", os.path.join(self.folder, "data")],
            capture_output=True, text=True, timeout=SECONDS, check=False)
        self.assertNotEqual(told.returncode, 0)
        self.assertIn("/nowhere/ca.pem: No such file or directory", told.stdout + told.stderr)
        self.assertIn("model_list 'm' (m-0)", told.stdout + told.stderr)

    def test_a_reload_reads_certificates_again(self):
        upstream = self.upstream()
        bundle = os.path.join(self.folder, "bundle.pem")
        with open(bundle, "w", encoding="utf-8") as file, \
                open(Authority(self.folder, "stranger").file, encoding="utf-8") as stranger:
            file.write(stranger.read())
        gateway = self.gateway({"m": [upstream.url]}, [f"ssl_verify: {bundle}"])
        self.assertIn("not trusted", self.told(gateway))
        with open(bundle, "w", encoding="utf-8") as file, \
                open(self.authority.file, encoding="utf-8") as right:
            file.write(right.read())
        self.assertEqual(gateway.call("/config/reload", {}, MASTER)[0], 200)
        self.assertEqual(gateway.chat("m", gateway.new_key())[0], 200)
        os.remove(bundle)
        status, _, body = gateway.call("/config/reload", {}, MASTER)
        self.assertNotEqual(status, 200, body)
        self.assertEqual(gateway.chat("m", gateway.new_key())[0], 200)


if __name__ == "__main__":
    if len(sys.argv) > 1 and os.path.exists(sys.argv[1]):
        BINARY = sys.argv.pop(1)
    unittest.main(verbosity=2)
