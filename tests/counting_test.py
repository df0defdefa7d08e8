#!/usr/bin/env python3
"""Prompts counted by a model's own tokenizer and template. counting_test.py BINARY"""
import os
import pathlib
import shutil
import sys
import tempfile
import unittest

from gateway import MASTER, Gateway
from scripted_upstream import Upstream, chat_answer
from server import default_binary

BINARY = default_binary()
DATA = pathlib.Path(__file__).resolve().parent.parent / "testdata"
HELLO = [{"role": "user", "content": "Once upon a time, there was a file."}]
HELLO_ANTHROPIC = {"messages": [{"role": "user", "content": [{"type": "text", "text": HELLO[0]["content"]}]}]}


class Counted(Gateway):
    """Before one upstream: `counted` has a tokenizer, `guessed` has none, `lost` one that is not there."""

    def __init__(self, folder, upstream, window=None):
        tokenizer = os.path.join(folder, "tokenizer")
        os.mkdir(tokenizer)
        shutil.copy(DATA / "models/stories260K/hf/tokenizer.json", tokenizer)
        shutil.copy(DATA / "chat-templates/templates/qwen3.jinja",
                    os.path.join(tokenizer, "chat_template.jinja"))
        self.upstream, self.window = upstream, window
        self.tokenizers = {"counted": tokenizer, "lost": os.path.join(folder, "lost")}
        super().__init__(BINARY, folder, {})

    def yaml(self, _):
        lines = ["general_settings:", f"  master_key: {MASTER}",
                 "router_settings: {enable_pre_call_checks: true}", "model_list:"]
        for name in ("counted", "guessed", "lost"):
            lines += [f"- model_name: {name}",
                      f"  litellm_params: {{model: openai/up, api_base: {self.upstream.url}}}",
                      f"  model_info: {{id: {name}-0"
                      + (f", max_input_tokens: {self.window}" if self.window else "")
                      + (f", custom_tokenizer: {{identifier: {self.tokenizers[name]}}}"
                         if name in self.tokenizers else "") + "}"]
        return "\n".join(lines) + "\n"

    def count(self, model, **fields):
        status, _, body = self.call("/utils/token_counter", {"model": model, **fields})
        assert status == 200, body
        return body


class Counting(unittest.TestCase):
    def start(self, behave=None, window=None):
        upstream = Upstream(behave)
        self.addCleanup(upstream.stop)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        gateway = Counted(folder.name, upstream, window)
        self.addCleanup(gateway.kill)
        return gateway, upstream

    def expected(self, headers):
        tokens, how = headers["x-brigada-prompt-tokens"].split()
        return int(tokens), how

    def test_litellms_counter_says_how_it_counted(self):
        gateway, _ = self.start()
        counted = gateway.count("counted", messages=HELLO)
        self.assertEqual(counted["tokenizer_type"], "huggingface_tokenizer")
        self.assertEqual((counted["request_model"], counted["model_used"]), ("counted", "counted"))
        for model in ("guessed", "lost"):
            self.assertEqual(gateway.count(model, messages=HELLO)["tokenizer_type"], "estimate")
        self.assertEqual(gateway.count("counted", prompt="Once upon a time")["tokenizer_type"],
                         "huggingface_tokenizer")
        self.assertEqual(gateway.call("/utils/token_counter", {"model": "counted"})[0], 400)
        self.assertEqual(gateway.call("/utils/token_counter", {"model": "counted"}, "sk-no")[0], 401)

    def test_anthropics_counter_is_answered_here(self):
        gateway, upstream = self.start()
        status, _, body = gateway.call("/v1/messages/count_tokens",
                                       {"model": "counted", **HELLO_ANTHROPIC})
        self.assertEqual((status, body),
                         (200, {"input_tokens": gateway.count("counted", messages=HELLO)["total_tokens"]}))
        self.assertEqual(upstream.calls, [])
        status, _, body = gateway.call("/v1/messages/count_tokens",
                                       {"model": "guessed", **HELLO_ANTHROPIC})
        self.assertEqual((status, list(body)), (200, ["input_tokens"]))
        self.assertGreater(body["input_tokens"], 0)
        self.assertEqual(upstream.calls, [])

    def test_a_call_knows_its_tokens_turn_by_turn(self):
        gateway, _ = self.start()
        messages, before = list(HELLO), 0
        for _ in range(3):
            status, headers, _ = gateway.call("/v1/chat/completions",
                                              {"model": "counted", "messages": messages})
            tokens, how = self.expected(headers)
            self.assertEqual((status, how), (200, "counted"))
            self.assertEqual(tokens, gateway.count("counted", messages=messages)["total_tokens"])
            self.assertGreater(tokens, before)
            before = tokens
            messages += [{"role": "assistant", "content": "I see."}, {"role": "user", "content": "And then?"}]
        _, headers, _ = gateway.call("/v1/chat/completions", {"model": "guessed", "messages": messages})
        self.assertEqual(self.expected(headers)[1], "estimated")

    def test_a_long_prompt_is_counted_beside_the_loop(self):
        gateway, _ = self.start()
        messages = [{"role": "user", "content": "There was a file. " * 20_000}]
        _, headers, _ = gateway.call("/v1/chat/completions", {"model": "counted", "messages": messages})
        tokens, how = self.expected(headers)
        self.assertEqual(how, "counted")
        self.assertGreater(tokens, 100_000)

    def test_a_prompt_that_is_one_token_too_long_goes_nowhere(self):
        gateway, _ = self.start()
        tokens = gateway.count("counted", messages=HELLO)["total_tokens"]
        gateway.stop()
        for window, status in ((tokens, 200), (tokens - 1, 400)):
            small, upstream = self.start(window=window)
            got, _, body = small.call("/v1/chat/completions", {"model": "counted", "messages": HELLO})
            self.assertEqual(got, status, body)
            self.assertEqual(len(upstream.calls), 1 if status == 200 else 0)
        self.assertIn(f"the prompt has {tokens} tokens", body["error"]["message"])

    def test_what_the_upstream_does_not_report_is_counted_here(self):
        def silent(exchange):
            answer = chat_answer()
            del answer["usage"]
            exchange.answer(200, answer)
        gateway, _ = self.start(silent)
        tokens = gateway.count("counted", messages=HELLO)["total_tokens"]
        gateway.call("/v1/chat/completions", {"model": "counted", "messages": HELLO})
        gateway.stop()
        (row,) = gateway.ledger()
        self.assertEqual(int(row["input_tokens"]), tokens)

    def test_the_page_of_metrics_holds_it_against_the_truth(self):
        gateway, _ = self.start()
        _, headers, _ = gateway.call("/v1/chat/completions", {"model": "counted", "messages": HELLO})
        tokens, _ = self.expected(headers)
        page = gateway.call("/metrics")[2]
        self.assertIn(f'brigada_expected_prompt_tokens_total{{how="counted"}} {tokens}', page)
        self.assertIn('brigada_reported_prompt_tokens_total{how="counted"} 10', page)
        self.assertIn(f'brigada_wrong_prompt_tokens_total{{how="counted"}} {tokens - 10}', page)

    def test_a_tokenizer_that_is_not_there_is_a_warning(self):
        gateway, _ = self.start()
        gateway.wait_for_words("custom_tokenizer.identifier")
        status, _, body = gateway.call("/config/reload", {})
        self.assertEqual(status, 200, body)
        self.assertTrue(any("its prompts are estimated" in line for line in body["warnings"]), body)


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        BINARY = sys.argv.pop(1)
    unittest.main()
