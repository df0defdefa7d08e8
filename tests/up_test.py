#!/usr/bin/env python3
"""`brigada up`: a real model behind keys, limits, budgets and a ledger. up_test.py BINARY"""
import concurrent.futures
import os
import sys
import tempfile
import unittest

from gateway import Gateway
from server import default_binary, free_port

BINARY = default_binary()
MODEL = "smollm2"

PRICED = """
model_list:
- model_name: coder
  litellm_params: {model: brigada/smollm2, input_cost_per_token: 0.001, output_cost_per_token: 0.002}
"""


class Up(Gateway):
    """A running `brigada up`."""

    def __init__(self, folder, config=None):
        self.binary, self.folder = BINARY, folder
        self.options = []
        if config:
            path = os.path.join(folder, "config.yaml")
            with open(path, "w", encoding="utf-8") as file:
                file.write(config)
            self.options = ["--config", path]
        self.launch()
        with open(os.path.join(folder, "data", "master-key"), encoding="utf-8") as file:
            self.master = file.read()

    def launch(self):
        port = free_port()
        self.start([BINARY, "up", MODEL, "--listen", f"127.0.0.1:{port}", "--kv-memory", "256MB",
                    "--data", os.path.join(self.folder, "data"), *self.options], port)
        self.wait_until_ready()

    def manage(self, path, body=None):
        status, _, answer = self.call(path, body, self.master)
        assert status == 200, answer
        return answer

    def ask(self, key, model=MODEL, **fields):
        return self.chat(model, key, max_tokens=4, temperature=0, **fields)


class UpTest(unittest.TestCase):
    def start(self, config=None):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        up = Up(folder.name, config)
        self.addCleanup(up.kill)
        return up

    def test_a_team_with_a_key_and_a_rate(self):
        up = self.start()
        team = up.manage("/team/new", {"team_alias": "red", "rpm_limit": 3})["team_id"]
        key = up.manage("/key/generate", {"team_id": team})["key"]
        answers = [up.ask(key) for _ in range(5)]
        self.assertEqual([status for status, _, _ in answers], [200, 200, 200, 429, 429])
        self.assertEqual(answers[0][2]["usage"]["completion_tokens"], 4)
        self.assertGreater(int(answers[3][1]["Retry-After"]), 30)
        self.assertIn("3 requests per minute", answers[3][2]["error"]["message"])

    def test_concurrency(self):
        up = self.start()
        key = up.manage("/key/generate", {"max_parallel_requests": 1})["key"]
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            calls = [pool.submit(up.chat, MODEL, key, max_tokens=64) for _ in range(4)]
            seen = sorted(call.result()[0] for call in calls)
        self.assertEqual(seen[0], 200)
        self.assertIn(429, seen)
        self.assertEqual(up.ask(key)[0], 200, "the place was given back")

    def test_a_budget_is_spent_at_the_files_prices_and_reported_by_team(self):
        up = self.start(PRICED)
        team = up.manage("/team/new", {"team_alias": "blue", "max_budget": 0.2})["team_id"]
        key = up.manage("/key/generate", {"team_id": team})["key"]
        spent = 0
        for _ in range(50):
            status, headers, body = up.ask(key, "coder")
            if status != 200:
                break
            usage = body["usage"]
            cached = usage["prompt_tokens_details"]["cached_tokens"]
            cost = ((usage["prompt_tokens"] - cached) + cached) * 0.001 + 4 * 0.002
            self.assertAlmostEqual(float(headers["x-litellm-response-cost"]), cost)
            spent += cost
        self.assertEqual((status, body["error"]["type"]), (429, "budget_exceeded"))
        self.assertEqual(headers["x-should-retry"], "false")
        self.assertGreater(spent, 0.1)
        self.assertLessEqual(spent, 0.2)
        rows = {row["holder"]: row for row in up.manage("/global/spend/report?group_by=team")}
        self.assertAlmostEqual(rows[team]["total_spend"], spent)
        self.assertAlmostEqual(up.manage(f"/team/info?team_id={team}")["team_info"]["spend"], spent)
        up.stop()
        self.assertEqual({row["status"] for row in up.ledger()}, {"ok"})

    def test_turns_of_a_session_find_their_prefix(self):
        up = self.start()
        key = up.manage("/key/generate", {})["key"]
        messages = [{"role": "user", "content": "Tell me about rivers. " * 40}]
        first = up.call("/v1/chat/completions", {"model": MODEL, "messages": messages,
                                                 "max_tokens": 4}, key, {"x-session-id": "s1"})[2]
        messages += [first["choices"][0]["message"], {"role": "user", "content": "And lakes?"}]
        second = up.call("/v1/chat/completions", {"model": MODEL, "messages": messages,
                                                  "max_tokens": 4}, key, {"x-session-id": "s1"})[2]
        cached = second["usage"]["prompt_tokens_details"]["cached_tokens"]
        self.assertGreater(cached, first["usage"]["prompt_tokens"] * 0.9)
        report = up.call("/sessions/s1", key=key)[2]
        self.assertEqual([call["upstream"] for call in report["calls"]], ["engine"] * 2)
        self.assertEqual(report["calls"][1]["cached_tokens_reported"], cached)

    def test_nobody_passes_by_the_door(self):
        up = self.start()
        self.assertEqual(up.ask(None)[0], 401)
        self.assertEqual(up.ask("sk-nobody-has-this-one")[0], 401)
        engine = self.engine_port(up)
        direct = Gateway.__new__(Gateway)
        direct.port = engine
        self.assertEqual(direct.chat(MODEL, None)[0], 403)
        self.assertEqual(direct.chat(MODEL, up.master)[0], 403)

    @staticmethod
    def engine_port(up):
        """The other port that the process listens on."""
        folder = f"/proc/{up.process.pid}/fd"
        sockets = {os.readlink(os.path.join(folder, name)) for name in os.listdir(folder)}
        with open("/proc/net/tcp", encoding="ascii") as file:
            rows = [line.split() for line in file.readlines()[1:]]
        ports = {int(row[1].split(":")[1], 16) for row in rows
                 if row[3] == "0A" and f"socket:[{row[9]}]" in sockets}
        (engine,) = ports - {up.port}
        return engine


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        BINARY = sys.argv.pop(1)
    unittest.main()
