#!/usr/bin/env python3
"""What `brigada gateway` shows of itself: its log, spans, alerts, state, and answers from the cache.

    tests/seen_test.py BINARY
"""
import base64
import hashlib
import hmac
import json
import os
import signal
import sys
import tempfile
import threading
import unittest
from unittest import mock

from gateway import MASTER, Gateway
from receiver import Receiver, spans_of
from scripted_upstream import Upstream, chat_answer, chat_events
from server import default_binary

BINARY = default_binary()
SECRET = "whsec_" + base64.b64encode(b"a secret of these tests").decode()
CACHE = "litellm_settings:\n  cache: true\n  cache_params: {type: local, ttl: 600}\n"
PROMPT = "the words of a secret prompt"


class SeenTest(unittest.TestCase):
    """A gateway before one upstream, with `extra` in its file and `environment` around it."""

    extra = ""
    environment = {}

    def setUp(self):
        self.upstream = Upstream()
        self.folder = tempfile.TemporaryDirectory()
        with mock.patch.dict(os.environ, self.environment):
            self.gateway = Gateway(BINARY, self.folder.name, {"m": [self.upstream.url]}, self.extra)

    def tearDown(self):
        self.gateway.kill()
        self.upstream.stop()
        self.folder.cleanup()

    def ask(self, key, text=PROMPT, headers=None, **fields):
        """Status, headers, and the text of the answer as it came."""
        body = {"model": "m", "messages": [{"role": "user", "content": text}], **fields}
        return self.gateway.call("/v1/chat/completions", body, key, headers)

    def log(self):
        """Every line of the log, parsed, after a clean end."""
        self.gateway.stop()
        lines = [line for line in self.gateway.said().splitlines() if line.startswith("{")]
        return [json.loads(line) for line in lines]


class Log(SeenTest):
    def test_each_call_is_one_line_without_secrets_or_prompts(self):
        _, _, team = self.gateway.call("/team/new", {"team_alias": "red"})
        key = self.gateway.new_key(team_id=team["team_id"], key_alias="laptop")
        self.assertEqual(self.ask(key, headers={"x-session-id": "s1"}, user="ann")[0], 200)
        self.assertEqual(self.ask(key, stream=True)[0], 200)
        self.assertEqual(self.ask("sk-nobody-has-this-one")[0], 401)
        self.upstream.behave = lambda e: e.answer(400, {"error": {"message": PROMPT}})
        self.assertEqual(self.ask(key)[0], 400)
        lines = self.log()
        self.assertEqual(lines[0]["event"], "configuration")  # the master key is in the file
        # A client sees its answer before the call's line is written: the last may follow "drain".
        events = [line["event"] for line in lines if line["event"] not in ("configuration", "call")]
        self.assertEqual(events, ["start", "drain", "stop"])
        first, streamed, stranger, bad = [line for line in lines if line["event"] == "call"]
        self.assertEqual({name: first[name] for name in (
            "status", "team", "team_alias", "key_alias", "end_user", "session", "model", "upstream",
            "input_tokens", "cached_input_tokens", "output_tokens", "cost_dollars", "attempts",
            "outcome", "stream")},
            {"status": 200, "team": team["team_id"], "team_alias": "red", "key_alias": "laptop",
             "end_user": "ann", "session": "s1", "model": "m", "upstream": "m-0", "input_tokens": 6,
             "cached_input_tokens": 4, "output_tokens": 2, "cost_dollars": "0.0000104",
             "attempts": 1, "outcome": "ok", "stream": False})
        self.assertTrue(0 <= first["first_byte_seconds"] <= first["seconds"])
        self.assertTrue(streamed["stream"])
        self.assertEqual((stranger["status"], stranger["refusal"]), (401, "token_not_found_in_db"))
        self.assertNotIn("team", stranger)
        self.assertEqual((bad["status"], bad["outcome"]), (400, "upstream_error"))
        for secret in (PROMPT, key, MASTER, "sk-of-the-upstream", "sk-nobody-has-this-one"):
            self.assertNotIn(secret, self.gateway.said())

    def test_without_a_collector_a_clients_trace_passes_untouched(self):
        trace = {"traceparent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
                 "tracestate": "a=1,b=2"}
        key = self.gateway.new_key()
        self.ask(key, headers=trace)
        self.ask(key)
        traced, plain = [call["headers"] for call in self.upstream.calls]
        self.assertEqual({name: traced[name] for name in trace}, trace)
        self.assertNotIn("traceparent", plain)
        calls = [line for line in self.log() if line["event"] == "call"]
        self.assertEqual([call.get("trace_id") for call in calls],
                         ["4bf92f3577b34da6a3ce929d0e0e4736", None])

    def test_no_client_writes_lines_of_its_own(self):
        key = self.gateway.new_key()
        self.ask(key, user='x"}\n{"event":"forged"')
        lines = self.log()
        self.assertNotIn("forged", {line["event"] for line in lines})
        [call] = [line for line in lines if line["event"] == "call"]
        self.assertEqual(call["end_user"], 'x"}\n{"event":"forged"')


class LogFile(SeenTest):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        path = os.path.join(self.place.name, "door.log")
        self.extra = f"brigada:\n  log: {{file: {path}, format: text, level: warning}}\n"
        super().setUp()

    def tearDown(self):
        super().tearDown()
        self.place.cleanup()

    def test_a_file_as_text_from_a_level_on(self):
        key = self.gateway.new_key()
        self.assertEqual(self.ask(key)[0], 200)
        self.upstream.behave = lambda e: e.answer(500, {})
        self.assertEqual(self.ask(key)[0], 502)
        self.gateway.stop()
        with open(os.path.join(self.place.name, "door.log"), encoding="utf-8") as file:
            lines = file.read().splitlines()
        calls = [line for line in lines if " call " in line]
        self.assertEqual(len(calls), 1)
        self.assertIn(" warning call ", calls[0])
        self.assertIn(" status=502 refusal=upstream_error ", calls[0])


    def test_a_file_that_was_moved_away_is_made_anew_on_sighup(self):
        path = os.path.join(self.place.name, "door.log")
        key = self.gateway.new_key()
        self.upstream.behave = lambda e: e.answer(500, {})
        self.call_until_it_is_logged(key, path)
        os.rename(path, path + ".1")
        self.gateway.process.send_signal(signal.SIGHUP)
        self.call_until_it_is_logged(key, path)

    def call_until_it_is_logged(self, key, path):
        pause = threading.Event()
        for _ in range(600):
            self.ask(key)
            pause.wait(0.1)
            if os.path.exists(path):
                with open(path, encoding="utf-8") as file:
                    if " warning call " in file.read():
                        return
        self.fail(f"no call in {path}")


class Traces(SeenTest):
    extra = "litellm_settings:\n  callbacks: [otel]\n"
    TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
    PARENT = "00f067aa0ba902b7"

    def setUp(self):
        self.collector = Receiver([503])  # the first batch comes twice
        self.environment = {"OTEL_EXPORTER_OTLP_ENDPOINT": self.collector.url,
                            "OTEL_EXPORTER_OTLP_HEADERS": "x-api-key=a%20key",
                            "OTEL_SERVICE_NAME": "door"}
        super().setUp()

    def tearDown(self):
        super().tearDown()
        self.collector.stop()

    def spans(self, count):
        taken = lambda received: spans_of([post for post in received if post["status"] == 200])
        return self.collector.wait_for(
            lambda received: len(taken(received)) >= count and taken(received))

    def test_a_clients_trace_goes_through_to_the_upstream(self):
        _, _, team = self.gateway.call("/team/new", {"team_alias": "red"})
        key = self.gateway.new_key(team_id=team["team_id"], user_id="ann")
        self.ask(key, headers={"traceparent": f"00-{self.TRACE}-{self.PARENT}-01",
                               "tracestate": "vendor=1"}, stream=True, max_tokens=7)
        call, attempt = self.spans(2)
        sent = self.upstream.calls[0]["headers"]
        self.assertEqual(sent["traceparent"], f"00-{self.TRACE}-{attempt['spanId']}-01")
        self.assertEqual(sent["tracestate"], "vendor=1")
        self.assertEqual((call["traceId"], call["parentSpanId"], call["kind"], call["name"]),
                         (self.TRACE, self.PARENT, 2, "chat m"))
        self.assertEqual((attempt["traceId"], attempt["parentSpanId"], attempt["kind"],
                          attempt["name"]), (self.TRACE, call["spanId"], 3, "chat up-m"))
        for span in (call, attempt):
            self.assertEqual(span["attributes"]["brigada.team"], team["team_id"])
            self.assertEqual(span["attributes"]["brigada.user"], "ann")
            self.assertEqual(span["traceState"], "vendor=1")
            self.assertLessEqual(int(span["startTimeUnixNano"]), int(span["endTimeUnixNano"]))
        self.assertEqual(
            {name: call["attributes"][name] for name in (
                "gen_ai.operation.name", "gen_ai.request.model", "gen_ai.request.max_tokens",
                "gen_ai.usage.input_tokens", "gen_ai.usage.output_tokens",
                "gen_ai.usage.cache_read.input_tokens", "gen_ai.provider.name",
                "http.response.status_code")},
            {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m",
             "gen_ai.request.max_tokens": "7", "gen_ai.usage.input_tokens": "10",
             "gen_ai.usage.output_tokens": "2", "gen_ai.usage.cache_read.input_tokens": "4",
             "gen_ai.provider.name": "openai", "http.response.status_code": "200"})
        post = self.collector.received[0]
        self.assertEqual((post["path"], post["headers"]["x-api-key"]), ("/v1/traces", "a key"))
        self.assertIn({"key": "service.name", "value": {"stringValue": "door"}},
                      post["body"]["resourceSpans"][0]["resource"]["attributes"])
        self.assertNotIn(PROMPT, "".join(post["raw"].decode() for post in self.collector.received))

    def test_every_attempt_is_a_span_and_a_new_trace_begins_without_a_parent(self):
        key = self.gateway.new_key()
        self.upstream.behave = lambda e: e.answer(500, {})
        self.ask(key, headers={"traceparent": "00-nonsense"})
        call, attempt, *retries = self.spans(5)
        self.assertEqual([retry["traceId"] for retry in retries], [call["traceId"]] * 3)
        self.assertNotIn("parentSpanId", call)
        self.assertEqual(len(call["traceId"]), 32)
        self.assertEqual(attempt["attributes"]["error.type"], "upstream_error")
        self.assertEqual((attempt["status"]["code"], call["status"]["code"]), (2, 2))
        self.assertEqual(call["attributes"]["error.type"], "upstream_error")
        self.assertEqual(self.upstream.calls[0]["headers"]["traceparent"],
                         f"00-{call['traceId']}-{attempt['spanId']}-03")

    def test_a_collector_that_hangs_holds_up_nobody(self):
        self.collector.hang()
        key = self.gateway.new_key()
        self.assertEqual({self.ask(key)[0] for _ in range(50)}, {200})
        self.gateway.stop()  # and not its end, for long

    def test_who_is_not_sampled_is_not_told_of(self):
        key = self.gateway.new_key()
        self.ask(key, headers={"traceparent": f"00-{self.TRACE}-{self.PARENT}-00"})
        self.ask(key)
        self.assertNotIn(self.TRACE, {span["traceId"] for span in self.spans(2)})
        self.assertTrue(self.upstream.calls[0]["headers"]["traceparent"].endswith("-00"))


class Alerts(SeenTest):
    def setUp(self):
        self.hook = Receiver([500])  # the first alert comes twice
        self.extra = (f"brigada:\n  webhook_url: {self.hook.url}/alerts\n"
                      f"  webhook_secret: {SECRET}\n  webhook_token: t0ken\n")
        super().setUp()

    def tearDown(self):
        super().tearDown()
        self.hook.stop()

    def alerts(self, count):
        taken = lambda received: [post for post in received if post["status"] == 200]
        return self.hook.wait_for(
            lambda received: len(taken(received)) >= count and taken(received))

    def test_each_threshold_is_told_once_and_signed(self):
        _, _, team = self.gateway.call(
            "/team/new", {"team_alias": "red", "max_budget": 0.00005, "budget_duration": "1d"})
        key = self.gateway.new_key(team_id=team["team_id"])
        for _ in range(8):
            self.ask(key, "hi", max_tokens=1)
        posts = self.alerts(3)
        told = [post["body"] for post in posts]
        self.assertEqual([(event["event"], event.get("threshold")) for event in told],
                         [("threshold_crossed", 0.5), ("threshold_crossed", 0.8),
                          ("budget_crossed", None)])
        for event in told:
            self.assertEqual((event["event_group"], event["team_id"], event["team_alias"],
                              event["max_budget"], event["token"]),
                             ("team", team["team_id"], "red", 0.00005, None))
            self.assertIn("team red", event["event_message"])
        self.assertAlmostEqual(told[-1]["spend"], 4 * 0.0000104)
        again, first = self.hook.received[1], self.hook.received[0]
        self.assertEqual(first["body"], again["body"])
        self.assertEqual(first["headers"]["webhook-id"], again["headers"]["webhook-id"])
        for post in self.hook.received:
            self.assertEqual(post["headers"]["Authorization"], "Bearer t0ken")
            self.assertEqual(post["headers"]["webhook-signature"], signature(post))

    def test_a_key_is_named_by_its_id_and_alias(self):
        key = self.gateway.new_key(key_alias="laptop", user_id="ann", max_budget=0.00002)
        for _ in range(3):
            self.ask(key, "hi", max_tokens=1)
        told = [post["body"] for post in self.alerts(2)]
        info = self.gateway.call(f"/key/info?key={key}")[2]
        self.assertEqual({(event["event_group"], event["token"], event["key_alias"],
                           event["user_id"]) for event in told},
                         {("key", info["key"], "laptop", "ann")})
        self.assertNotIn(key, "".join(post["raw"].decode() for post in self.hook.received))

    def test_an_upstream_that_fails_and_comes_back_is_told(self):
        key = self.gateway.new_key()
        self.upstream.behave = lambda e: e.answer(500, {})
        for _ in range(4):
            self.ask(key)
        [down] = self.alerts(1)
        self.assertEqual((down["body"]["event"], down["body"]["upstream"]), ("upstream_down", "m-0"))
        self.assertIn("m-0", self.gateway.call("/debug/state")[2])
        self.assertIn("open", self.gateway.call("/debug/state")[2])
        self.gateway.stop()
        self.assertIn('"event":"upstream_down"', self.gateway.said())


class KeptAlerts(SeenTest):
    """A webhook that is away while the gateway ends."""

    def setUp(self):
        self.hook = Receiver([503] * 1_000)
        self.extra = f"brigada:\n  webhook_url: {self.hook.url}/alerts\n"
        super().setUp()

    def tearDown(self):
        super().tearDown()
        self.hook.stop()

    def cross_a_budget(self):
        key = self.gateway.new_key(max_budget=0.00002)
        for _ in range(3):
            self.ask(key, "hi", max_tokens=1)
        [first] = self.hook.wait_for(lambda received: received[:1])
        return first["headers"]["webhook-id"]

    def told_in_the_end(self, first):
        self.hook.statuses.clear()
        self.gateway.launch()
        taken = self.hook.wait_for(
            lambda received: [post for post in received if post["status"] == 200])
        self.assertEqual(taken[0]["headers"]["webhook-id"], first)
        self.assertEqual(taken[0]["body"], self.hook.received[0]["body"])

    def test_are_told_by_the_next_process(self):
        first = self.cross_a_budget()
        self.gateway.stop()
        self.assertIn('"event":"alert_kept"', self.gateway.said())
        self.told_in_the_end(first)

    def test_outlive_a_kill(self):
        first = self.cross_a_budget()
        self.gateway.kill()
        self.told_in_the_end(first)


def signature(post):
    """As the Standard Webhooks specification has it."""
    signed = b".".join([post["headers"]["webhook-id"].encode(),
                        post["headers"]["webhook-timestamp"].encode(), post["raw"]])
    mac = hmac.new(b"a secret of these tests", signed, hashlib.sha256).digest()
    return "v1," + base64.b64encode(mac).decode()


class Cache(SeenTest):
    extra = CACHE

    def setUp(self):
        super().setUp()
        self.upstream.behave = self.count

    def count(self, exchange):
        """Every answer of the upstream differs from all others."""
        words = str(len(self.upstream.calls))
        if exchange.body.get("stream"):
            exchange.stream(chat_events(("n", words)))
        else:
            exchange.answer(200, chat_answer(words))

    def asked(self):
        return len(self.upstream.calls)

    def test_the_same_call_is_answered_again_for_nothing(self):
        key = self.gateway.new_key(rpm_limit=3)
        _, first, one = self.ask(key)
        _, second, two = self.ask(key)
        self.assertEqual(one, two)
        self.assertEqual((first["x-brigada-cache"], second["x-brigada-cache"]), ("miss", "hit"))
        self.assertEqual(first["x-litellm-cache-key"], second["x-litellm-cache-key"])
        self.assertEqual(second["x-litellm-model-id"], "m-0")
        self.assertEqual(self.asked(), 1)
        self.assertEqual(second["x-ratelimit-remaining-requests"], "1")  # a hit is a request
        self.assertEqual([self.ask(key)[0] for _ in range(2)], [200, 429])
        self.assertEqual(self.gateway.metric("brigada_cache_hits_total"), 2)
        info = self.gateway.call(f"/key/info?key={key}")[2]["info"]
        self.assertAlmostEqual(info["spend"], 0.0000104)  # of the first alone
        self.gateway.stop()
        self.assertEqual(len(self.gateway.ledger()), 1)
        self.assertEqual(self.gateway.said().count('"from_cache":true'), 2)

    def test_a_stream_is_replayed_as_it_was_with_its_usage(self):
        key = self.gateway.new_key()
        options = {"stream": True, "stream_options": {"include_usage": True}}
        once, again = self.ask(key, **options), self.ask(key, **options)
        self.assertEqual(once[2], again[2])
        self.assertIn('"usage"', again[2])
        self.assertTrue(again[2].endswith("data: [DONE]\n\n"))
        self.assertEqual(again[1]["Content-Type"], once[1]["Content-Type"])
        self.assertEqual(self.asked(), 1)
        self.assertNotIn('"usage"', self.ask(key, stream=True)[2])  # asked otherwise: another call
        self.assertEqual(self.asked(), 2)

    def test_what_changes_the_answer_changes_the_key(self):
        key = self.gateway.new_key()
        self.ask(key)
        for fields in ({"temperature": 1}, {"text": "other"}, {"user": "ann"}, {"seed": 2}):
            before = self.asked()
            self.ask(key, **fields)
            self.assertEqual(self.asked(), before + 1, fields)
        before = self.asked()
        for same in (b'{"messages":[{"role":"user","content":"%s"}] ,  "model" : "m"}',
                     b'{"metadata":{"tags":["x"]},"model":"m","messages":'
                     b'[ {"role":"user", "content":"%s"} ]}'):
            answer = self.gateway.call("/v1/chat/completions", same % PROMPT.encode(), key)
            self.assertEqual(answer[1]["x-brigada-cache"], "hit")
        self.assertEqual(self.asked(), before)

    def test_a_call_says_how_it_uses_the_cache(self):
        key = self.gateway.new_key()
        self.ask(key, cache={"no-store": True})
        self.ask(key)
        self.assertEqual(self.asked(), 2)  # the first was not kept
        kept = self.ask(key)[2]
        self.assertEqual(self.asked(), 2)
        fresh = self.ask(key, cache={"no-cache": True})[2]
        self.assertEqual(self.asked(), 3)
        self.assertNotEqual(kept, fresh)
        self.assertEqual(self.ask(key)[2], fresh)  # no-cache asks anew, and keeps what came
        self.ask(key, cache={"s-maxage": 0})
        self.assertEqual(self.asked(), 4)
        self.assertNotIn("cache", self.upstream.calls[-1]["body"])  # upstreams do not know it
        status, _, body = self.ask(key, cache={"ttl": "long"})
        self.assertEqual((status, body["error"]["message"]),
                         (400, "cache.ttl: must be a number of seconds"))
        plain = self.gateway.new_key(metadata={"cache": {"no-cache": True, "no-store": True}})
        self.assertNotIn("x-brigada-cache", self.ask(plain)[1])

    def test_no_tenant_sees_what_another_asked(self):
        keys = []
        for alias in ("red", "blue"):
            team = self.gateway.call("/team/new", {"team_alias": alias})[2]["team_id"]
            keys.append([self.gateway.new_key(team_id=team) for _ in range(2)])
        (red, also_red), (blue, _) = keys
        first = self.ask(red)
        self.assertEqual(self.ask(also_red)[1]["x-brigada-cache"], "hit")
        other = self.ask(blue)
        self.assertEqual(other[1]["x-brigada-cache"], "miss")  # it waits for an upstream as anybody
        self.assertNotEqual(first[1]["x-litellm-cache-key"], other[1]["x-litellm-cache-key"])
        self.assertNotEqual(first[2], other[2])
        self.assertEqual(self.asked(), 2)

    def test_only_whole_good_answers_are_kept(self):
        key = self.gateway.new_key()
        self.upstream.behave = lambda e: e.answer(400, {"error": {"message": "no"}})
        self.ask(key)
        self.upstream.behave = lambda e: e.stream(chat_events()[:2], end=False)
        self.ask(key, stream=True)
        self.upstream.behave = self.count
        for stream in (False, True):
            self.assertEqual(self.ask(key, stream=stream)[1]["x-brigada-cache"], "miss")

    def test_a_key_that_may_not_call_a_model_gets_no_answer_of_it(self):
        team = self.gateway.call("/team/new", {"team_alias": "red"})[2]["team_id"]
        self.ask(self.gateway.new_key(team_id=team))
        barred = self.gateway.new_key(team_id=team, models=["other"])
        self.assertIn(self.ask(barred)[0], (401, 403))


    def test_administrators_make_it_forget(self):
        key = self.gateway.new_key()
        entry = self.ask(key)[1]["x-litellm-cache-key"]
        self.ask(key, "other")
        self.assertEqual(self.gateway.call("/cache/ping")[2]["answers"], 2)
        for path, body in (("/cache/ping", None), ("/cache/flushall", {}), ("/cache/delete", {})):
            self.assertEqual(self.gateway.call(path, body, key)[0], 403, path)
        self.assertEqual(self.gateway.call("/cache/delete", {"keys": [entry]})[2]["deleted"], 1)
        self.assertEqual(self.ask(key)[1]["x-brigada-cache"], "miss")
        status, _, body = self.gateway.call("/cache/delete", {"keys": ["abc"]})
        self.assertEqual(status, 400)
        self.assertIn("keys[0]: must be 64 hex digits", body["error"]["message"])
        self.assertEqual(self.gateway.call("/cache/flushall", {})[2],
                         {"status": "success", "deleted": 2})
        self.assertEqual(self.ask(key, "other")[1]["x-brigada-cache"], "miss")


class State(SeenTest):
    extra = CACHE

    def test_only_administrators_read_it(self):
        key = self.gateway.new_key()
        self.ask(key)
        self.assertEqual(self.gateway.call("/debug/state", key=key)[0], 403)
        self.assertEqual(self.gateway.call("/debug/state", key=None)[0], 401)
        status, _, text = self.gateway.call("/debug/state")
        self.assertEqual(status, 200)
        for words in ("guaranteed", "m-0", "closed", "backlog", "log: well", "1 keys",
                      "answers: 1 of 1 tenants", "spans: none are sent"):
            self.assertIn(words, text)
        self.assertNotIn(PROMPT, text)


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        BINARY = sys.argv.pop(1)
    unittest.main(verbosity=2)
