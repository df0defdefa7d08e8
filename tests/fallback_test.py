#!/usr/bin/env python3
"""Where the gateway sends a call that an upstream or a model can't take. fallback_test.py BINARY"""
import sys
import tempfile
import threading
import time
import unittest

from gateway import MASTER, Gateway
from scripted_upstream import Upstream
from server import default_binary

BINARY = default_binary()


class FallbackTest(unittest.TestCase):
    def start(self, entries, extra=""):
        """`entries`: (model name, upstream, more YAML of the entry, more of its litellm_params)."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        gateway = Configured(folder.name, entries, extra)
        self.addCleanup(gateway.kill)
        return gateway, gateway.new_key()

    def upstream(self, behave=None):
        one = Upstream(behave)
        self.addCleanup(one.stop)
        return one


class Configured(Gateway):
    def __init__(self, folder, entries, extra):
        lines = ["general_settings:", f"  master_key: {MASTER}", "model_list:"]
        for name, upstream, more, *params in entries:
            lines += [f"- model_name: {name}",
                      f"  litellm_params: {{model: openai/up-{name}, api_base: {upstream.url}"
                      + "".join(f", {param}" for param in params) + "}",
                      *(f"  {line}" for line in more.splitlines())]
        self.text = "\n".join(lines) + "\n"
        super().__init__(BINARY, folder, {}, extra)

    def yaml(self, _):
        return self.text


def refuse(status, code, message):
    return lambda exchange: exchange.answer(status, {"error": {"code": code, "message": message}})


class Prompts(FallbackTest):
    LISTS = ("router_settings:\n  context_window_fallbacks: [{m: [long]}]\n"
             "  content_policy_fallbacks: [{m: [liberal]}]\n")

    def test_a_prompt_that_is_too_long_goes_to_the_longer_model(self):
        small = self.upstream(refuse(400, "context_length_exceeded", "maximum context length"))
        long = self.upstream()
        gateway, key = self.start([("m", small, ""), ("long", long, "")], self.LISTS)
        self.assertEqual(gateway.chat("m", key)[0], 200)
        self.assertEqual((len(small.calls), len(long.calls)), (1, 1))
        self.assertEqual(long.calls[0]["body"]["model"], "up-long")

    def test_one_that_is_known_to_be_too_long_is_not_even_sent(self):
        small, long = self.upstream(), self.upstream()
        gateway, key = self.start(
            [("m", small, "model_info: {max_input_tokens: 100}"), ("long", long, "")],
            self.LISTS + "  enable_pre_call_checks: true\n")
        self.assertEqual(gateway.chat("m", key)[0], 200)
        self.assertEqual((len(small.calls), len(long.calls)), (1, 0))
        status, _, _ = gateway.call("/v1/chat/completions", {
            "model": "m", "messages": [{"role": "user", "content": "word " * 400}]}, key)
        self.assertEqual(status, 200)
        self.assertEqual((len(small.calls), len(long.calls)), (1, 1))

    def test_without_a_longer_model_the_client_is_told(self):
        small = self.upstream()
        gateway, key = self.start([("m", small, "model_info: {max_input_tokens: 100}")],
                                  "router_settings:\n  enable_pre_call_checks: true\n")
        status, _, body = gateway.call("/v1/chat/completions", {
            "model": "m", "messages": [{"role": "user", "content": "word " * 400}]}, key)
        self.assertEqual(status, 400)
        self.assertIn("context_length_exceeded", body["error"]["message"])
        self.assertEqual(small.calls, [])

    def test_a_prompt_that_is_refused_goes_to_another_model(self):
        strict = self.upstream(refuse(400, "content_policy_violation", "no"))
        liberal = self.upstream()
        gateway, key = self.start([("m", strict, ""), ("liberal", liberal, "")], self.LISTS)
        self.assertEqual(gateway.chat("m", key)[0], 200)
        self.assertEqual((len(strict.calls), len(liberal.calls)), (1, 1))


class Retries(FallbackTest):
    def test_the_only_upstream_is_tried_again(self):
        def behave(exchange):
            if len(flaky.calls) < 3:
                return exchange.answer(500, {"error": "a moment's trouble"})
            return exchange.answer_chat()

        flaky = self.upstream(behave)
        gateway, key = self.start([("m", flaky, "")])
        self.assertEqual(gateway.chat("m", key)[0], 200)
        self.assertEqual(len(flaky.calls), 3)
        gateway.stop()
        (row,) = gateway.ledger()
        self.assertEqual((row["status"], row["attempts"].count("upstream_error")), ("ok", 2))

    def test_a_policy_says_how_often_for_each_failure(self):
        broken = self.upstream(refuse(500, "x", "broken"))
        locked = self.upstream(refuse(401, "x", "who are you?"))
        gateway, key = self.start(
            [("broken", broken, ""), ("locked", locked, "")],
            "router_settings:\n  num_retries: 3\n  retry_policy:\n"
            "    InternalServerErrorRetries: 1\n    AuthenticationErrorRetries: 0\n")
        self.assertEqual(gateway.chat("broken", key)[0], 502)
        self.assertEqual(gateway.chat("locked", key)[0], 502)
        self.assertEqual((len(broken.calls), len(locked.calls)), (2, 1))


    def test_a_deployment_says_how_often_it_is_tried_again(self):
        broken = self.upstream(refuse(500, "x", "broken"))
        gateway, key = self.start([("m", broken, "", "max_retries: 1")],
                                  "router_settings: {num_retries: 3}\n")
        self.assertEqual(gateway.chat("m", key)[0], 502)
        self.assertEqual(len(broken.calls), 2)

    def test_failures_are_counted_by_what_they_are(self):
        locked = self.upstream(refuse(401, "x", "who are you?"))
        broken = self.upstream(refuse(500, "x", "broken"))
        gateway, key = self.start(
            [("locked", locked, ""), ("broken", broken, "")],
            "router_settings:\n  num_retries: 0\n  cooldown_time: 600\n"
            "  allowed_fails_policy: {AuthenticationErrorAllowedFails: 0}\n")
        for name in ("locked", "broken"):
            self.assertEqual(gateway.chat(name, key)[0], 502)
        self.assertEqual(gateway.chat("locked", key)[0], 503)  # it is left alone after one
        self.assertEqual(gateway.chat("broken", key)[0], 502)


class Choice(FallbackTest):
    def test_the_cheapest_is_chosen_where_costs_decide(self):
        dear, cheap = self.upstream(), self.upstream()
        costs = "input_cost_per_token: {0}, output_cost_per_token: {0}"
        gateway, key = self.start([("m", dear, "", costs.format("0.00001")),
                                   ("m", cheap, "", costs.format("0.000001"))],
                                  "router_settings: {routing_strategy: cost-based-routing}\n")
        for _ in range(4):
            self.assertEqual(gateway.chat("m", key)[0], 200)
        self.assertEqual((len(dear.calls), len(cheap.calls)), (0, 4))

    def test_a_deployments_own_rate_sends_the_rest_elsewhere(self):
        first, second = self.upstream(), self.upstream()
        gateway, key = self.start([("m", first, "rpm: 2"), ("m", second, "")],
                                  "router_settings:\n  routing_strategy: session\n")
        for _ in range(6):
            self.assertEqual(gateway.chat("m", key)[0], 200)
        self.assertLessEqual(len(first.calls), 2)
        self.assertEqual(len(first.calls) + len(second.calls), 6)

    def test_when_every_deployment_is_at_its_rate_the_wait_is_true(self):
        only = self.upstream()
        gateway, key = self.start([("m", only, "rpm: 1")])
        self.assertEqual(gateway.chat("m", key)[0], 200)
        status, headers, _ = gateway.chat("m", key)
        self.assertEqual(status, 503)
        self.assertGreater(int(headers["Retry-After"]), 50)
        self.assertEqual(len(only.calls), 1)

    def test_tags_choose_the_deployment(self):
        paid, free = self.upstream(), self.upstream()
        gateway, key = self.start(
            [("m", paid, "", "tags: [paid]"), ("m", free, "", "tags: [default]")],
            "router_settings:\n  enable_tag_filtering: true\n")
        for _ in range(3):
            self.assertEqual(gateway.chat("m", key)[0], 200)
            self.assertEqual(gateway.chat("m", key, metadata={"tags": ["paid"]})[0], 200)
        self.assertEqual((len(paid.calls), len(free.calls)), (3, 3))
        status, _, body = gateway.chat("m", key, metadata={"tags": ["nowhere"]})
        self.assertEqual(status, 400)
        self.assertIn("nowhere", body["error"]["message"])

    def test_only_a_full_model_overflows(self):
        paid, spare = self.upstream(), self.upstream()
        gateway, key = self.start(
            [("m", paid, "rpm: 1", "tags: [paid]"), ("spare", spare, "", "tags: [paid, nowhere]")],
            "router_settings:\n  enable_tag_filtering: true\n"
            "brigada:\n  overload_fallbacks: [{m: [spare]}]\n")
        self.assertEqual(gateway.chat("m", key, metadata={"tags": ["nowhere"]})[0], 400)
        self.assertEqual(len(spare.calls), 0)
        for _ in range(2):
            self.assertEqual(gateway.chat("m", key, metadata={"tags": ["paid"]})[0], 200)
        self.assertEqual((len(paid.calls), len(spare.calls)), (1, 1))


class Health(FallbackTest):
    def test_an_upstream_that_does_not_answer_gets_no_calls_until_it_does(self):
        up = self.upstream()
        down = self.upstream()
        down.health_status = 500
        gateway, key = self.start(
            [("m", up, ""), ("m", down, "")],
            "router_settings:\n  routing_strategy: least-busy\n")
        gateway.kill()
        with open(gateway.config, encoding="utf-8") as file:
            text = file.read()
        text = text.replace(f"master_key: {MASTER}",
                            f"master_key: {MASTER}\n  background_health_checks: true\n"
                            "  health_check_interval: 1")
        with open(gateway.config, "w", encoding="utf-8") as file:
            file.write(text)
        gateway.launch()
        down.checked.wait(30)
        self.wait_for(lambda: self.unhealthy(gateway) == 1)
        for _ in range(8):
            self.assertEqual(gateway.chat("m", key)[0], 200)
        self.assertEqual((len(up.calls), len(down.calls)), (8, 0))
        down.health_status = 200
        self.wait_for(lambda: self.unhealthy(gateway) == 0)

    @staticmethod
    def unhealthy(gateway):
        return gateway.call("/health")[2]["unhealthy_count"]

    def wait_for(self, condition):
        end = time.monotonic() + 30
        tick = threading.Event()
        while not condition():
            self.assertLess(time.monotonic(), end)
            tick.wait(0.05)


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        BINARY = sys.argv.pop(1)
    unittest.main()
