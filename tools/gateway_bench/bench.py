#!/usr/bin/env python3
"""What the front door costs beside others, in one run. bench.py [--targets a,b] [--seconds N]
[--json FILE]; ./dev bench gateway builds what it needs first."""
import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile

import bodies
from targets import LOAD, TARGETS, Missing

IDLE_STREAMS = 1_000


class Bench:
    def __init__(self, folder, seconds):
        self.folder, self.seconds = folder, seconds
        self.engine = subprocess.Popen([LOAD, "mock", "0"], stdin=subprocess.PIPE,
                                       stdout=subprocess.PIPE, text=True)
        self.engine_port = int(self.engine.stdout.readline())
        self.files = {}
        for size, make in (("small", bodies.small), ("agent", bodies.agent)):
            for mode in (None, "burst", "paced", "idle"):
                path = os.path.join(folder, f"{size}-{mode}.json")
                with open(path, "wb") as file:
                    file.write(make(mode))
                self.files[size, mode] = path

    def close(self):
        self.engine.kill()
        self.engine.wait()

    def command(self, what, target, body, connections, *more):
        headers = [f"{name}:{value}" for name, value in target.headers.items()]
        return [LOAD, what, str(target.port), target.path, self.files[body], str(connections),
                *more, *headers]

    def run(self, target, body, connections, seconds=None):
        """What the load saw, with the target's CPU for each call."""
        self.run_quietly(target, body, connections, 0.3)  # warm
        before = target.cpu_seconds()
        seen = self.run_quietly(target, body, connections, seconds or self.seconds)
        seen["cpu_us"] = 1e6 * (target.cpu_seconds() - before) / max(seen["calls"], 1)
        return seen

    def run_quietly(self, target, body, connections, seconds):
        out = subprocess.run(self.command("run", target, body, connections, str(seconds)),
                             stdout=subprocess.PIPE, text=True, check=True).stdout
        seen = json.loads(out)
        if seen["errors"]:
            print(f"  {target.name} {body}: {seen['errors']} errors: {seen['first_error']}",
                  file=sys.stderr)
        return seen

    def memory_of_idle_streams(self, target, body):
        """Bytes for each stream that is open and says nothing."""
        before = target.memory_bytes()
        holder = subprocess.Popen(self.command("hold", target, body, IDLE_STREAMS),
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        opened = json.loads(holder.stdout.readline())
        after = target.memory_bytes()
        holder.stdin.close()
        holder.wait()
        if opened["errors"]:
            print(f"  {target.name} idle: {opened['errors']} errors: {opened['first_error']}",
                  file=sys.stderr)
        return (after - before) / max(opened["streams"], 1)

    def gaps_under_load(self, target):
        """What sixteen paced streams see while 400 KB bodies go through beside them."""
        beside = subprocess.Popen(self.command("run", target, ("agent", None), 4,
                                               str(self.seconds + 1)), stdout=subprocess.DEVNULL)
        seen = self.run_quietly(target, ("small", "paced"), 16, self.seconds)
        beside.wait()
        return seen


def measure_calls(bench, target):
    """What calls cost and how long they take, in one process of a target."""
    out = {}
    for name, body, connections in (("small", ("small", None), 32), ("agent", ("agent", None), 8),
                                    ("small stream", ("small", "burst"), 16),
                                    ("agent stream", ("agent", "burst"), 8)):
        out[name] = bench.run(target, body, connections)
    for name, body in (("small alone", ("small", None)), ("agent alone", ("agent", None))):
        out[name] = bench.run(target, body, 1)
    out["paced"] = bench.run(target, ("small", "paced"), 100)
    out["gaps"] = bench.gaps_under_load(target)
    return out


def measure(bench, start):
    """All figures of one target. Memory is that of a new process: an old one has some to spare."""
    with contextlib.closing(start()) as target:
        out = measure_calls(bench, target)
    for name, body in (("idle small", ("small", "idle")), ("idle agent", ("agent", "idle"))):
        with contextlib.closing(start()) as target:
            bench.run_quietly(target, (body[0], None), 1, 0.3)  # warm
            out[name] = bench.memory_of_idle_streams(target, body)
    return out


def table(title, names, rows):
    print(f"\n{title}\n")
    print("| | " + " | ".join(names) + " |")
    print("|---|" + "---|" * len(names))
    for label, cells in rows:
        print(f"| {label} | " + " | ".join(cells) + " |")


def report(results):
    names = list(results)
    nginx = results.get("nginx")

    def cpu(name):
        cells = []
        for target in names:
            value = results[target][name]["cpu_us"]
            ratio = f" ({value / nginx[name]['cpu_us']:.2f} x nginx)" if nginx else ""
            cells.append(f"{value:.1f}{ratio if target != 'nginx' else ''}")
        return cells

    table("CPU of the target for each call, microseconds", names,
          [(label, cpu(name)) for label, name in (
              ("1 KB, whole answer, 32 connections", "small"),
              ("400 KB, whole answer, 8 connections", "agent"),
              ("1 KB, stream of 64 events, 16 connections", "small stream"),
              ("400 KB, stream of 64 events, 8 connections", "agent stream"),
              ("1 KB, 64 events 5 ms apart, 100 connections", "paced"))])
    table("Calls per second of the target's CPU", names,
          [(label, [f"{1e6 / results[t][name]['cpu_us']:,.0f}" for t in names]) for label, name in (
              ("1 KB", "small"), ("400 KB", "agent"))])

    def times(name, what, parts=("p50", "p99")):
        return [" / ".join(f"{results[t][name][what][part]:,.0f}" for part in parts) for t in names]

    table("Time, microseconds, p50 / p99", names, [
        ("first byte, 1 KB, one connection", times("small alone", "first_byte_us")),
        ("first byte, 400 KB, one connection", times("agent alone", "first_byte_us")),
        ("first byte, 100 paced streams", times("paced", "first_byte_us")),
        ("gap of 16 paced streams beside 400 KB bodies, p99 / most",
         times("gaps", "gap_us", ("p99", "max")))])
    table(f"Memory for each of {IDLE_STREAMS} idle streams, KB", names, [
        (label, [f"{results[t][name] / 1024:.1f}" for t in names]) for label, name in (
            ("opened by 1 KB", "idle small"), ("opened by 400 KB", "idle agent"))])


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--targets", default=",".join(TARGETS), help="of " + ",".join(TARGETS))
    parser.add_argument("--seconds", type=float, default=3.0, help="of each measurement")
    parser.add_argument("--json", help="a file for all figures")
    words = parser.parse_args()
    unknown = set(words.targets.split(",")) - set(TARGETS)
    if unknown:
        parser.error(f"--targets: {', '.join(sorted(unknown))} is none of {', '.join(TARGETS)}")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that targets end with it
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(folder, words.seconds)
        try:
            for name in words.targets.split(","):
                print(f"measuring {name}", file=sys.stderr)
                try:
                    results[name] = measure(
                        bench, lambda: TARGETS[name](folder, bench.engine_port))
                except Missing as missing:
                    print(f"  {name} is left out: {missing}", file=sys.stderr)
        finally:
            bench.close()
    report(results)
    if words.json:
        with open(words.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)


if __name__ == "__main__":
    main()
