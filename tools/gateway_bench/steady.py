#!/usr/bin/env python3
"""What a stream notices of the front door, in one run: the time to its first byte, and its gaps while
prompts of 400 KB that nobody has seen are counted beside it. steady.py [--turns N] [--seconds N]
[--json FILE]; ./dev bench steady builds what it needs first.

Few streams, spread evenly, so that they wait for the target and not for each other. Targets take turns
of a few seconds, so that what else this machine does meets all of them; a difference is one of the same
percentile of all turns together, and the span beside it is that of nine tenths of 1,000 draws of turns."""
import argparse
import contextlib
import http.client
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile

import bodies
from targets import LOAD, TARGETS, Brigada, mock_engine

PERCENTILES = (0.5, 0.9, 0.99, 1.0)
DRAWS = 1_000


class Watched(Brigada):
    def metrics(self):
        """{name and bucket: count} of the histograms of its loop."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        with contextlib.closing(connection):
            connection.request("GET", "/metrics", headers={"Authorization": f"Bearer {self.MASTER}"})
            page = connection.getresponse().read().decode()
        return {(name, bound): int(count) for name, bound, count in re.findall(
            r'^brigada_loop_(late|busy)_seconds_bucket\{le="([^"]+)"\} (\d+)$', page, re.M)}


def files(folder):
    out = {}
    for name, body in (("short", bodies.small("short")), ("paced", bodies.small("paced")),
                       ("fresh", bodies.fresh_agent())):
        out[name] = os.path.join(folder, name)
        with open(out[name], "wb") as file:
            file.write(body)
    return out


def steps(target, body, connections, seconds, every_ms):
    headers = [f"{name}:{value}" for name, value in target.headers.items()]
    return subprocess.Popen([LOAD, "steps", str(target.port), target.path, body, str(connections),
                             str(seconds), str(every_ms), *headers], stdout=subprocess.PIPE, text=True)


def seen_by(load):
    seen = json.loads(load.communicate()[0])
    if load.returncode or seen["errors"]:
        raise RuntimeError(f"{seen['errors']} errors: {seen['first_error']}")
    return seen


def first_bytes(target, body, seconds):
    """Of eight streams of 40 ms, each every 100 ms."""
    return seen_by(steps(target, body["short"], 8, seconds, 100))["first_byte_ns"]


def gaps(target, body, seconds):
    """Of four streams of events 5 ms apart, and beside them a call of 400 KB every 100 ms."""
    beside = steps(target, body["fresh"], 1, seconds, 100)
    seen = seen_by(steps(target, body["paced"], 4, seconds, 400))
    seen_by(beside)
    return seen["gap_ns"]


def percentile(values, part):
    values = sorted(values)
    return values[int(part * (len(values) - 1))] / 1e3


def joined(turns):
    return [value for turn in turns for value in turn]


def added(turns, base, part):
    """Microseconds more than `base` at a percentile, and from where to where draws of turns put it."""
    chance = random.Random(1)
    drawn = []
    for _ in range(DRAWS):
        picks = [chance.randrange(len(turns)) for _ in turns]
        drawn.append(percentile(joined(turns[i] for i in picks), part)
                     - percentile(joined(base[i] for i in picks), part))
    drawn.sort()
    return (percentile(joined(turns), part) - percentile(joined(base), part),
            drawn[DRAWS // 20], drawn[-DRAWS // 20])


def report(title, results):
    print(f"\n{title}, microseconds\n")
    print("| | p50 | p90 | p99 | most | readings |\n|---|---|---|---|---|---|")
    for name, turns in results.items():
        values = joined(turns)
        print(f"| {name} | " + " | ".join(f"{percentile(values, part):,.0f}" for part in PERCENTILES)
              + f" | {len(values):,} |")
        if name == "direct":
            continue
        cells = []
        for part in PERCENTILES:
            more, low, high = added(turns, results["direct"], part)
            cells.append(f"{more:+,.0f} ({low:+,.0f} to {high:+,.0f})")
        print(f"| {name} over direct | " + " | ".join(cells) + " | |")


def report_loop(before, after):
    print("\nThe gateway's loop, asked every 10 ms while 400 KB prompts were counted\n")
    print("| no more than | late | of that its own work |\n|---|---|---|")
    bounds = sorted({bound for _, bound in after}, key=float)
    for bound in bounds:
        cells = [str(after[name, bound] - before[name, bound]) for name in ("late", "busy")]
        print(f"| {float(bound) * 1e3:g} ms | " + " | ".join(cells) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=12)
    parser.add_argument("--seconds", type=float, default=3.0, help="of each turn of each target")
    parser.add_argument("--json", help="a file for all readings")
    words = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    with contextlib.suppress(PermissionError):
        os.nice(-20)  # before what else runs here
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        port = stack.enter_context(mock_engine())
        targets = {name: stack.enter_context(contextlib.closing(make(folder, port)))
                   for name, make in (("direct", TARGETS["direct"]), ("brigada", Watched),
                                      ("nginx", TARGETS["nginx"]))}
        body = files(folder)
        loop_before, results = None, {"first byte": {}, "gaps": {}}
        for turn in range(words.turns + 1):  # the first warms
            print(f"turn {turn} of {words.turns}", file=sys.stderr)
            for what, measure in (("first byte", first_bytes), ("gaps", gaps)):
                for name, target in targets.items():
                    if turn == 1 and what == "first byte" and name == "direct":
                        loop_before = targets["brigada"].metrics()
                    readings = measure(target, body, words.seconds if turn else 0.5)
                    if turn:
                        results[what].setdefault(name, []).append(readings)
        report("First byte of a stream, eight streams every 100 ms", results["first byte"])
        report("Gap between events 5 ms apart, while a prompt of 400 KB is counted every 100 ms", results["gaps"])
        report_loop(loop_before, targets["brigada"].metrics())
    if words.json:
        with open(words.json, "w", encoding="utf-8") as file:
            json.dump(results, file)


if __name__ == "__main__":
    main()
