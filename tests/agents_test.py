#!/usr/bin/env python3
"""Real coding agents at work through `brigada gateway`, before a model that plays a script: they
make a file, read it back and end, alone and by a sub-agent. Loopback only, keys of no worth.

    tests/agents_test.py BINARY      needs tools/fetch_clients
"""
import os
import sys
import tempfile
import unittest

import loopback
from coding_agents import ClaudeCode, Codex, OpenCode, OpenCodeByAnthropic, missing
from gateway import MASTER, Gateway
from scripted_model import DIALECTS, play
from scripted_upstream import Upstream
from server import default_binary

BINARY = default_binary()
TASK_CACHED = [0, 1000, 2000]  # as scripted_model.usage_of has it: a prompt grows, the rest is known

# What an agent's upstream may speak. Its own dialect passes through; others need a translation.
WORKS = [(ClaudeCode, "messages"), (Codex, "responses"), (OpenCode, "chat"),
         (OpenCodeByAnthropic, "messages")]
PROVIDERS = {"messages": "anthropic", "chat": "openai", "responses": "openai"}


class Door(Gateway):
    """A gateway with one model, `coder`, at an upstream of one dialect."""

    def __init__(self, folder, dialect, upstream):
        self.provider = PROVIDERS[dialect]
        super().__init__(BINARY, folder, upstream)

    def yaml(self, upstream):
        return f"""
general_settings: {{master_key: {MASTER}}}
model_list:
- model_name: coder
  litellm_params:
    model: {self.provider}/up-coder
    api_base: {upstream.url}
    api_key: sk-of-the-upstream
    input_cost_per_token: 0.000001
    cache_read_input_token_cost: 0.0000001
    output_cost_per_token: 0.000002
"""

    def spend_logs(self, **query):
        words = "&".join(f"{name}={value}" for name, value in query.items())
        status, _, rows = self.call(f"/spend/logs?summarize=false&{words}")
        assert status == 200, rows
        return rows[::-1]  # oldest first


@unittest.skipIf(missing() and not os.environ.get("BRIGADA_REQUIRE_ASSETS"), missing())
class AgentTest(unittest.TestCase):
    """An agent before an upstream of one dialect."""

    def start(self, agent, dialect, **limits):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dialect = DIALECTS[dialect]
        self.upstream = Upstream()
        self.addCleanup(self.upstream.stop)
        self.door = Door(folder.name, dialect, self.upstream)
        self.addCleanup(self.door.kill)
        self.key = self.door.new_key(**limits)
        return agent(folder.name, f"http://127.0.0.1:{self.door.port}", self.key)

    def run_to_the_end(self, agent, plan):
        self.upstream.behave = play(plan)
        code, said = agent.run()
        self.assertEqual(code, 0, said)
        self.assertIn("All done.", said)

    def report(self, session):
        status, _, report = self.door.call(f"/sessions/{session}", key=self.key)
        self.assertEqual(status, 200, report)
        return report

    @staticmethod
    def cached(report):
        return sorted(call["cached_tokens_reported"] for call in report["calls"])


class Work:
    """What every agent does. The classes made of it say which, and what its upstream speaks."""

    agent = None
    upstream_dialect = ""

    def setUp(self):
        self.worker = self.start(self.agent, self.upstream_dialect)

    def test_a_small_task_is_done_and_is_one_session(self):
        self.run_to_the_end(self.worker, self.worker.small_task)
        with open(self.worker.file, encoding="utf-8") as file:
            self.assertEqual(file.read(), "hello from the script\n")
        calls = self.upstream.calls
        self.assertEqual({call["path"] for call in calls}, {self.dialect.path})
        [read_back] = self.dialect.read(calls[-1]["body"]).results[1:]
        self.assertIn("hello from the script", read_back)
        rows = self.door.spend_logs()
        self.assertEqual({row["status"] for row in rows}, {"ok"})
        [session] = {row["session_id"] for row in rows}
        helpers = [0] * (len(calls) - len(TASK_CACHED))  # titles
        self.assertEqual(self.cached(self.report(session)), helpers + TASK_CACHED)


for worker, spoken in WORKS:  # ClaudeCode_at_messages, ...
    case = type(f"{worker.__name__}_at_{spoken}", (Work, AgentTest),
                {"agent": worker, "upstream_dialect": spoken})
    globals()[case.__name__] = case


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        BINARY = sys.argv.pop(1)
    if not loopback.only():
        print("this machine allows no network of its own: agents are only asked to stay at home")
    unittest.main(verbosity=2)
