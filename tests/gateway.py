"""Starting and talking to `brigada gateway` from tests: standard library only."""
import contextlib
import csv
import http.client
import io
import json
import os
import subprocess
import threading

from server import CALL_SECONDS, Server, free_port

MASTER = "sk-master-of-these-tests"


class Gateway(Server):
    """A running `brigada gateway` before `upstreams`: {model name: [url, ...]}."""

    health = "/health/readiness"

    def __init__(self, binary, folder, upstreams, extra=""):
        self.binary = binary
        self.folder = folder
        self.config = os.path.join(folder, "config.yaml")
        with open(self.config, "w", encoding="utf-8") as file:
            file.write(self.yaml(upstreams) + extra)
        self.launch()

    def launch(self):
        port = free_port()
        self.start([self.binary, "gateway", "--config", self.config,
                    "--listen", f"127.0.0.1:{port}", "--data", os.path.join(self.folder, "data")],
                   port)
        self.wait_until_ready()

    @staticmethod
    def yaml(upstreams):
        lines = ["general_settings:", f"  master_key: {MASTER}", "model_list:"]
        for name, urls in upstreams.items():
            for number, url in enumerate(urls):
                lines += [f"- model_name: {name}",
                          "  litellm_params:",
                          f"    model: {'anthropic' if name.startswith('claude') else 'openai'}/up-{name}",
                          f"    api_base: {url}",
                          "    api_key: sk-of-the-upstream",
                          "    input_cost_per_token: 0.000001",
                          "    cache_read_input_token_cost: 0.0000001",
                          "    output_cost_per_token: 0.000002",
                          "  model_info:",
                          f"    id: {name}-{number}"]
        return "\n".join(lines) + "\n"

    def call(self, path, body=None, key=MASTER, headers=None, method=None):
        """Status, headers and the parsed answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=CALL_SECONDS)
        with contextlib.closing(connection):
            sent = {"Content-Type": "application/json", **(headers or {})}
            if key:
                sent["Authorization"] = f"Bearer {key}"
            data = body if isinstance(body, bytes) else body and json.dumps(body).encode()
            connection.request(method or ("GET" if body is None else "POST"), path, data, sent)
            response = connection.getresponse()
            text = response.read().decode()
            try:
                return response.status, response.headers, json.loads(text)
            except ValueError:
                return response.status, response.headers, text

    def chat(self, model, key, **fields):
        return self.call("/v1/chat/completions",
                         {"model": model, "messages": [{"role": "user", "content": "hi"}], **fields},
                         key)

    def new_key(self, **fields):
        status, _, body = self.call("/key/generate", fields)
        assert status == 200, body
        return body["key"]

    def spend_logs(self, **query):
        """The calls that the store has when it has them all, oldest first."""
        pause = threading.Event()
        while self.call("/health/backlog")[2]["ledger_records"]:
            pause.wait(0.02)
        words = "&".join(f"{name}={value}" for name, value in query.items())
        status, _, rows = self.call(f"/spend/logs?summarize=false&{words}")
        assert status == 200, rows
        return rows[::-1]

    def stop(self):
        """A clean end: what the ledger says afterwards is all there was."""
        code = super().stop()
        self.kill()
        assert code == 0, self.said()

    def ledger(self):
        """The calls of the ledger, as rows of text. The gateway must have stopped."""
        out = subprocess.run([self.binary, "ledger", "export",
                              os.path.join(self.folder, "data", "ledger")],
                             capture_output=True, text=True, check=True).stdout
        return list(csv.DictReader(io.StringIO(out)))
