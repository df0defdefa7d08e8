#!/usr/bin/env python3
"""Real coding agents at work through `brigada gateway`, before a model that plays a script: they
make a file, read it back and end, alone and by a sub-agent. Loopback only, keys of no worth.

    tests/agents_test.py BINARY      needs tools/fetch_clients
"""
import json
import os
import re
import sys
import tempfile
import unittest

import loopback
from coding_agents import PAGE, ClaudeCode, Codex, OpenCode, OpenCodeByAnthropic, missing
from gateway import MASTER, Gateway
from scripted_model import DIALECTS, play
from scripted_upstream import Upstream
from server import default_binary

BINARY = default_binary()
COUNT_TOKENS = "/v1/messages/count_tokens"
TASK_CACHED = [0, 1000, 2000]  # as scripted_model.usage_of has it: a prompt grows, the rest is known

# What an agent's upstream may speak. Its own dialect passes through; others need a translation.
WORKS = [(ClaudeCode, "messages"), (Codex, "responses"), (OpenCode, "chat"),
         (OpenCodeByAnthropic, "messages"),
         (ClaudeCode, "chat"), (ClaudeCode, "responses"), (Codex, "chat"), (Codex, "messages"),
         (OpenCode, "messages"), (OpenCode, "responses")]
PROVIDERS = {"messages": "anthropic", "chat": "hosted_vllm", "responses": "openai"}


class Door(Gateway):
    """A gateway with one model, `coder`, at an upstream of one dialect."""

    def __init__(self, folder, dialect, upstream, settings):
        self.provider = PROVIDERS[dialect]
        self.paths = [DIALECTS[dialect].path] + ([COUNT_TOKENS] if dialect == "messages" else [])
        super().__init__(BINARY, folder, upstream, settings)

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
  model_info: {{supported_endpoints: [{", ".join(self.paths)}]}}
"""


@unittest.skipIf(missing() and not os.environ.get("BRIGADA_REQUIRE_ASSETS"), missing())
class AgentTest(unittest.TestCase):
    """An agent before an upstream of one dialect."""

    def start(self, agent, dialect, settings="", **limits):
        """The agent, with a key of these limits; the door has these settings in its YAML."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dialect = DIALECTS[dialect]
        self.upstream = Upstream()
        self.addCleanup(self.upstream.stop)
        self.door = Door(folder.name, dialect, self.upstream, settings)
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

    def test_a_small_task_is_done_and_is_one_session(self):
        worker = self.start(self.agent, self.upstream_dialect)
        self.run_to_the_end(worker, worker.small_task)
        with open(worker.file, encoding="utf-8") as file:
            self.assertEqual(file.read(), "hello from the script\n")
        calls = self.upstream.calls
        self.assertEqual({call["path"] for call in calls}, {self.dialect.path})
        [read_back] = self.dialect.read(calls[-1]["body"]).results[1:]
        self.assertIn("hello from the script", read_back)
        rows = self.door.spend_logs()
        self.assertEqual({row["status"] for row in rows}, {"ok"})
        [session] = {row["session_id"] for row in rows}
        helpers = [0] * (len(calls) - len(TASK_CACHED))  # titles
        report = self.report(session)
        self.assertEqual(self.cached(report), helpers + TASK_CACHED)
        self.assertEqual(report["children"], [])

    def test_a_sub_agent_is_a_child_of_the_session(self):
        worker = self.start(self.agent, self.upstream_dialect)
        self.run_to_the_end(worker, worker.task_for_a_child)
        parent = self.door.spend_logs()[0]["session_id"]
        rows = self.door.spend_logs(session_id=parent)
        self.assertEqual(len(rows), len(self.upstream.calls), "all are calls of the session")
        [child] = {row["session_id"] for row in rows} - {parent}
        report = self.report(parent)
        [told] = report["children"]
        self.assertEqual(child, f"{parent}/{told['agent']}")
        self.assertEqual(self.cached(told), TASK_CACHED[:2])
        self.assertEqual(len(told["calls"]) + len(report["calls"]), len(rows))

    def test_a_spent_budget_ends_it_with_our_words(self):
        worker = self.start(self.agent, self.upstream_dialect, "brigada: {budget_status: 400}\n",
                            max_budget=0.0000001)
        code, said = worker.run()
        self.assertNotEqual(code, 0)
        self.assertIn("budget", said)
        self.assertEqual(self.upstream.calls, [])


class ClaudeCodeItself(AgentTest):
    """What only Claude Code asks of a door."""

    def test_counting_tokens_costs_nothing_and_is_no_turn(self):
        worker = self.start(ClaudeCode, "messages", max_budget=0.001, tpm_limit=100_000)
        self.upstream.behave = play(worker.small_task)
        code, said = worker.run("/context")
        self.assertEqual(code, 0, said)
        self.assertIn("Context Usage", said)
        self.assertEqual({call["path"] for call in self.upstream.calls}, {COUNT_TOKENS})
        self.assertGreater(len(self.upstream.calls), 10)
        rows = self.door.spend_logs()
        self.assertEqual(len(rows), len(self.upstream.calls))
        self.assertEqual({(row["spend"], row["total_tokens"]) for row in rows}, {(0, 0)})
        self.assertEqual(self.door.call(f"/sessions/{rows[0]['session_id']}", key=self.key)[0], 404)

    def test_it_obeys_that_waiting_does_not_help(self):
        worker = self.start(ClaudeCode, "messages", max_budget=0.0000001)
        code, said = worker.run()
        self.assertNotEqual(code, 0)
        self.assertIn("budget", said)
        self.assertEqual(self.upstream.calls, [])


class CodexItself(AgentTest):
    """What only Codex makes of a door's words."""

    def test_a_spent_budget_ends_it_with_the_reason_and_the_time(self):
        worker = self.start(Codex, "responses", max_budget=0.0000001, budget_duration="1d")
        code, said = worker.run()
        self.assertNotEqual(code, 0)
        self.assertIn("hit your usage limit", said)
        self.assertIn("Budget has been exceeded! Current cost", said)
        self.assertIn("try again at", said)
        self.assertEqual(self.upstream.calls, [])


class Page(unittest.TestCase):
    def test_it_names_the_versions_that_are_tested(self):
        with open(PAGE, encoding="utf-8") as file:
            page = file.read()
        for folder in ("tests", "tests/agents"):
            with open(f"{folder}/package.json", encoding="utf-8") as file:
                versions = json.load(file)["dependencies"]
            for package, version in versions.items():
                if package not in ("zod", "ajv", "ajv-formats"):  # they know schemas, and call nobody
                    self.assertIn(version.removesuffix("-linux-x64"), page, package)
        with open("tests/requirements.txt", encoding="utf-8") as file:
            sdks = re.findall(r"^(?:anthropic|litellm|openai)==(.*)$", file.read(), re.M)
        for version in sdks:
            self.assertIn(version, page)


def cases():
    """ClaudeCode_at_messages and so on."""
    for agent, dialect in WORKS:
        name = f"{agent.__name__}_at_{dialect}"
        yield name, type(name, (Work, AgentTest), {"agent": agent, "upstream_dialect": dialect})


globals().update(cases())


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        BINARY = sys.argv.pop(1)
    if not loopback.only():
        print("this machine allows no network of its own: agents are only asked to stay at home")
    unittest.main(verbosity=2)
