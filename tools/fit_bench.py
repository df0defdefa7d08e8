#!/usr/bin/env python3
"""Is what we predict what happens? Fits the cost model to this machine's engine, lets eight agents
work against the live engine, and simulates the same calls with that fit. ./dev bench fit builds what
it needs. Both run before everything else on the machine where that is allowed (chrt, as root), since a
neighbour's work is in no model; --beside leaves them among the others."""
import argparse
import json
import shutil
import statistics
import subprocess
import tempfile
import time
import urllib.request
from pathlib import Path

BRIGADA = "build/release/brigada"
PORT = 4711
SIZE = ["--threads", "1", "--max-context", "4096", "--kv-memory", "1GB"]
SHOWN = {"TTFT": ("ttft_s", "ttft_ms"), "TPOT": ("tpot_s", "tpot_ms"), "whole answer": ("call_s", "e2e_ms")}

# Agents that a small model on a processor can serve: the shapes of big ones, a fortieth as long.
AGENTS = {
    "name": "small-agents", "about": "agents with prompts that a small model on a CPU can read",
    "shared_prefixes": [{"share": 1, "tokens": 512}],
    "first_prompt_tokens": {"median": 700, "p90": 900}, "calls_per_session": {"median": 7, "p90": 10},
    "calls_per_turn": {"median": 3, "p90": 6}, "new_tokens_user": {"median": 80, "p90": 200},
    "new_tokens_tool": {"median": 120, "p90": 400}, "output_tokens": {"median": 40, "p90": 100},
    "gap_user_s": {"median": 12, "p90": 30}, "gap_tool_s": {"median": 4, "p90": 10},
    "pause_s": {"median": 6, "p90": 12}, "most_prompt_tokens": 3500, "compaction_ratio": 0.4,
    "compaction_kept": 0.15}


def run(first, *words, **options):
    return subprocess.run([*first, BRIGADA, *map(str, words)], check=True, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options).stdout


def wait_for_engine():
    for _ in range(240):
        try:
            return urllib.request.urlopen(f"http://127.0.0.1:{PORT}/health")
        except OSError:
            time.sleep(0.25)
    raise SystemExit("the engine does not answer")


def live(first, model, trace, folder):
    """Means of the calls that the live engine answered, in seconds."""
    report = folder / "live.json"
    engine = subprocess.Popen([*first, BRIGADA, "serve", model, *SIZE, "--port", str(PORT)],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for_engine()
        run(first, "load", "--url", f"http://127.0.0.1:{PORT}", "--tokenizer", model, "--trace", trace,
            "--exact-output", "--json-file", report, "-q")
    finally:
        engine.terminate()
        engine.wait()
    told = json.loads(report.read_text())
    return ({name: told["latency"][key]["mean"] / 1e3 for name, (_, key) in SHOWN.items()} |
            {"tokens/s": told["rates"]["output_tokens_per_second"]})


def simulated(cost, trace):
    fit = json.loads(cost.read_text())
    told = json.loads(run([], "simulate", "--trace", trace, "--cost", cost, "--kv-tokens", fit["kv_tokens"],
                          "--step-tokens", fit["scheduler"]["step_tokens"],
                          "--max-num-seqs", fit["scheduler"]["max_running"], "--max-context", 4096,
                          "--made-up-answers", "--json"))
    report = told["policies"]["session"][0]
    return ({name: report[key]["mean"] for name, (key, _) in SHOWN.items()} |
            {"tokens/s": report["output_tokens"] / report["seconds"]})


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--model", default="smollm2")
    options.add_argument("--agents", type=int, default=8)
    options.add_argument("--seconds", type=int, default=100, help="of the load; the fit takes half of it")
    options.add_argument("--rounds", type=int, default=3, help="of fitting and measuring, in turn")
    options.add_argument("--beside", action="store_true", help="not before everything else")
    chosen = options.parse_args()
    first = [] if chosen.beside or not shutil.which("chrt") else ["chrt", "-r", "5"]
    if first and subprocess.run([*first, "true"], stderr=subprocess.DEVNULL).returncode:
        first = []

    errors = {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "agents.json").write_text(json.dumps(AGENTS))
        print("| round | " + " | ".join(f"{what}: measured, predicted" for what in [*SHOWN, "tokens/s"]) + " |")
        print("|---" * (len(SHOWN) + 2) + "|")
        for number in range(1, chosen.rounds + 1):
            trace, cost = folder / f"{number}.trace", folder / "cost.json"
            run([], "trace", "generate", folder / "agents.json", "--users", chosen.agents, "--duration",
                f"{chosen.seconds}s", "--block-tokens", 16, "--seed", number, "-o", trace)
            run(first, "calibrate", "engine", chosen.model, "--seconds", chosen.seconds // 2, "--longest", 3500,
                *SIZE, "--out", cost)
            measured, predicted = live(first, chosen.model, trace, folder), simulated(cost, trace)
            cells = []
            for what, truth in measured.items():
                error = predicted[what] / truth - 1
                errors.setdefault(what, []).append(error)
                cells.append(f"{truth:.4g}, {predicted[what]:.4g} ({100 * error:+.0f} %)")
            print(f"| {number} | {' | '.join(cells)} |", flush=True)
    print("| median | " + " | ".join(f"{100 * statistics.median(each):+.1f} %" for each in errors.values()) + " |")


if __name__ == "__main__":
    main()
