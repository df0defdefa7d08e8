#!/usr/bin/env python3
"""`brigada model` seen from outside, against a hub on this machine.

    tests/hub_test.py [BINARY]
"""
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import unittest

from hub_server import Hub
from server import default_binary

ROOT = pathlib.Path(__file__).resolve().parent.parent
GGUF = (ROOT / "testdata/models/stories260K/gguf/stories260K-f32.gguf").read_bytes()
BINARY = default_binary()


class ModelCommands(unittest.TestCase):
    def setUp(self):
        self.cache = pathlib.Path(tempfile.mkdtemp(prefix="brigada-test-"))
        self.addCleanup(shutil.rmtree, self.cache, ignore_errors=True)

    def environment(self, hub):
        kept = {k: v for k, v in os.environ.items() if k not in ("HF_TOKEN", "HF_ENDPOINT")}
        return {**kept, "BRIGADA_CACHE": str(self.cache), **({"HF_ENDPOINT": hub.address} if hub else {})}

    def start(self, hub, *words):
        return subprocess.Popen([BINARY, "model", *words], env=self.environment(hub), text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def run_model(self, hub, *words):
        process = self.start(hub, *words)
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err

    def check_pulled(self, out):
        path = pathlib.Path(out.strip())
        self.assertTrue(path.is_relative_to(self.cache))
        self.assertEqual(path.read_bytes(), GGUF)

    def test_pull_list_inspect_remove(self):
        with Hub({"m.gguf": GGUF, "README.md": b"hello"}) as hub:
            code, out, err = self.run_model(hub, "pull", "org/tiny")
            self.assertEqual(code, 0, err)
            self.check_pulled(out)
        self.assertIn("org/tiny", self.run_model(None, "ls")[1])
        for command in ("inspect", "kv"):
            code, out, err = self.run_model(None, command, "org/tiny")
            self.assertEqual(code, 0, err)
            self.assertIn("llama" if command == "inspect" else "KV", out)
        self.assertEqual(self.run_model(None, "rm", "org/tiny")[0], 0)
        self.assertEqual(self.run_model(None, "inspect", "org/tiny")[0], 1)

    def test_killed_in_the_middle_then_pulled_again(self):
        with Hub({"m.gguf": GGUF}, hold_after=400_000) as hub:
            first = self.start(hub, "pull", "org/tiny/m.gguf")
            self.assertTrue(hub.held.wait(30))
            part = self.cache / "models/org/tiny/m.gguf/m.gguf.part"
            clock = threading.Event()
            while not (part.exists() and part.stat().st_size >= 300_000):
                self.assertIsNone(first.poll())
                clock.wait(0.02)
            first.send_signal(signal.SIGKILL)
            first.communicate()
            self.assertNotIn("org/tiny", self.run_model(None, "ls")[1])

            code, out, err = self.run_model(hub, "pull", "org/tiny/m.gguf")
            self.assertEqual(code, 0, err)
            self.check_pulled(out)
            self.assertNotEqual(hub.ranges[-1], "bytes=0-")

    def test_two_pulls_at_once_fetch_once(self):
        with Hub({"m.gguf": GGUF}, hold_after=1000) as hub:
            first = self.start(hub, "pull", "org/tiny/m.gguf")
            self.assertTrue(hub.held.wait(30))
            second = self.start(hub, "pull", "org/tiny/m.gguf")
            self.assertIn("another pull", second.stderr.readline())
            hub.release.set()
            for process in (first, second):
                out, err = process.communicate(timeout=60)
                self.assertEqual(process.returncode, 0, err)
                self.check_pulled(out)
            self.assertEqual(len(hub.ranges), 1)

    def test_a_full_disk_is_told_and_nothing_counts(self):
        disk = self.cache / "disk"
        disk.mkdir()
        mount = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", str(disk)],
                               capture_output=True)
        if mount.returncode != 0:
            self.skipTest("mounting a small disk needs root")
        self.addCleanup(subprocess.run, ["umount", str(disk)])
        self.cache = disk
        with Hub({"m.gguf": GGUF}) as hub:
            code, _, err = self.run_model(hub, "pull", "org/tiny/m.gguf")
        self.assertEqual(code, 1)
        self.assertIn("free some space", err)
        self.assertNotIn("org/tiny", self.run_model(None, "ls")[1])
        self.cache = disk.parent

    def test_what_a_hub_does_not_have(self):
        with Hub({"a.gguf": GGUF, "b.gguf": GGUF}) as hub:
            code, _, err = self.run_model(hub, "pull", "org/tiny/c.gguf")
            self.assertEqual((code, err.count("\n")), (1, 1))
            self.assertIn("404", err)
            code, _, err = self.run_model(hub, "pull", "org/tiny")
            self.assertIn("org/tiny/b.gguf", err)
            gone = hub.address
        environment = {**self.environment(None), "HF_ENDPOINT": gone}
        ended = subprocess.run([BINARY, "model", "pull", "org/tiny"], env=environment, text=True,
                               capture_output=True, timeout=60)
        self.assertEqual(ended.returncode, 1)
        self.assertIn("HF_ENDPOINT", ended.stderr)


if __name__ == "__main__":
    if len(sys.argv) > 1 and os.access(sys.argv[1], os.X_OK):
        BINARY = sys.argv.pop(1)
    unittest.main(verbosity=2)
