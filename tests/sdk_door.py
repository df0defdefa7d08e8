#!/usr/bin/env python3
"""A door for SDKs that are not Python's: a gateway before a model that does what the prompt says
(prompted_model.py). Says {"url", "master"} in a line and stays until its standard input ends.

    tests/sdk_door.py BINARY
"""
import json
import sys
import tempfile

from gateway import MASTER, Gateway
from prompted_model import PromptedModel
from scripted_upstream import Upstream

upstream = Upstream(PromptedModel())
with tempfile.TemporaryDirectory() as folder:
    door = Gateway(sys.argv[1], folder, {"coder": [upstream.url], "claude": [upstream.url]})
    try:
        print(json.dumps({"url": f"http://127.0.0.1:{door.port}", "master": MASTER}), flush=True)
        sys.stdin.read()
    finally:
        door.kill()
