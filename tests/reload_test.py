#!/usr/bin/env python3
"""The gateway reads its configuration again while it runs. reload_test.py BINARY"""
import concurrent.futures
import signal
import sys
import tempfile
import threading
import unittest

from gateway import Gateway
from scripted_upstream import Upstream, chat_events
from server import default_binary

BINARY = default_binary()


class Reload(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.old, self.new = Upstream(), Upstream()
        self.gateway = Gateway(BINARY, self.folder.name, {"m": [self.old.url]})
        self.key = self.gateway.new_key()

    def tearDown(self):
        self.gateway.kill()
        self.old.stop()
        self.new.stop()
        self.folder.cleanup()

    def write(self, upstreams, extra=""):
        with open(self.gateway.config, "w", encoding="utf-8") as file:
            file.write(self.gateway.yaml(upstreams) + extra)

    def reload(self):
        return self.gateway.call("/config/reload", {})

    def test_a_stream_goes_on_at_the_upstream_that_was_taken_away(self):
        begun, go_on = threading.Event(), threading.Event()

        def slow(exchange):
            exchange.begin_stream()
            exchange.write(f"data: {chat_events()[0]}\n\n")
            begun.set()
            go_on.wait(30)
            for event in chat_events()[1:]:
                exchange.write(f"data: {event}\n\n")
            exchange.wfile.write(b"0\r\n\r\n")

        self.old.behave = slow
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            stream = pool.submit(self.gateway.chat, "m", self.key, stream=True)
            self.assertTrue(begun.wait(30))
            self.write({"m": [self.new.url], "n": [self.new.url]})
            status, _, body = self.reload()
            self.assertEqual((status, body["status"]), (200, "success"), body)
            self.assertEqual(self.gateway.chat("m", self.key)[0], 200)
            self.assertEqual(self.gateway.chat("n", self.key)[0], 200)
            go_on.set()
            self.assertIn("[DONE]", stream.result()[2])
        self.assertEqual((len(self.old.calls), len(self.new.calls)), (1, 2))
        self.gateway.stop()
        self.assertEqual([row["status"] for row in self.gateway.ledger()], ["ok"] * 3)

    def test_a_faulty_file_changes_nothing_and_says_where_it_is_wrong(self):
        self.write({"m": [self.new.url]}, "router_settings:\n  num_retries: many\n")
        status, _, body = self.reload()
        self.assertEqual(status, 400)
        self.assertRegex(body["error"]["message"], r"config\.yaml:\d+:\d+: .*num_retries")
        self.assertEqual(self.gateway.chat("m", self.key)[0], 200)
        self.assertEqual((len(self.old.calls), len(self.new.calls)), (1, 0))

    def test_admission_that_can_not_be_changes_nothing(self):
        self.write({"m": [self.new.url]},
                   "brigada:\n  slots: 2\n  classes:\n    guaranteed: {floor: 5}\n")
        status, _, body = self.reload()
        self.assertEqual(status, 400, body)
        self.assertEqual(self.gateway.chat("m", self.key)[0], 200)
        self.assertEqual((len(self.old.calls), len(self.new.calls)), (1, 0))

    def test_a_signal_does_it_too(self):
        self.write({"m": [self.new.url]})
        self.gateway.process.send_signal(signal.SIGHUP)
        self.gateway.wait_for_words("is in force")
        self.assertEqual(self.gateway.chat("m", self.key)[0], 200)
        self.assertEqual((len(self.old.calls), len(self.new.calls)), (0, 1))
        self.write({"m": [self.new.url]}, "brigada: 7\n")
        self.gateway.process.send_signal(signal.SIGHUP)
        self.gateway.wait_for_words("stays as it was")
        self.assertEqual(self.gateway.chat("m", self.key)[0], 200)

    def test_a_call_that_waits_runs_when_slots_are_added(self):
        self.write({"m": [self.old.url]}, "brigada:\n  slots: 2\n")
        self.assertEqual(self.reload()[0], 200)
        begun, go_on = threading.Semaphore(0), threading.Event()

        def slow(exchange):
            begun.release()
            go_on.wait(30)
            exchange.answer_chat()

        self.old.behave = slow
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            calls = [pool.submit(self.gateway.chat, "m", self.key) for _ in range(3)]
            for _ in range(2):
                self.assertTrue(begun.acquire(timeout=30))
            self.assertFalse(begun.acquire(blocking=False))
            self.write({"m": [self.old.url]}, "brigada:\n  slots: 3\n")
            self.assertEqual(self.reload()[0], 200)
            self.assertTrue(begun.acquire(timeout=30), "the third call still waits")
            go_on.set()
            self.assertEqual([call.result()[0] for call in calls], [200] * 3)

    def test_only_the_master_key_reloads(self):
        status, _, body = self.gateway.call("/config/reload", {}, self.key)
        self.assertEqual(status, 403, body)
        self.assertEqual(self.gateway.call("/config/reload")[0], 405)

    def test_what_needs_a_restart_is_said(self):
        # --listen and --data of the command line stand above the file, so neither changes.
        self.write({"m": [self.old.url]}, "litellm_settings:\n  timezone: Europe/Madrid\n"
                   "brigada:\n  data_dir: elsewhere\n  listen: :4999\n")
        status, _, body = self.reload()
        self.assertEqual(status, 200, body)
        self.assertEqual([line for line in body["warnings"] if "restart" in line],
                         ["timezone: changed, and in effect only after a restart"])


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        BINARY = sys.argv.pop(1)
    unittest.main()
