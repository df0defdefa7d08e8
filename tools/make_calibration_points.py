#!/usr/bin/env python3
"""One line a run from a table with one line a metric: testdata/calibration/published_points.csv.

    tools/make_calibration_points.py published_points.csv > testdata/calibration/published_points.csv

Left out, and counted on stderr: what the cost model cannot be asked (pipeline or layer parallelism,
unknown lengths, a KV cache beside the engine), accelerators and models that are not in the
catalogue, percentiles other than the median."""
import collections
import csv
import re
import sys

ACCELERATORS = {
    "A100 SXM 40GB": "A100 SXM 40GB", "A100 SXM 80GB": "A100 SXM 80GB", "A100 80GB": "A100 PCIe 80GB",
    "H100 PCIe": "H100 PCIe 80GB", "H100 SXM": "H100 SXM 80GB", "H200 SXM": "H200 SXM",
    "B200": "B200 SXM", "GB200": "GB200 NVL72", "RTX 3090": "RTX 3090", "RTX 4090": "RTX 4090",
    "RTX 5090": "RTX 5090", "RTX PRO 6000 Blackwell SE": "RTX PRO 6000 Blackwell (600W)",
    "RTX PRO 6000 Blackwell": "RTX PRO 6000 Blackwell (600W)",
}
MODELS = [  # the first that is found in the source's name, lower case
    ("glm-4.5-air", "GLM-4.5-Air"), ("glm-5", "GLM-5"), ("minimax-m2.5", "MiniMax-M2.5"),
    ("qwen3.5-397b", "Qwen3.5-397B-A17B"), ("qwen3-235b", "Qwen3-235B-A22B"),
    ("qwen3-coder-30b", "Qwen3-Coder-30B-A3B"), ("qwen3-30b", "Qwen3-30B-A3B"),
    ("qwen3-32b", "Qwen3-32B"), ("qwen3-14b", "Qwen3-14B"), ("qwen3-8b", "Qwen3-8B"),
    ("qwen2.5-7b", "Qwen2.5-7B"), ("deepseek-v3.2", "DeepSeek-V3.2"),
    ("deepseek-r1", "DeepSeek-R1"), ("gpt-oss-120b", "gpt-oss-120b"), ("gpt-oss-20b", "gpt-oss-20b"),
    ("llama-3.1-405b", "Llama-3.1-405B"), ("llama-3.3-70b", "Llama-3.1-70B"),
    ("llama-3.1-70b", "Llama-3.1-70B"), ("llama-3-70b", "Llama-3-70B"),
    ("llama-3.1-8b", "Llama-3.1-8B"), ("llama-3-8b", "Llama-3.1-8B"),
    ("llama-2-7b", "Llama-2-7B"), ("mistral-nemo", "Mistral-Nemo"),
    # 80 layers and all widths as Llama 3; of the 69 G parameters only 0.8 G of vocabulary are more
    ("llama-2-70b", "Llama-3-70B"), ("llama2-70b", "Llama-3-70B"),
]
ENGINES = [("sglang", "SGLang"), ("trtllm", "TensorRT-LLM"), ("tensorrt-llm", "TensorRT-LLM"),
           ("mtp1", "vLLM nightly with MTP"), ("nightly", "vLLM nightly"), ("llama.cpp", "llama.cpp"), ("splitwise", "Splitwise 2023"),
           ("vllm", "vLLM")]
WEIGHTS = {"bf16": "bf16", "fp16": "bf16", "F16": "bf16", "fp8": "fp8", "fp8(native)": "fp8", "fp4": "nvfp4",
           "mxfp4": "mxfp4", "awq-int4": "int4", "Q4_K_M": "q4_k_m", "Q4_0": "q4_0"}
COLUMNS = ["model", "accelerator", "tp", "dp", "ep", "engine", "weights", "kv", "prompt_tokens",
           "output_tokens", "load", "ttft_ms", "tpot_ms", "output_tok_s", "source"]


def first(pairs, text):
    return next((name for part, name in pairs if part in text.lower()), None)


def ranks(row):
    """tp, dp, ep, or None where a pipeline or a split by layers is meant."""
    spec, count = row["tp"], int(row["count"] or 1)
    if m := re.fullmatch(r"(?:TP)?(\d+)", spec):
        return int(m[1]), 1, 1
    if m := re.fullmatch(r"TEP(\d+)", spec):
        return int(m[1]), 1, int(m[1])
    if m := re.fullmatch(r"DEP(\d+)", spec):
        return 1, int(m[1]), int(m[1])
    if m := re.fullmatch(r"DP(\d+)EP(\d+)", spec):
        return 1, int(m[1]), int(m[2])
    return (1, 1, 1) if spec == "TP1PP1" and count == 1 else None


def load(row):
    """closed:C (C at a time), burst:N (N at once), batch:B (one batch, all in step)."""
    spec = row["concurrency"]
    if m := re.fullmatch(r"rate=inf,N=(\d+)", spec):
        return "burst:" + m[1]
    if m := re.fullmatch(r"batch=(\d+)", spec):
        return "batch:" + m[1]
    if spec == "max(offline)":
        return "burst:3000"
    return "closed:" + spec if re.fullmatch(r"\d+", spec) else None


def weights(row, model):
    if row["precision"] in WEIGHTS:
        return "mxfp4" if model.startswith("gpt-oss") else WEIGHTS[row["precision"]]
    if model.startswith("gpt-oss"):
        return "mxfp4"
    if model.startswith("DeepSeek") or "fp8" in row["engine"].lower():
        return "fp8"
    return "bf16"  # the pages name the checkpoint; those without a suffix are bf16


def kv(row):
    """NVIDIA's fp8 and fp4 checkpoints come with an fp8 KV cache."""
    narrow = row["engine"] == "TensorRT-LLM" and row["precision"] in ("fp8", "fp4")
    return "fp8" if narrow or row["kv_dtype"].startswith("fp8") else "bf16"


def times(row, run):
    """Adds the row's figure to the run, in ms and output tokens a second of all accelerators."""
    metric, value = row["metric"], float(row["value"])
    prompt, output = run["prompt_tokens"], run["output_tokens"]
    if metric in ("ttft_mean", "ttft_p50"):
        run["ttft_ms"] = value
    elif metric in ("tpot_mean", "tpot_p50", "itl_mean"):
        run["tpot_ms"] = value
    elif metric == "decode_tok_s_b1":
        run["tpot_ms"] = 1000 / value
    elif metric == "prefill_tok_s_b1":
        run["ttft_ms"] = prompt / value * 1000
    elif metric == "output_tok_s_total":
        run["output_tok_s"] = value
    elif metric == "output_tok_s_per_gpu":
        run["output_tok_s"] = value * int(row["count"])
    elif metric == "input_tok_s_total":
        run.setdefault("output_tok_s", value * output / prompt)
    elif metric.startswith("total_tok_s"):
        run.setdefault("output_tok_s", value * output / (prompt + output))
    else:
        return False
    return True


def reason(row):
    """Why a row cannot be used, or None."""
    if row["gpu"] not in ACCELERATORS:
        return "accelerator " + row["gpu"]
    if not first(MODELS, row["model"]):
        return "model " + row["model"]
    if "LMCache CPU" in row["engine"]:
        return "a KV cache beside the engine"
    if ranks(row) is None:
        return "parallelism " + row["tp"]
    if load(row) is None:
        return "load " + row["concurrency"]
    if not row["prompt_tokens"] or not row["output_tokens"]:
        return "lengths not stated"
    return None


def main():
    runs, left_out = {}, collections.Counter()
    for row in csv.DictReader(open(sys.argv[1])):
        why = reason(row)
        if why:
            left_out[why] += 1
            continue
        model = first(MODELS, row["model"])
        tp, dp, ep = ranks(row)
        source = row["source"].split(" | ")[0].replace(",", ";")
        prompt, output = float(row["prompt_tokens"]), float(row["output_tokens"])
        key = (row["model"], row["gpu"], row["tp"], row["engine"], row["precision"], prompt, output,
               row["concurrency"], row["source"])
        run = dict(model=model, accelerator=ACCELERATORS[row["gpu"]], tp=tp, dp=dp, ep=ep,
                   engine=first(ENGINES, row["engine"]), weights=weights(row, model),
                   kv=kv(row),
                   prompt_tokens=prompt, output_tokens=output, load=load(row),
                   source=re.sub(r"\s*\(.*", "", source))
        if not times(row, runs.setdefault(key, run)):
            left_out["metric " + row["metric"]] += 1
    out = csv.DictWriter(sys.stdout, COLUMNS, lineterminator="\n")
    out.writeheader()
    for run in runs.values():
        shown = {}
        for name in COLUMNS:
            value = run.get(name, "")
            shown[name] = f"{value:.6g}" if isinstance(value, float) else value
        if shown["ttft_ms"] or shown["tpot_ms"] or shown["output_tok_s"]:
            out.writerow(shown)
    for why, count in left_out.most_common():
        print(f"{count:5} rows: {why}", file=sys.stderr)


main()
