#!/usr/bin/env python3
"""`brigada load` against an endpoint that answers as it is told to, so that the right numbers are known, and against
`brigada serve`. Times are judged from below only: a server that waits 200 ms has made everybody wait that long.

    tests/load_test.py [BINARY]
"""
import collections
import csv
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from scripted_upstream import Upstream, chat_answer, usage
from server import Server, default_binary

ROOT = pathlib.Path(__file__).resolve().parent.parent
STORIES = str(ROOT / "testdata/models/stories260K/gguf/stories260K-f32.gguf")
BINARY = default_binary()
PROBES = 4    # calls before the run, by which the template is learnt


def pause(seconds):
    threading.Event().wait(seconds)


def chunk(text):
    return f'data: {json.dumps({"id": "c1", "choices": [{"index": 0, "delta": {"content": text}}]})}\n\n'


def ending(prompt, output, cached=0):
    finish = {"id": "c1", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    told = {"id": "c1", "choices": [], "usage": usage(prompt, cached, output)}
    return f"data: {json.dumps(finish)}\n\ndata: {json.dumps(told)}\n\ndata: [DONE]\n\n"


TOKENS = re.compile(r"[A-Za-z]{1,8}|[0-9]|[^\sA-Za-z0-9]{1,3}|\n\s*")


def tokens_in(body):
    """As many tokens as this endpoint counts, which has a tokenizer of its own and whose template adds to each
    message and call."""
    count = 7 + (11 if body.get("tools") else 0)
    for message in body["messages"]:
        count += 3 + len(TOKENS.findall(message.get("content") or "")) + 5 * len(message.get("tool_calls") or [])
    return count


class Endpoint(Upstream):
    """Answers each call of a run by `answer(exchange, number)`, and the probes before it by itself."""

    def __init__(self, answer):
        self.lock = threading.Lock()
        self.number = 0
        self.answer = answer
        self.told = collections.Counter()    # tokens that were reported, of finished calls
        super().__init__(self.act)
        self.models = ["scripted"]

    def act(self, exchange):
        with self.lock:
            self.number += 1
            number = self.number - PROBES
        if number <= 0:
            exchange.begin_stream()
            exchange.write(chunk("x") + ending(tokens_in(exchange.body), 1))
            exchange.end_stream()
        else:
            self.answer(exchange, number)

    def stream(self, exchange, pieces, every=0.0, first=0.0, cached=0):
        """`pieces` of so many tokens each, one `every` so many seconds."""
        prompt = tokens_in(exchange.body)
        pause(first)
        exchange.begin_stream()
        for number, tokens in enumerate(pieces):
            if number > 0:
                pause(every)
            exchange.write(chunk("word " * tokens))
        exchange.write(ending(prompt, sum(pieces), cached))
        exchange.end_stream()
        with self.lock:
            self.told.update(calls=1, prompt=prompt, output=sum(pieces), cached=cached)

    def measured(self):
        """The bodies of the run's calls."""
        return [call["body"] for call in self.calls[PROBES:]]


def start(url, *options):
    return subprocess.Popen([BINARY, "load", "--url", url, "--quiet", "--json", *options],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def load(url, *options, code=0):
    process = start(url, *options)
    out, err = process.communicate(timeout=120)
    assert process.returncode == code, (process.returncode, out[-2000:], err)
    return json.loads(out) if out else None, err


class Measures(unittest.TestCase):
    def load(self, answer, *options, code=0):
        """The endpoint that was driven, which answered by `answer`, the report, and what was said on stderr."""
        self.endpoint = Endpoint(answer)
        try:
            report, err = load(self.endpoint.url, *options, code=code)
        finally:
            self.endpoint.stop()
        return self.endpoint, report, err

    def test_the_time_to_the_first_token_and_between_tokens(self):
        def answer(exchange, number):
            self.endpoint.stream(exchange, [1] * 6, every=0.04, first=0.2)
        _, report, _ = self.load(answer, "--calls", "4", "--sessions", "2")
        latency = report["latency"]
        self.assertGreaterEqual(latency["ttft_ms"]["p50"], 200)
        self.assertGreaterEqual(latency["first_byte_ms"]["p50"], 200)
        self.assertGreaterEqual(latency["e2e_ms"]["p50"], 400)
        self.assertGreater(latency["tpot_ms"]["mean"], 0)
        self.assertLessEqual(latency["itl_ms"]["count"], 4 * 5)    # fewer where two came in one read
        self.assertGreater(latency["itl_ms"]["count"], 0)
        self.assertGreaterEqual(latency["per_token_ms"]["p50"], 400 / 6)
        self.assertLessEqual(report["rates"]["interactivity_tokens_per_second"], 1000 / (400 / 6))

    def test_a_piece_of_four_tokens_is_four_tokens(self):
        def answer(exchange, number):
            self.endpoint.stream(exchange, [1, 4, 4, 4], every=0.08)
        _, report, _ = self.load(answer, "--calls", "3")
        self.assertLessEqual(report["latency"]["itl_ms"]["count"], 3 * 12)
        calls = report["each_call"]
        for tpot, e2e in zip(calls["tpot_ms"], calls["e2e_ms"]):
            self.assertLess(tpot * 12, e2e)    # counted by pieces it would be four times as long
        self.assertGreaterEqual(report["measurement"]["pieces_of_several_tokens"], 3)
        self.assertEqual(report["tokens"]["output"], 3 * 13)

    def test_a_bundled_beginning_does_not_make_tokens_look_fast(self):
        def answer(exchange, number):
            self.endpoint.stream(exchange, [6, 1, 1, 1], every=0.15)
        _, report, _ = self.load(answer, "--calls", "3")
        self.assertGreaterEqual(report["latency"]["tpot_ms"]["max"], 90)    # 450 ms / 3 tokens, not / 8
        self.assertEqual(report["measurement"]["first_pieces_of_several_tokens"], 3)

    def test_a_stall_shows_in_the_slowest_gap(self):
        def answer(exchange, number):
            prompt = tokens_in(exchange.body)
            exchange.begin_stream()
            for wait in (0, 0.01, 1, 0.01):
                pause(wait)
                exchange.write(chunk("word "))
            exchange.write(ending(prompt, 4))
            exchange.end_stream()
        _, report, _ = self.load(answer, "--calls", "2")
        self.assertGreaterEqual(report["latency"]["itl_ms"]["max"], 500)

    def test_what_the_server_counts_is_what_is_reported(self):
        def answer(exchange, number):
            self.endpoint.stream(exchange, [1] * 5, cached=16)
        endpoint, report, _ = self.load(answer, "--calls", "40", "--sessions", "4", "--turns", "5", "--prompt-tokens",
                                        "900", "--shared-prefix", "300", "--turn-tokens", "120", "--output-tokens", "60")
        self.assertEqual(report["calls"]["finished"], endpoint.told["calls"])
        self.assertEqual(endpoint.told["calls"], 40)
        self.assertEqual(len(endpoint.calls), 40 + PROBES)
        for name in ("prompt", "output", "cached"):
            self.assertEqual(report["tokens"][name], endpoint.told[name], name)
        planned = report["tokens"]["prompt_planned"]
        self.assertLess(abs(report["tokens"]["prompt"] / planned - 1), 0.02)
        self.assertTrue(report["measurement"]["template_probed"])
        self.assertAlmostEqual(report["measurement"]["template_tokens_per_message"], 3, delta=2)

    def test_each_prompt_of_a_session_begins_with_the_one_before(self):
        def answer(exchange, number):
            self.endpoint.stream(exchange, [1] * 3)
        endpoint, _, _ = self.load(answer, "--calls", "30", "--sessions", "3", "--turns", "5", "--prompt-tokens", "600",
                                   "--shared-prefix", "200")
        sessions = collections.defaultdict(list)
        for call in endpoint.calls[PROBES:]:
            headers = {name.lower(): value for name, value in call["headers"].items()}
            sessions[headers["x-session-id"]].append(call["body"]["messages"])
        turns = [len(prompts) for prompts in sessions.values()]
        self.assertEqual(max(turns), 5)
        self.assertLessEqual(sum(count < 5 for count in turns), 3)  # those that the 30th call cut short
        self.assertEqual(len({prompts[0][0]["content"] for prompts in sessions.values()}), 1)
        self.assertEqual(len({prompts[0][1]["content"] for prompts in sessions.values()}), len(sessions))
        for prompts in sessions.values():
            for before, after in zip(prompts, prompts[1:]):
                self.assertEqual(after[:len(before)], before)
                self.assertEqual([message["role"] for message in after[len(before):]], ["assistant", "tool"])

    def test_a_trace_is_played_with_its_shared_prefixes(self):
        def answer(exchange, number):
            self.endpoint.stream(exchange, [1] * exchange.body["max_completion_tokens"])
        recorded = [(0, 1500, 5, [0, 1, 2]), (200, 1700, 4, [0, 1, 2, 3]), (400, 600, 3, [4, 5])]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "trace.jsonl")
            with open(path, "w", encoding="utf-8") as file:
                for at, prompt, output, blocks in recorded:
                    file.write(json.dumps({"timestamp": at, "input_length": prompt, "output_length": output,
                                           "hash_ids": blocks}) + "\n")
            endpoint, report, _ = self.load(answer, "--trace", path)
            _, halved, _ = self.load(answer, "--trace", path, "--time-scale", "0.5")
        self.assertEqual(report["calls"]["finished"], 3)
        self.assertEqual(report["tokens"]["output"], 12)
        self.assertEqual(report["tokens"]["prompt_planned"], 3800)
        self.assertLess(abs(report["tokens"]["prompt"] / 3800 - 1), 0.04)    # without a tokenizer
        self.assertEqual(sorted(round(at) for at in report["each_call"]["due_ms"]), [0, 200, 400])
        self.assertEqual(sorted(round(at) for at in halved["each_call"]["due_ms"]), [0, 100, 200])
        texts = sorted(("".join(message["content"] for message in body["messages"])
                        for body in endpoint.measured()), key=len)
        self.assertEqual(texts[2][:4000], texts[1][:4000])
        self.assertNotEqual(texts[0][:1000], texts[1][:1000])

    def test_failures_are_apart_and_by_cause(self):
        def answer(exchange, number):
            if number % 3 == 0:
                exchange.answer(503, {"error": {"type": "overloaded", "message": "too busy"}})
            elif number % 3 == 1:
                exchange.begin_stream()
                exchange.write(chunk("half an ans"))
                exchange.close_connection = True
                exchange.connection.shutdown(2)
            else:
                self.endpoint.stream(exchange, [1] * 4)
        endpoint, report, err = self.load(answer, "--calls", "9", "--sessions", "9", "--distinct", "9",
                                          code=1)
        self.assertEqual(report["calls"]["finished"], endpoint.told["calls"])
        self.assertEqual(report["calls"]["failed"], 6)
        self.assertEqual(report["calls"]["causes"]["HTTP 503 overloaded"], 3)
        self.assertEqual(sum(count for cause, count in report["calls"]["causes"].items()
                             if cause.startswith("broken answer")), 3)
        self.assertEqual(report["latency"]["ttft_ms"]["count"], 3)
        self.assertIn("6 of 9 calls failed", err)

    def test_a_stream_without_its_end_is_no_answer(self):
        def answer(exchange, number):
            exchange.begin_stream()
            exchange.write(chunk("all there is"))
            exchange.end_stream()
        _, report, _ = self.load(answer, "--calls", "2", "--max-failures", "1", code=1)
        self.assertEqual(report["calls"]["failed"], 2)

    def test_retries_wait_as_they_are_told(self):
        seen = []

        def answer(exchange, number):
            seen.append(time.monotonic())
            if number == 1:
                exchange.answer(429, {"error": {"type": "rate_limit_error", "message": "slowly"}},
                                Retry_After="0.4")
            else:
                self.endpoint.stream(exchange, [1] * 3)
        _, report, _ = self.load(answer, "--calls", "1", "--retries", "2")
        self.assertEqual(report["calls"]["finished"], 1)
        self.assertEqual(report["calls"]["retried"], 1)
        self.assertGreaterEqual(seen[1] - seen[0], 0.4)
        self.assertGreaterEqual(report["latency"]["e2e_ms"]["max"], 400)

    def test_what_is_not_over_in_time_is_unfinished(self):
        def answer(exchange, number):
            if number > 2:
                exchange.begin_stream()
                exchange.write(chunk("and so on"))
                exchange.wfile.flush()
                self.endpoint.gone.wait(30)
                exchange.write(chunk("nobody listens"))
                exchange.write(chunk("nobody listens"))
            else:
                self.endpoint.stream(exchange, [1] * 3)
        _, report, _ = self.load(answer, "--sessions", "2", "--duration", "1s", "--drain", "100ms")
        self.assertEqual(report["calls"]["finished"], 2)
        self.assertEqual(report["calls"]["unfinished"], 2)
        self.assertEqual(report["calls"]["failed"], 0)
        self.assertEqual(report["latency"]["ttft_ms"]["count"], 2)

    def test_an_open_loop_sends_on_time_whatever_the_server_does(self):
        def answer(exchange, number):
            self.endpoint.stream(exchange, [1] * 2, first=0.5)
        _, report, _ = self.load(answer, "--rate", "20", "--arrivals", "constant", "--duration", "2s")
        self.assertEqual(report["calls"]["sent"], 40)
        self.assertEqual(report["calls"]["finished"], 40)
        due = sorted(report["each_call"]["due_ms"])
        for one, next_one in zip(due, due[1:]):
            self.assertAlmostEqual(next_one - one, 50, places=3)
        self.assertEqual(report["latency"]["lateness_ms"]["count"], 40)

    def test_a_limit_on_calls_at_once_shows_as_lateness(self):
        def answer(exchange, number):
            self.endpoint.stream(exchange, [1] * 2, first=0.3)
        _, report, _ = self.load(answer, "--rate", "20", "--arrivals", "constant", "--duration", "1s", "--concurrency",
                                 "1")
        self.assertGreater(report["calls"]["due_and_not_sent"], 0)
        self.assertEqual(report["calls"]["due_and_not_sent"] + report["calls"]["sent"], 20)
        self.assertGreaterEqual(report["latency"]["lateness_ms"]["max"], 200)

    def test_goodput_counts_only_what_met_its_targets(self):
        def answer(exchange, number):
            self.endpoint.stream(exchange, [1] * 2, first=0.6 if number % 2 else 0)
        _, report, _ = self.load(answer, "--calls", "8", "--slo-ttft", "500ms")
        self.assertLessEqual(report["rates"]["calls_within_slo"], 4)
        self.assertEqual(report["rates"]["slo_ms"]["ttft"], 500)

    def test_the_warm_up_is_not_measured(self):
        def answer(exchange, number):
            self.endpoint.stream(exchange, [1] * 2, first=0.05)
        endpoint, report, _ = self.load(answer, "--warm-up", "500ms", "--duration", "1s")
        self.assertGreater(report["calls"]["in_warm_up"], 0)
        self.assertEqual(report["calls"]["in_warm_up"] + report["calls"]["finished"],
                         endpoint.told["calls"])

    def test_a_whole_answer_instead_of_a_stream_is_measured_too(self):
        _, report, _ = self.load(lambda exchange, number: exchange.answer(200, chat_answer()), "--calls", "2")
        self.assertEqual(report["calls"]["finished"], 2)

    def test_ctrl_c_ends_with_the_report(self):
        def answer(exchange, number):
            first.set()
            self.endpoint.stream(exchange, [1] * 2, first=0.02)
        first = threading.Event()
        self.endpoint = Endpoint(answer)
        try:
            process = start(self.endpoint.url, "--duration", "1h")
            self.assertTrue(first.wait(60))
            pause(0.5)
            process.send_signal(signal.SIGINT)
            out, err = process.communicate(timeout=60)
        finally:
            self.endpoint.stop()
        self.assertEqual(process.returncode, 0, err)
        report = json.loads(out)
        self.assertTrue(report["run"]["interrupted"])
        self.assertGreater(report["calls"]["finished"], 0)

    def test_ctrl_c_ends_a_probe_that_nobody_answers(self):
        asked = threading.Event()
        self.endpoint = Endpoint(None)
        self.endpoint.behave = lambda exchange: (asked.set(), self.endpoint.gone.wait(60))
        try:
            process = start(self.endpoint.url, "--calls", "1")
            self.assertTrue(asked.wait(60))
            process.send_signal(signal.SIGINT)
            _, err = process.communicate(timeout=60)
        finally:
            self.endpoint.gone.set()
            self.endpoint.stop()
        self.assertEqual(process.returncode, 1, err)

    def test_files_and_comparison(self):
        def answer(exchange, number):
            self.endpoint.stream(exchange, [1] * 3, first=delay)
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for delay in (0.0, 0.15):
                path = os.path.join(folder, f"{delay}.json")
                paths.append(path)
                self.load(answer, "--calls", "24", "--sessions", "4", "--json-file", path,
                          "--csv", path + ".csv", "--html", path + ".html")
            with open(paths[0] + ".csv", newline="", encoding="utf-8") as file:
                rows = list(csv.DictReader(file))
            self.assertEqual(len(rows), 24)
            self.assertEqual({row["outcome"] for row in rows}, {"finished"})
            self.assertIn("<svg", pathlib.Path(paths[0] + ".html").read_text(encoding="utf-8"))
            said = subprocess.run([BINARY, "load", "compare", *paths, "--json"], capture_output=True, text=True,
                                  timeout=60, check=True)
            figures = {figure["name"]: figure for figure in json.loads(said.stdout)["figures"]}
            self.assertTrue(figures["ttft_ms mean"]["sure"])
            self.assertGreater(figures["ttft_ms mean"]["change"], 0)
            text = subprocess.run([BINARY, "load", "compare", *paths], capture_output=True, text=True, timeout=60,
                                  check=True)
            self.assertIn("ttft_ms p90", text.stdout)
            wrong = subprocess.run([BINARY, "load", "compare", paths[0], paths[0] + ".csv"], capture_output=True,
                                   text=True, timeout=60, check=False)
            self.assertEqual(wrong.returncode, 1)

    def test_a_report_that_cannot_be_written_is_told_before_the_run_and_never_lost(self):
        def answer(exchange, number):
            self.endpoint.stream(exchange, [1] * 2)
        for option in ("--json-file", "--csv", "--html"):
            endpoint, report, err = self.load(answer, "--calls", "2", option, "/no/such/folder/report", code=1)
            self.assertEqual(len(endpoint.calls), 0)
            self.assertIsNone(report)
            self.assertIn("/no/such/folder/report: cannot be written: No such file or directory", err)
            _, report, err = self.load(answer, "--calls", "2", option, "/dev/full", code=1)
            self.assertEqual(report["calls"]["finished"], 2)
            self.assertIn("/dev/full: cannot be written: No space left on device", err)

    def test_an_endpoint_that_refuses_is_told_before_the_run(self):
        endpoint = Endpoint(None)
        endpoint.behave = lambda exchange: exchange.answer(401, {"error": {"message": "no such key"}})
        try:
            _, err = load(endpoint.url, "--calls", "1", code=1)
        finally:
            endpoint.stop()
        self.assertIn("401", err)
        self.assertIn("no such key", err)
        _, err = load("http://127.0.0.1:9", "--calls", "1", "--model", "m", code=1)
        self.assertEqual(len(err.splitlines()), 1)

    def test_an_endpoint_without_tools_gets_the_users_words(self):
        def behave(exchange):
            if exchange.body.get("tools"):
                exchange.answer(400, {"error": {"message": "tools are not supported"}})
            else:
                self.endpoint.stream(exchange, [1] * 2)
        self.endpoint = Endpoint(None)
        self.endpoint.behave = behave
        try:
            report, _ = load(self.endpoint.url, "--calls", "6", "--turns", "3")
        finally:
            self.endpoint.stop()
        self.assertTrue(report["measurement"]["tools_refused"])
        self.assertEqual(report["calls"]["finished"], 6)

    def test_wrong_words_are_one_line(self):
        for words, said in ((["--duration", "soon"], "--duration wants a time"),
                            (["--sessions", "2", "--rate", "1"], "exclude each other"),
                            (["--extra-body", "[1]"], "--extra-body wants a JSON object"),
                            (["--url", "ftp://x"], "--url"),
                            (["--shared-prefix", "5000"], "shared prefix of 5000")):
            ended = subprocess.run([BINARY, "load", "--model", "m", *words], capture_output=True, text=True,
                                   timeout=60, check=False)
            self.assertNotEqual(ended.returncode, 0)
            self.assertEqual(len(ended.stderr.splitlines()), 1, ended.stderr)
            self.assertIn(said, ended.stderr)


class AgainstTheEngine(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server(BINARY, STORIES).__enter__()

    @classmethod
    def tearDownClass(cls):
        cls.server.kill()

    def run_api(self, api, *options):
        before = {name: self.server.metric(name)
                  for name in ("vllm:prompt_tokens_total", "vllm:generation_tokens_total")}
        report, _ = load(f"http://127.0.0.1:{self.server.port}", "--api", api, "--calls", "12", "--sessions", "3",
                         "--turns", "3", "--prompt-tokens", "150", "--shared-prefix", "80", "--turn-tokens", "40",
                         "--output-tokens", "12", *options)
        after = {name: self.server.metric(name) - count for name, count in before.items()}
        self.assertEqual(report["calls"]["finished"], 12)
        self.assertEqual(report["calls"]["failed"], 0)
        return report, after

    def test_every_dialect_finds_the_same_tokens_as_the_server(self):
        for api in ("chat", "messages", "responses"):
            with self.subTest(api):
                report, counted = self.run_api(api, "--tokenizer", STORIES, "--no-probe")
                self.assertEqual(report["tokens"]["output"], counted["vllm:generation_tokens_total"])
                self.assertEqual(report["tokens"]["prompt"], counted["vllm:prompt_tokens_total"])
                self.assertGreater(report["tokens"]["cached"], 0)

    def test_prompts_are_as_long_as_planned(self):
        report, _ = self.run_api("chat", "--tokenizer", STORIES)
        planned = report["tokens"]["prompt_planned"]
        self.assertLess(abs(report["tokens"]["prompt"] / planned - 1), 0.02, report["measurement"])


if __name__ == "__main__":
    if len(sys.argv) > 1 and os.access(sys.argv[1], os.X_OK):
        BINARY = sys.argv.pop(1)
    unittest.main(verbosity=2)
