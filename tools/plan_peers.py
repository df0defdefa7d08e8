"""What AIConfigurator (PyPI) says of the published runs and of the measured ones in testdata, beside
the cost model's own answers: how far off each is, and how long it took to answer. Its operator times
come with its package. Vidur's package brings none: it fetches them from a hub, so it is not asked."""
import csv
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

PINNED = "aiconfigurator==0.12.0"
HOME = Path("build/peers/aiconfigurator")  # a virtual environment
POINTS = "testdata/calibration/published_points.csv"
CONFIGS = Path("testdata/models/configs")
RUNS = Path("testdata/traces/vllm_measured")
SYSTEMS = {"A100 SXM 80GB": "a100_sxm", "H100 SXM 80GB": "h100_sxm", "H200 SXM": "h200_sxm",
           "B200 SXM": "b200_sxm", "GB200 NVL72": "gb200",
           "RTX PRO 6000 Blackwell (600W)": "rtx_pro_6000_server"}
MOST_ROWS = 12
MOST_AT_ONCE = 128  # max_num_seqs of the measured runs
ENGINES = {"vLLM": "vllm", "vLLM nightly": "vllm", "SGLang": "sglang", "TensorRT-LLM": "trtllm"}
MEASURED = {"rtxpro6000_llama3.1-8b_tp1": ("Llama-3.1-8B", 1, 1, 1),
            "rtxpro6000_qwen3-32b_tp2": ("Qwen3-32B", 2, 1, 1),
            "rtxpro6000_qwen3-30b-a3b_dp2ep2": ("Qwen3-30B-A3B", 1, 2, 2)}


def config_of(model):
    """A folder with the model's config.json; None where testdata has none."""
    found = [path for path in CONFIGS.glob("*.json")
             if path.stem.split("__")[-1].removesuffix("-Instruct") in (model, f"Meta-{model}")]
    if not found:
        return None
    folder = HOME / "models" / model
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(found[0].read_text())
    return str(folder)


def stored(weights, config):
    """How matrices are stored, where the config does not say so itself."""
    if weights in ("fp8", "mxfp4") and "quantization_config" in json.load(open(f"{config}/config.json")):
        return {}
    block = {"fp8": "fp8_block"} if "GLM-5" in config else {}
    word = {"bf16": "bfloat16", "int4": "int4_wo", **{w: w for w in ("fp8", "nvfp4")}, **block}[weights]
    return {"gemm_quant_mode": word, "moe_quant_mode": word}


def sampled():
    """Of each accelerator and engine at most so many rows, evenly: an answer takes the peer a second."""
    groups = {}
    for number, row in enumerate(csv.DictReader(open(POINTS)), 1):
        if row["accelerator"] in SYSTEMS and row["engine"] in ENGINES and config_of(row["model"]):
            groups.setdefault((row["accelerator"], row["engine"]), []).append((number, row))
    for rows in groups.values():
        yield from rows[::-(-len(rows) // MOST_ROWS)]


def questions():
    """(key, arguments, batch sizes): `closed` loads at their concurrency, bursts at the best batch,
    which is how a planner that knows no queue would be asked for a throughput."""
    for number, row in sampled():
        config = config_of(row["model"])
        kind, count = row["load"].split(":")
        tp, dp, ep = int(row["tp"]), int(row["dp"]), int(row["ep"])
        most = max(1, int(count) // dp)
        sizes = [most] if kind == "closed" else [b for b in (64, 256, 1024) if b < most] + [min(most, 2048)]
        yield number, dict(
            model_path=config, system_name=SYSTEMS[row["accelerator"]],
            backend_name=ENGINES[row["engine"]], isl=int(float(row["prompt_tokens"])) or 1,
            osl=max(2, int(float(row["output_tokens"]))), kvcache_quant_mode=None if row["kv"] == "bf16" else "fp8",
            **ranks(tp, dp, ep), **stored(row["weights"], config)), sizes
    for name, (model, *three) in MEASURED.items():
        served = list(csv.DictReader(open(RUNS / f"{name}.csv")))
        mean = lambda of: statistics.mean(of(row) for row in served)
        begun = [float(row["arrival_s"]) for row in served]
        done = [float(row["last_token_s"]) for row in served]
        at_once = sum(d - b for b, d in zip(begun, done)) / (max(done) - min(begun))
        yield name, dict(model_path=config_of(model), system_name="rtx_pro_6000_server", backend_name="vllm",
                         isl=round(mean(lambda r: float(r["input_tokens"]))),
                         osl=round(mean(lambda r: float(r["output_tokens"]))), **ranks(*three)), \
            [max(1, min(MOST_AT_ONCE, round(at_once / three[1])))]


def ranks(tp, dp, ep):
    return dict(tp_size=tp, attention_dp_size=dp, moe_ep_size=ep, moe_tp_size=tp * dp // ep)


def ask():
    """Runs in the peer's own interpreter: one line of JSON for each question."""
    import logging
    import warnings
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    from aiconfigurator.cli.api import cli_estimate
    # It reads the operators of a system and an engine once.
    by_database = sorted(questions(), key=lambda q: (q[1]["system_name"], q[1]["backend_name"]))
    for key, words, sizes in sorted(by_database, key=lambda q: isinstance(q[0], int)):
        before, best, refused = time.time(), None, ""
        for size in sizes:
            try:
                said = cli_estimate(batch_size=size, **words)
            except BaseException as error:  # its Rust part panics, too
                refused = str(error).split("\n")[0][:160]
                continue
            answer = {"ttft_s": float(said.ttft) / 1e3, "tpot_s": float(said.tpot) / 1e3,
                      "output_tok_s": float(said.raw["tokens/s"])}
            if not best or answer["output_tok_s"] > best["output_tok_s"]:
                best = answer
        print(json.dumps({"key": key, "seconds": time.time() - before, "answer": best,
                          "refused": refused}), flush=True)


def peer_answers():
    if not (HOME / "bin/aiconfigurator").exists():
        subprocess.run([sys.executable, "-m", "venv", HOME], check=True)
        subprocess.run([HOME / "bin/pip", "install", "--quiet", PINNED], check=True)
    told = subprocess.run([HOME / "bin/python", __file__, "ask"], stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.DEVNULL, check=True, env={**os.environ, "HF_HUB_OFFLINE": "1"})
    return {line["key"]: line for line in map(json.loads, told.stdout.splitlines())}


def our_answers():
    """By row, and how long all of them took, both fits of each group included."""
    before = time.time()
    told = subprocess.run(["build/release/brigada", "calibrate", "published", POINTS, "--json"],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True)
    took = time.time() - before
    return {run["row"]: (group["accelerator"], group["engine"], run)
            for group in json.loads(told.stdout) for run in group["runs"]}, took


def spread(errors):
    if not errors:
        return "-"
    p90 = errors[0] if len(errors) == 1 else statistics.quantiles(errors, n=10, method="inclusive")[8]
    return f"{100 * statistics.median(errors):.0f} / {100 * p90:.0f} %"


WHO = ("unfitted", "fitted", "peer")
HEAD = " | datasheet alone | fitted to the other half | AIConfigurator |\n|---|---|---|---|---|"


def published_table(theirs, ours):
    """Only figures that both answered; a burst's TTFT is its queue, of which the peer says nothing."""
    rows = list(csv.DictReader(open(POINTS)))
    found = []  # (accelerator and engine, figure, three errors)
    for number, (accelerator, engine, run) in ours.items():
        peer = theirs.get(number, {}).get("answer")
        closed = rows[number - 1]["load"].startswith("closed")
        for name in ("ttft_s", "tpot_s", "output_tok_s") if peer else ():
            truth = run["published"][name]
            if truth > 0 and (closed or name != "ttft_s"):
                errors = [abs(said[name] / truth - 1) for said in (run["unfitted"], run["fitted"], peer)]
                found.append((f"{accelerator}, {engine}", name, errors))

    def line(title, chosen):
        print(f"| {title} | {len(chosen)} | " + " | ".join(spread(each) for each in zip(*chosen)) + " |")

    print("| published, median / p90 of the error | figures" + HEAD)
    for group in sorted({group for group, _, _ in found}):
        line(group, [errors for of, _, errors in found if of == group])
    line("all", [errors for _, _, errors in found])
    for name, title in (("ttft_s", "of these TTFT"), ("tpot_s", "TPOT"), ("output_tok_s", "throughput")):
        if chosen := [errors for _, of, errors in found if of == name]:
            line(title, chosen)
    print()


def measured_table(theirs):
    def shown(one):
        return " / ".join(f"{100 * one[part]:+.0f}" for part in ("ttft", "tpot", "latency")) + " %"

    print("| measured vLLM run, TTFT / TPOT / latency | requests" + HEAD)
    outputs = {key: words["osl"] for key, words, _ in questions()}
    for name, (model, tp, dp, ep) in MEASURED.items():
        told = json.loads(subprocess.run(
            ["build/release/brigada", "calibrate", "log", RUNS / f"{name}.csv", "--model", model,
             "--accelerator", "RTX PRO 6000", f"--tp={tp}", f"--dp={dp}", f"--ep={ep}",
             "--max-num-seqs", str(MOST_AT_ONCE), "--json"],
            stdout=subprocess.PIPE, text=True, check=True).stdout)
        truth, peer = told["predictions"][0]["measured"], theirs[name]["answer"]
        if peer:
            latency = peer["ttft_s"] + (outputs[name] - 1) * peer["tpot_s"]
            peer = {"ttft": peer["ttft_s"] / truth["ttft_s"] - 1,
                    "tpot": peer["tpot_s"] / truth["tpot_s"] - 1, "latency": latency / truth["latency_s"] - 1}
        ours = " | ".join(shown(told["predictions"][i]["error"]) for i in (0, 1))
        print(f"| {name} | 300 | {ours} | {shown(peer) if peer else 'no answer'} |")
    print()


def compare():
    theirs = peer_answers()
    ours, took = our_answers()
    published_table(theirs, ours)
    measured_table(theirs)
    seconds = [line["seconds"] for line in theirs.values()]
    none = [line for line in theirs.values() if not line["answer"]]
    print(f"AIConfigurator was asked {len(theirs)} questions and answered {len(theirs) - len(none)}, in "
          f"{sum(seconds):.0f} s, {statistics.median(seconds):.2f} s each (median). brigada has {len(ours)} runs, "
          f"both fits of each group included, in {took:.1f} s.\n")
    for refused in sorted({line["refused"] for line in none}):
        count = sum(line["refused"] == refused for line in none)
        print(f"not answered, {count}: {refused}", file=sys.stderr)


if __name__ == "__main__" and sys.argv[1:] == ["ask"]:
    ask()
