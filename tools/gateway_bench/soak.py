#!/usr/bin/env python3
"""A day's calls as fast as they go, and what the front door's memory makes of them. soak.py
[--calls N] [--json FILE]; ./dev bench soak builds what it needs first.

Rounds of calls follow each other: sessions that grow, in two dialects (one of them translated), some of
100,000 tokens, streams that clients leave, keys nobody knows; every round has new sessions and another
key. After each, the gateway's memory (PSS) is read. At the end the ledger must have every call that
reached the engine."""
import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile

import bodies
from targets import LOAD, TARGETS, mock_engine

BRIGADA = "build/release/brigada"
TEAMS, KEYS = 20, 100
ROUND = 20_000  # calls


class Soak:
    def __init__(self, folder, engine_port):
        self.folder = folder
        self.target = TARGETS["brigada"](folder, engine_port)
        self.keys = [self.new_key(number) for number in range(KEYS)]
        self.calls = self.refused = 0
        self.rows = []
        self.files = {}
        for name, body in (("agent", bodies.agent()), ("idle", bodies.small("idle")),
                           ("small", bodies.small())):
            self.files[name] = os.path.join(folder, f"{name}.json")
            with open(self.files[name], "wb") as file:
                file.write(body)

    def new_key(self, number):
        if number < TEAMS:
            self.target.manage("/team/new", {"team_id": f"team-{number}", "max_budget": 10**6})
        return self.target.manage("/key/generate", {
            "team_id": f"team-{number % TEAMS}", "rpm_limit": 10**9, "max_budget": 10**6})["key"]

    def sessions(self, number, calls, api, *shape):
        """`brigada load`, sixteen sessions at a time."""
        out = subprocess.run(
            [BRIGADA, "load", "--url", f"http://127.0.0.1:{self.target.port}", "--model", "m", "--api", api,
             "--sessions", "16", "--calls", str(calls), "--seed", str(number), "--distinct", "4096",
             "--no-probe", "--drain", "30s", "--quiet", "--json", *shape],
            env={**os.environ, "BRIGADA_API_KEY": self.keys[number % KEYS]},
            stdout=subprocess.PIPE, text=True, check=True).stdout
        self.calls += json.loads(out)["calls"]["sent"]

    def raw(self, what, body, connections, *more, key):
        """`gateway_load`: the same body over and over."""
        return subprocess.Popen([LOAD, what, str(self.target.port), "/v1/chat/completions", self.files[body],
                                 str(connections), *more, f"Authorization:Bearer {key}"],
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def left_streams(self, number, streams):
        holder = self.raw("hold", "idle", streams, key=self.keys[number % KEYS])
        self.calls += json.loads(holder.stdout.readline())["streams"]
        holder.stdin.close()
        holder.wait()

    def repeated(self, number, body, seconds, key=None):
        seen = json.loads(self.raw("run", body, 8, str(seconds),
                                   key=key or self.keys[number % KEYS]).communicate()[0])
        if key:
            self.refused += seen["errors"]
        else:
            self.calls += seen["calls"]

    def round(self, number):
        part = ROUND // 4
        small = ("--prompt-tokens", "300", "--turns", "6", "--turn-tokens", "100", "--output-tokens", "64")
        self.sessions(number, part, "chat", *small)
        self.sessions(number, part, "messages", *small)
        self.sessions(number, 100, "chat", "--prompt-tokens", "100000", "--turns", "8")
        self.repeated(number, "agent", 0.5)
        self.repeated(number, "small", 2)
        self.repeated(number, "small", 0.2, key="sk-nobody-knows-this-one")
        self.left_streams(number, 200)
        self.rows.append({"calls": self.calls, "refused": self.refused,
                          "memory_mb": self.target.memory_bytes() / 1e6})
        print(f"{self.calls:>10,} calls, {self.refused:>9,} refused, "
              f"{self.rows[-1]['memory_mb']:.1f} MB", flush=True)

    def verify_ledger(self):
        """What `brigada ledger verify` says, once the gateway has ended."""
        self.target.process.send_signal(signal.SIGTERM)
        self.target.process.wait()
        out = subprocess.run([BRIGADA, "ledger", "verify",
                              os.path.join(self.target.folder, "data", "ledger")],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        return out.returncode, out.stdout.strip()


def growth(rows):
    """MB for each million calls, by least squares over the second half."""
    late = rows[len(rows) // 2:]
    mean_x = sum(row["calls"] for row in late) / len(late)
    mean_y = sum(row["memory_mb"] for row in late) / len(late)
    spread = sum((row["calls"] - mean_x) ** 2 for row in late)
    return 1e6 * sum((row["calls"] - mean_x) * (row["memory_mb"] - mean_y) for row in late) / max(spread, 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=2_000_000)
    parser.add_argument("--json", help="a file for memory by calls")
    words = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with tempfile.TemporaryDirectory() as folder, mock_engine() as port:
        soak = Soak(folder, port)
        with contextlib.closing(soak.target):
            number = 0
            while soak.calls < words.calls:
                soak.round(number)
                number += 1
            status, said = soak.verify_ledger()
    print(f"{growth(soak.rows):.1f} MB more for each million calls in the second half; "
          f"{soak.calls + 1:,} calls were sent\n{said}")
    if words.json:
        with open(words.json, "w", encoding="utf-8") as file:
            json.dump(soak.rows, file, indent=1)
    sys.exit(status)


if __name__ == "__main__":
    main()
