#!/usr/bin/env python3
"""`brigada gateway` from outside: real processes, scripted upstreams, LiteLLM's JSON.

    tests/gateway_test.py BINARY
"""
import concurrent.futures
import json
import subprocess
import sys
import tempfile
import threading
import unittest

from gateway import MASTER, Gateway
from scripted_upstream import Upstream, chat_answer, chat_events
from server import default_binary, free_port

BINARY = default_binary()
SECONDS = 30


class GatewayTest(unittest.TestCase):
    def setUp(self):
        self.upstreams = [Upstream(), Upstream()]
        self.folder = tempfile.TemporaryDirectory()
        self.gateway = Gateway(BINARY, self.folder.name, {
            "m": [upstream.url for upstream in self.upstreams],
            "one": [self.upstreams[0].url],
            "claude": [self.upstreams[0].url]})

    def tearDown(self):
        self.gateway.kill()
        for upstream in self.upstreams:
            upstream.stop()
        self.folder.cleanup()

    def all_behave(self, behave):
        for upstream in self.upstreams:
            upstream.behave = behave

    def calls(self):
        return sum(len(upstream.calls) for upstream in self.upstreams)

    def rows(self):
        """The ledger, after a clean end."""
        self.gateway.stop()
        return self.gateway.ledger()


class Keys(GatewayTest):
    def test_only_keys_open_the_door(self):
        for key, kind in ((None, "auth_error"), ("sk-nobody-has-this-one", "token_not_found_in_db")):
            status, _, body = self.gateway.chat("m", key)
            self.assertEqual((status, body["error"]["type"]), (401, kind))
        self.assertEqual(self.calls(), 0)
        self.assertEqual(self.gateway.chat("m", self.gateway.new_key())[0], 200)

    def test_a_blocked_key_is_out_at_once_and_all_is_kept(self):
        key = self.gateway.new_key(key_alias="laptop")
        self.assertEqual(self.gateway.call("/key/block", {"key": key})[0], 200)
        self.assertNotEqual(self.gateway.chat("m", key)[0], 200)
        self.gateway.stop()
        self.gateway.launch()
        self.assertNotEqual(self.gateway.chat("m", key)[0], 200)
        self.assertEqual(self.gateway.call("/key/unblock", {"key": key})[0], 200)
        self.assertEqual(self.gateway.chat("m", key)[0], 200)

    def test_a_key_reads_itself_and_nobody_else(self):
        _, _, red = self.gateway.call("/team/new", {"team_alias": "red"})
        mine = self.gateway.new_key(team_id=red["team_id"], models=["one"])
        other = self.gateway.new_key()
        self.assertEqual(self.gateway.call("/key/info", key=mine)[0], 200)
        for path in (f"/key/info?key={other}", f"/team/info?team_id={red['team_id']}", "/team/list",
                     "/key/list", "/global/spend/report"):
            self.assertIn(self.gateway.call(path, key=mine)[0], (401, 403), path)
        self.assertIn(self.gateway.call("/key/generate", {}, key=mine)[0], (401, 403))
        self.assertIn(self.gateway.chat("m", mine)[0], (401, 403))
        names = [model["id"] for model in self.gateway.call("/v1/models", key=mine)[2]["data"]]
        self.assertEqual(names, ["one"])

    def test_what_administrators_do_is_in_the_audit_log(self):
        self.gateway.new_key()
        self.gateway.stop()
        log = f"{self.folder.name}/data/audit.log"
        told = subprocess.run([BINARY, "audit", "verify", log], capture_output=True, text=True)
        self.assertIn("the chain is whole: 1 events", told.stdout)
        with open(log, encoding="utf-8") as file:
            text = file.read()
        self.assertNotIn("sk-", text.replace("sk-...", ""))
        with open(log, "w", encoding="utf-8") as file:
            file.write(text.replace("created", "deleted", 1))
        told = subprocess.run([BINARY, "audit", "verify", log], capture_output=True, text=True)
        self.assertNotEqual(told.returncode, 0)


    def test_what_was_refused_by_policy_is_in_the_audit_log(self):
        key = self.gateway.new_key(models=["one"], rpm_limit=1)
        self.assertEqual([self.gateway.chat("one", key)[0] for _ in range(4)], [200, 429, 429, 429])
        self.assertIn(self.gateway.chat("m", key)[0], (401, 403))
        self.assertEqual(self.gateway.chat("one", "sk-nobody-has-this-one")[0], 401)
        self.assertEqual(self.gateway.chat("one", key, max_tokens="many")[0], 400)
        self.gateway.stop()
        log = f"{self.folder.name}/data/audit.log"
        told = subprocess.run([BINARY, "audit", "verify", log], capture_output=True, text=True)
        self.assertIn("the chain is whole: 4 events", told.stdout)
        with open(log, encoding="utf-8") as file:
            events = [json.loads(line) for line in file]
        refused = {(event["object"], event["after"]["status"]): event for event in events
                   if event["action"] == "policy.refuse"}
        self.assertEqual(len(refused), 3)
        self.assertEqual(refused["model/one", 429]["after"]["times"], 3)
        self.assertEqual(refused["gateway", 401]["actor"], "unknown key")
        self.assertTrue(refused["model/one", 429]["actor"].startswith("key/"))


class Limits(GatewayTest):
    def test_a_rate_admits_exactly_its_number_however_many_ask(self):
        key = self.gateway.new_key(rpm_limit=20)
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            statuses = list(pool.map(lambda _: self.gateway.chat("m", key)[0], range(100)))
        self.assertEqual(statuses.count(200), 20)
        self.assertEqual(statuses.count(429), 80)
        self.assertEqual(self.calls(), 20)
        _, headers, _ = self.gateway.chat("m", key)
        self.assertTrue(1 <= int(headers["Retry-After"]) <= 61)

    def test_concurrency_is_given_back_however_a_call_ends(self):
        key = self.gateway.new_key(max_parallel_requests=1)
        go_on, begun = threading.Event(), threading.Event()

        def slow(exchange):
            begun.set()
            go_on.wait(SECONDS)
            exchange.answer_chat()

        self.all_behave(slow)
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            running = pool.submit(self.gateway.chat, "m", key)
            self.assertTrue(begun.wait(SECONDS))
            self.assertEqual(self.gateway.chat("m", key)[0], 429)
            go_on.set()
            self.assertEqual(running.result()[0], 200)
        for behave in (lambda e: e.answer(500, {}), lambda e: e.stream(chat_events()[:1], end=False)):
            self.all_behave(behave)
            self.gateway.chat("m", key, stream=True)
        self.gateway.stop()
        self.gateway.launch()  # upstreams are trusted again
        self.all_behave(lambda exchange: exchange.answer_chat())
        self.assertEqual(self.gateway.chat("m", key)[0], 200)
        self.assertEqual(self.gateway.chat("m", key)[0], 200)

    def test_a_budget_ends_where_it_says_also_after_a_restart(self):
        _, _, team = self.gateway.call(
            "/team/new", {"team_alias": "red", "max_budget": 0.00005, "budget_duration": "1d"})
        keys = [self.gateway.new_key(team_id=team["team_id"]) for _ in range(2)]
        statuses = [self.gateway.chat("m", keys[i % 2], max_tokens=1)[0] for i in range(8)]
        self.assertEqual(statuses, [200] * 4 + [429] * 4)  # 10,400 nano-dollars each
        _, headers, body = self.gateway.chat("m", keys[0])
        self.assertEqual(body["error"]["type"], "budget_exceeded")
        self.assertIn("of team red", body["error"]["message"])
        self.assertEqual(headers["x-should-retry"], "false")
        self.assertEqual(self.gateway.metric("brigada_budget_thresholds_total"), 2)  # 50 and 80 %
        self.assertEqual(self.gateway.chat("m", self.gateway.new_key())[0], 200)  # others go on
        self.gateway.stop()
        self.gateway.launch()
        self.assertEqual(self.gateway.chat("m", keys[0], max_tokens=1)[0], 429)
        info = self.gateway.call(f"/team/info?team_id={team['team_id']}")[2]
        self.assertAlmostEqual(info["team_info"]["spend"], 4 * 0.0000104)

    def test_budgets_of_end_users_and_members_outlive_a_kill(self):
        """An end user's is of each tenant, a member's of each team: neither is a sum of its name alone."""
        _, _, red = self.gateway.call("/team/new", {"team_alias": "red"})
        _, _, blue = self.gateway.call("/team/new", {"team_alias": "blue"})
        self.gateway.call("/customer/new", {"user_id": "ann", "max_budget": 0.00005,
                                            "budget_duration": "1d"})
        self.gateway.call("/user/new", {"user_id": "bob", "auto_create_key": False})
        self.gateway.call("/team/member_add", {"team_id": red["team_id"], "max_budget_in_team": 0.00005,
                                               "member": {"role": "user", "user_id": "bob"}})
        keys = {"red": self.gateway.new_key(team_id=red["team_id"]),
                "blue": self.gateway.new_key(team_id=blue["team_id"]),
                "bob": self.gateway.new_key(team_id=red["team_id"], user_id="bob"),
                "nobody": self.gateway.new_key(user_id="bob")}

        def statuses(key, calls, **fields):
            return [self.gateway.chat("m", keys[key], max_tokens=1, **fields)[0] for _ in range(calls)]

        spent = [200] * 4 + [429]  # 10,400 nano-dollars each
        self.assertEqual(statuses("red", 5, user="ann"), spent)
        self.assertEqual(statuses("bob", 5), spent)
        self.gateway.kill()
        self.gateway.launch()
        self.assertEqual(statuses("red", 1, user="ann"), [429])
        self.assertEqual(statuses("bob", 1), [429])
        self.assertEqual(statuses("blue", 5, user="ann"), spent)
        self.assertEqual(statuses("nobody", 1), [200])
        self.assertEqual(statuses("red", 1), [200])


class EndUsers(unittest.TestCase):
    """A budget for every end user who has none of his own."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.upstream = Upstream()
        self.gateway = Gateway(BINARY, self.folder.name, {"m": [self.upstream.url]},
                               "litellm_settings:\n  max_end_user_budget: 0.00005\n")

    def tearDown(self):
        self.gateway.kill()
        self.upstream.stop()
        self.folder.cleanup()

    def test_each_has_the_default_and_keeps_what_he_spent(self):
        self.gateway.call("/customer/new", {"user_id": "rich", "max_budget": 1})
        key = self.gateway.new_key()

        def statuses(calls, **fields):
            return [self.gateway.chat("m", key, max_tokens=1, **fields)[0] for _ in range(calls)]

        self.assertEqual(statuses(5, user="ann"), [200] * 4 + [429])  # 10,400 nano-dollars each
        self.assertEqual(statuses(5, user="rich"), [200] * 5)
        self.assertEqual(statuses(5), [200] * 5)
        self.gateway.kill()
        self.gateway.launch()
        self.assertEqual(statuses(1, user="ann"), [429])
        self.assertEqual(statuses(1, user="bob"), [200])
        self.assertIn("of end_user ann", self.gateway.chat("m", key, user="ann")[2]["error"]["message"])


class Drain(unittest.TestCase):
    """Emptied by an orchestrator before it is stopped."""

    TOKEN = "token-of-the-orchestrator"

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.upstream = Upstream()
        self.gateway = DrainedGateway(BINARY, self.folder.name, {"m": [self.upstream.url]})

    def tearDown(self):
        self.gateway.kill()
        self.upstream.stop()
        self.folder.cleanup()

    def test_running_answers_end_and_none_begins(self):
        key = self.gateway.new_key()
        begun, go_on = threading.Event(), threading.Event()

        def slow(exchange):
            begun.set()
            go_on.wait(SECONDS)
            exchange.answer_chat()

        self.upstream.behave = slow
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            running = pool.submit(self.gateway.chat, "m", key)
            self.assertTrue(begun.wait(SECONDS))
            for wrong in (key, MASTER, None):
                self.assertEqual(self.gateway.call("/health/drain", key=wrong)[0], 401)
            self.assertEqual(self.gateway.call("/health/readiness")[0], 200)
            drained = pool.submit(self.gateway.call, "/health/drain", key=self.TOKEN)
            tries = threading.Event()
            while self.gateway.call("/health/readiness")[0] == 200:
                tries.wait(0.05)
            self.assertEqual(self.gateway.chat("m", key)[0], 503)
            self.assertFalse(drained.done())
            go_on.set()
            self.assertEqual(running.result()[0], 200)
            self.assertEqual(drained.result()[2], {"status": "drained", "calls_running": 0})
        self.gateway.stop()
        self.assertEqual(len(self.gateway.ledger()), 1)

    def test_there_is_none_unless_the_configuration_says_so(self):
        other = Gateway(BINARY, self.new_folder(), {"m": [self.upstream.url]})
        self.addCleanup(other.kill)
        status, _, body = other.call("/health/drain", {})
        self.assertEqual(status, 404)
        self.assertIn("enable_drain_endpoint is not true", body["error"]["message"])
        self.assertEqual(other.call("/health/readiness")[0], 200)

    def new_folder(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return folder.name


class DrainedGateway(Gateway):
    @staticmethod
    def yaml(upstreams):
        return Gateway.yaml(upstreams).replace(
            f"  master_key: {MASTER}\n",
            f"  master_key: {MASTER}\n  enable_drain_endpoint: true\n"
            f"  drain_endpoint_token: {Drain.TOKEN}\n")


class Upstreams(GatewayTest):
    def test_usage_is_asked_for_and_hidden_from_who_did_not_ask(self):
        key = self.gateway.new_key()
        for asked in (False, True):
            options = {"stream_options": {"include_usage": True}} if asked else {}
            text = self.gateway.chat("one", key, stream=True, **options)[2]
            self.assertEqual('"usage"' in text, asked)
            self.assertTrue(text.endswith("data: [DONE]\n\n"))
            sent = self.upstreams[0].calls[-1]
            self.assertTrue(sent["body"]["stream_options"]["include_usage"])
            self.assertEqual(sent["body"]["model"], "up-one")
            self.assertEqual(sent["headers"]["Authorization"], "Bearer sk-of-the-upstream")
        for row in self.rows():
            self.assertEqual((row["input_tokens"], row["cached_input_tokens"], row["output_tokens"]),
                             ("6", "4", "2"))

    def test_another_upstream_answers_before_the_first_byte(self):
        key = self.gateway.new_key()
        for behave in (lambda e: e.answer(500, {}), lambda e: e.stream([], end=False),
                       lambda e: e.answer(503, {}, Retry_After="1")):
            first = []

            def once(exchange, behave=behave, first=first):
                if first:
                    return exchange.answer_chat()
                first.append(1)
                return behave(exchange)

            self.all_behave(once)
            status, headers, body = self.gateway.chat("m", key)
            self.assertEqual(status, 200, body)
            self.assertEqual(headers["x-litellm-response-cost"], "0.0000104")
        rows = self.rows()
        self.assertEqual([len(json.loads(row["attempts"])) for row in rows], [2, 2, 2])
        self.assertEqual({row["status"] for row in rows}, {"ok"})

    def test_a_client_error_is_passed_on_and_blames_nobody(self):
        key = self.gateway.new_key()
        self.all_behave(lambda e: e.answer(400, {"error": {"message": "no such tool"}}))
        for _ in range(10):
            status, _, body = self.gateway.chat("one", key)
            self.assertEqual((status, body["error"]["message"]), (400, "no such tool"))
        self.all_behave(lambda exchange: exchange.answer_chat())
        self.assertEqual(self.gateway.chat("one", key)[0], 200)

    def test_a_stream_that_broke_is_never_reported_as_finished(self):
        key = self.gateway.new_key()
        for lines, end in ((chat_events()[:2], False), (chat_events()[:2], True)):
            self.all_behave(lambda e, lines=lines, end=end: e.stream(lines, end))
            text = self.gateway.chat("m", key, stream=True)[2]
            self.assertNotIn("[DONE]", text)
            self.assertIn("broke off", text)
        for row in self.rows():
            self.assertEqual((row["status"], row["usage_counted_here"], row["output_tokens"]),
                             ("cut", "true", "2"))

    def test_a_client_that_leaves_stops_the_upstream(self):
        key = self.gateway.new_key()
        writing = threading.Event()

        def endless(exchange):
            exchange.begin_stream()
            while True:
                exchange.write(f"data: {chat_events()[0]}\n\n")
                writing.set()

        self.all_behave(endless)
        connection = self.gateway.connect()
        connection.request("POST", "/v1/chat/completions",
                           json.dumps({"model": "one", "stream": True, "messages": []}),
                           {"Authorization": f"Bearer {key}"})
        connection.getresponse().read(10)
        self.assertTrue(writing.wait(SECONDS))
        connection.sock.close()
        connection.close()
        self.assertTrue(self.upstreams[0].gone.wait(SECONDS))
        self.assertEqual([row["status"] for row in self.rows()], ["aborted"])

    def test_messages_pass_in_their_own_dialect(self):
        answer = {"type": "message", "usage": {"input_tokens": 5, "cache_read_input_tokens": 7,
                                               "cache_creation_input_tokens": 2, "output_tokens": 3}}
        self.all_behave(lambda exchange: exchange.answer(200, answer))
        key = self.gateway.new_key()
        body = {"model": "claude", "max_tokens": 5, "messages": []}
        status, _, got = self.gateway.call("/v1/messages?beta=true", body, None, {"x-api-key": key})
        self.assertEqual((status, got), (200, answer))
        self.assertEqual(self.upstreams[0].calls[-1]["headers"]["x-api-key"], "sk-of-the-upstream")
        status, _, got = self.gateway.call("/v1/messages", body, "sk-nobody-has-this-one")
        self.assertEqual((status, got["type"], got["error"]["type"]),
                         (401, "error", "authentication_error"))
        [row] = self.rows()
        self.assertEqual([row[part] for part in ("input_tokens", "cached_input_tokens",
                                                 "cache_write_tokens", "output_tokens")],
                         ["5", "7", "2", "3"])


class Prices(unittest.TestCase):
    """An engine whose tokens are priced by what its hour costs, and by the length of the prompt."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.upstream = Upstream()
        self.gateway = PricedGateway(BINARY, self.folder.name, {"m": [self.upstream.url]})

    def tearDown(self):
        self.gateway.kill()
        self.upstream.stop()
        self.folder.cleanup()

    def test_a_call_costs_its_part_of_the_hour_and_the_ledger_says_by_which_rates(self):
        key = self.gateway.new_key()
        _, headers, _ = self.gateway.chat("m", key)
        # 7.20 dollars an hour are 0.002 a second: 2e-7 for each of 10,000 tokens, 1e-5 of 200.
        # 6 tokens were read, 4 were cached, 2 were written.
        self.assertEqual(headers["x-litellm-response-cost"], "0.00002128")
        self.upstream.behave = lambda exchange: exchange.answer(
            200, chat_answer(prompt=2_000, cached=0, output=1))
        self.assertEqual(self.gateway.chat("m", key)[1]["x-litellm-response-cost"], "0.00601")
        first, second = self.rows()
        self.assertEqual([first[name] for name in RATES], ["200000", "20000", "200000", "10000000"])
        self.assertEqual([second[name] for name in RATES],
                         ["3000000", "3000000", "3000000", "10000000"])

    def rows(self):
        self.gateway.stop()
        return self.gateway.ledger()

    def test_the_arithmetic_is_shown(self):
        key = self.gateway.new_key()
        (model,) = self.gateway.call("/model/info", key=key)[2]["data"]
        info = model["model_info"]
        self.assertAlmostEqual(info["input_cost_per_token"], 2e-7)
        self.assertAlmostEqual(info["output_cost_per_token"], 1e-5)
        self.assertAlmostEqual(info["input_cost_per_token_above_1k_tokens"], 3e-6)
        self.assertIn("input: $0.002 / 10000 tokens a second (declared) = $0.0000002 a token",
                      info["price_arithmetic"])
        self.assertNotIn(self.upstream.url, json.dumps(model))
        told = subprocess.run([BINARY, "doctor", "--config", self.gateway.config],
                              capture_output=True, text=True, check=False).stdout
        self.assertIn("output: $0.002 / 200 tokens a second (declared) = $0.00001 a token", told)


RATES = [f"{part}_rate_pico_usd" for part in ("input", "cached_input", "cache_write", "output")]


class PricedGateway(Gateway):
    @staticmethod
    def yaml(upstreams):
        return Gateway.yaml(upstreams).replace(
            "    input_cost_per_token: 0.000001\n"
            "    cache_read_input_token_cost: 0.0000001\n"
            "    output_cost_per_token: 0.000002\n",
            "    input_cost_per_token_above_1k_tokens: 0.000003\n") + (
            "    brigada:\n"
            "      gpus: 2\n"
            "      gpu_dollars_per_hour: 3.6\n"
            "      prefill_tokens_per_second: 10000\n"
            "      total_decode_tokens_per_second: 200\n")


class Sessions(GatewayTest):
    def served(self):
        return [len(upstream.calls) for upstream in self.upstreams]

    def test_a_session_stays_with_its_upstream_and_sessions_spread(self):
        key = self.gateway.new_key()
        prompt = [{"role": "user", "content": "x" * 20_000}]
        for session in ("a", "b"):
            for turn in range(6):
                body = {"model": "m", "messages": prompt + [{"role": "user", "content": str(n)}
                                                            for n in range(turn)]}
                self.gateway.call("/v1/chat/completions", body, key,
                                  {"x-session-id": session, "x-unused": "1"})
                prompt = [{"role": "user", "content": session * 20_000}] if turn == 5 else prompt
        homes = {}
        for number, upstream in enumerate(self.upstreams):
            for call in upstream.calls:
                text = call["body"]["messages"][0]["content"][0]
                homes.setdefault(text, set()).add(number)
        self.assertEqual([len(home) for home in homes.values()], [1, 1])
        self.assertEqual(sum(self.served()), 12)
        status, _, told = self.gateway.call("/sessions/a", key=key)
        self.assertEqual((status, len(told["calls"])), (200, 6))
        self.assertEqual({call["upstream"] for call in told["calls"]}, {told["upstream"]})
        self.assertEqual(told["calls"][0]["miss"]["cause"], "first_call")
        self.assertEqual(told["calls"][1]["cached_tokens_reported"], 4)
        self.assertEqual(self.gateway.call("/sessions/a", key=self.gateway.new_key())[0], 404)
        rows = self.rows()
        self.assertEqual({row["session"] for row in rows}, {"a", "b"})


    def test_sub_agents_are_children_of_their_session(self):
        key = self.gateway.new_key()
        for agent in ("", "b", "a", "b"):
            headers = {"x-claude-code-session-id": "s"}
            if agent:
                headers["x-claude-code-agent-id"] = agent
            self.gateway.call("/v1/chat/completions", {"model": "m", "messages": [
                {"role": "user", "content": "hi"}]}, key, headers)
        status, _, told = self.gateway.call("/sessions/s", key=key)
        self.assertEqual((status, len(told["calls"])), (200, 1))
        self.assertEqual([(child["agent"], len(child["calls"])) for child in told["children"]],
                         [("a", 1), ("b", 2)])
        self.assertEqual(self.gateway.call("/sessions/s/b", key=key)[2]["children"], [])
        rows = self.gateway.spend_logs(session_id="s")
        self.assertEqual(sorted(row["session_id"] for row in rows), ["s", "s/a", "s/b", "s/b"])
        self.assertEqual(len(self.gateway.spend_logs(session_id="s/a")), 1)

    def test_counting_tokens_costs_nothing_and_is_no_turn(self):
        self.all_behave(lambda exchange: exchange.answer(200, {"input_tokens": 100_000}))
        key = self.gateway.new_key(tpm_limit=50, max_budget=0.000001)
        body = {"model": "claude", "messages": [{"role": "user", "content": "x" * 4000}]}
        for _ in range(3):
            status, headers, answer = self.gateway.call(
                "/v1/messages/count_tokens?beta=true", body, key, {"x-session-id": "s"})
            self.assertEqual((status, answer), (200, {"input_tokens": 100_000}))
            self.assertEqual(float(headers["x-litellm-response-cost"]), 0)
        self.assertEqual(self.gateway.call("/sessions/s", key=key)[0], 404)
        for row in self.rows():
            self.assertEqual((row["session"], row["input_tokens"], float(row["cost_usd"])),
                             ("s", "0", 0))


class Doorbell(GatewayTest):
    def test_models_are_told_in_the_dialect_of_who_asks(self):
        key = self.gateway.new_key(models=["one"])
        anthropic = {"anthropic-version": "2023-06-01"}
        _, _, page = self.gateway.call("/v1/models?limit=1000", key=key, headers=anthropic)
        [model] = page.pop("data")
        self.assertEqual((model["type"], model["id"], model["display_name"]),
                         ("model", "one", "one"))
        self.assertEqual(page, {"has_more": False, "first_id": "one", "last_id": "one"})
        self.assertEqual(self.gateway.call("/v1/models/one", key=key)[2],
                         {"id": "one", "object": "model", "created": 0, "owned_by": "brigada"})
        for name in ("m", "nobody"):  # that it may not call is nothing it learns
            status, _, refusal = self.gateway.call(f"/v1/models/{name}", key=key, headers=anthropic)
            self.assertEqual((status, refusal["error"]["type"]), (404, "not_found_error"))
        status, _, refusal = self.gateway.call("/v1/models", key=None, headers=anthropic)
        self.assertEqual((status, refusal["type"]), (401, "error"))

    def test_claude_code_looks_whether_somebody_is_there(self):
        self.assertEqual(self.gateway.call("/api/hello", key=None, method="HEAD")[0], 200)


class Queue(unittest.TestCase):
    SLOTS = """brigada:
  slots: 2
  classes:
    guaranteed: {floor: 1}
    batch: {queue_requests: 1, queue_wait_seconds: 1}
"""

    def test_calls_wait_for_a_slot_and_batch_gives_way(self):
        begun, go_on = threading.Semaphore(0), threading.Event()

        def slow(exchange):
            begun.release()
            go_on.wait(SECONDS)
            exchange.answer_chat()

        upstream = Upstream(slow)
        with tempfile.TemporaryDirectory() as folder, \
                concurrent.futures.ThreadPoolExecutor(8) as pool:
            gateway = Gateway(BINARY, folder, {"m": [upstream.url]}, self.SLOTS)
            try:
                batch = gateway.new_key(priority="batch")
                urgent = gateway.new_key(priority="guaranteed")
                running = pool.submit(gateway.chat, "m", batch)
                self.assertTrue(begun.acquire(timeout=SECONDS))
                late = pool.submit(gateway.chat, "m", batch)
                status, headers, body = late.result()  # one slot is kept for guaranteed calls
                self.assertEqual((status, body["error"]["type"]), (503, "service_unavailable"))
                self.assertGreaterEqual(int(headers["Retry-After"]), 1)
                first = pool.submit(gateway.chat, "m", urgent)
                self.assertTrue(begun.acquire(timeout=SECONDS))
                second = pool.submit(gateway.chat, "m", urgent)  # takes the slot of the batch call
                self.assertEqual(running.result()[0], 503)
                self.assertTrue(begun.acquire(timeout=SECONDS))
                go_on.set()
                self.assertEqual([call.result()[0] for call in (first, second)], [200, 200])
            finally:
                go_on.set()
                gateway.kill()
                upstream.stop()


class BadInput(GatewayTest):
    def test_each_fault_has_its_words(self):
        key = self.gateway.new_key()
        for body, words in ((b"{", "not a JSON object"), (b"[]", "not a JSON object"),
                            (b"{}", "model: must name a model"),
                            (b'{"model":"m","stream":1}', "stream: must be true or false")):
            status, _, answer = self.gateway.call("/v1/chat/completions", body, key)
            self.assertEqual(status, 400)
            self.assertIn(words, answer["error"]["message"])
        status, _, answer = self.gateway.chat("nope", key)
        self.assertEqual(status, 404)
        self.assertIn("no model 'nope'", answer["error"]["message"])
        self.assertEqual(self.gateway.call("/nowhere", key=key)[0], 404)
        self.assertEqual(self.gateway.call("/v1/chat/completions", key=key)[0], 405)
        self.assertEqual(self.calls(), 0)
        self.assertEqual(self.rows(), [])

    def test_a_second_gateway_is_told_who_has_the_folder(self):
        told = subprocess.run([BINARY, "gateway", "--config", self.gateway.config, "--listen",
                               f"127.0.0.1:{free_port()}", "--data", f"{self.folder.name}/data"],
                              capture_output=True, text=True, timeout=SECONDS)
        self.assertNotEqual(told.returncode, 0)
        self.assertIn("held by process", told.stderr)

    def test_a_port_that_is_taken_is_named_and_nothing_is_left_behind(self):
        data = f"{self.folder.name}/other"
        command = [BINARY, "gateway", "--config", self.gateway.config, "--data", data, "--listen"]
        told = subprocess.run([*command, f"127.0.0.1:{self.gateway.port}"], capture_output=True,
                              text=True, timeout=SECONDS)
        self.assertEqual(told.returncode, 1)
        self.assertIn(f"127.0.0.1:{self.gateway.port} is already in use", told.stderr)
        verified = subprocess.run([BINARY, "ledger", "verify", f"{data}/ledger"],
                                  capture_output=True, text=True, timeout=SECONDS)
        self.assertEqual(verified.returncode, 0, verified.stderr)

    def test_a_faulty_configuration_names_the_place(self):
        path = f"{self.folder.name}/faulty.yaml"
        with open(path, "w", encoding="utf-8") as file:
            file.write("model_list:\n- model_name: m\n  litellm_params:\n    model: openai/x\n"
                       "    rpm: many\n")
        told = subprocess.run([BINARY, "gateway", "--config", path, "--check"],
                              capture_output=True, text=True, timeout=SECONDS)
        self.assertNotEqual(told.returncode, 0)
        self.assertIn("faulty.yaml:5", told.stderr)
        self.assertIn("rpm", told.stderr)


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        BINARY = sys.argv.pop(1)
    unittest.main(verbosity=2)
