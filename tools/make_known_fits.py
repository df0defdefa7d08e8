#!/usr/bin/env python3
"""The planner's defaults by accelerator and engine: src/cost/known_fits.inc.

    brigada calibrate published testdata/calibration/published_points.csv --json > published.json
    brigada calibrate log ... --json > log.json           (one of each measured run)
    tools/make_known_fits.py published.json log.json... > src/cost/known_fits.inc

Of published figures only groups that say something: eight held-out figures or more, a median error
on them under 40 %, and efficiencies between a tenth and 1. A request log goes before published figures of the same
engine."""
import json
import sys

LEFT_OUT = {"Splitwise 2023", "vLLM nightly", "vLLM nightly with MTP"}  # not an engine one would plan for


def groups(path):
    found = json.load(open(path))
    if isinstance(found, dict):
        yield found["accelerator"], found["engine"], found["fit"]
        return
    for group in found:
        figures = group["fitted"]["all"]
        fit = group["fit"]
        plausible = max(fit["mfu"], fit["mbu"]) < 0.99 and min(fit["mfu"], fit["mbu"], fit["link_efficiency"]) > 0.1
        says_something = figures["figures"] >= 8 and figures["median"] < 0.4
        if plausible and says_something and group["engine"] not in LEFT_OUT:
            yield group["accelerator"], group["engine"], group["fit"]


def main():
    fits = {}
    for path in sys.argv[1:]:
        for accelerator, engine, fit in groups(path):
            fits[accelerator, engine] = fit
    print("// Written by tools/make_known_fits.py.")
    for (accelerator, engine), fit in sorted(fits.items()):
        numbers = ", ".join(f"{fit[name]:.3g}" for name in
                            ("mfu", "mbu", "step_s", "layer_s", "sequence_s", "link_efficiency"))
        source = fit["source"].replace("testdata/traces/vllm_measured/", "")
        print(f'{{"{accelerator}", "{engine}", {{{numbers},\n "{source}"}}}},')


main()
