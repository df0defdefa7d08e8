#!/usr/bin/env python3
"""Checks the requests in testdata/dialect against the types of the official Python packages openai and
anthropic: those that clients send and those that we write. A field that the types don't know, a missing one
or a wrong value is printed, and the exit code is 1. Needs the packages openai, anthropic and pydantic.

    tools/check_dialect_goldens.py
"""
import json
import pathlib
import sys
import typing

import pydantic
import typing_extensions
from anthropic.types import message_create_params
from openai.types.chat import completion_create_params
from openai.types.responses import response_create_params

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "testdata" / "dialect"

PARAMS = {
    "chat": completion_create_params.CompletionCreateParams,
    "messages": message_create_params.MessageCreateParams,
    "responses": response_create_params.ResponseCreateParams,
}

# Fields that the types lack and the APIs, or the engines that speak them, have: the sampling of models that
# the newest package no longer lists, reasoning that engines read, beta fields.
BESIDE = {
    "chat": {"top_k", "reasoning_content", "my_field"},
    "messages": {"temperature", "top_p", "top_k", "context_management"},
    "responses": {"client_metadata"},
}


def known_keys(kind, found=None, seen=None):
    """Every field name in a type and in the types it uses."""
    found, seen = (set() if found is None else found), (set() if seen is None else seen)
    if id(kind) in seen:
        return found
    seen.add(id(kind))
    if typing_extensions.is_typeddict(kind):
        for name, field in typing_extensions.get_type_hints(kind).items():
            found.add(name)
            known_keys(field, found, seen)
    for part in typing.get_args(kind):
        known_keys(part, found, seen)
    return found


def free_form(key):
    """Below these a user's own names stand."""
    return key in {"parameters", "input_schema", "schema", "input", "metadata", "logit_bias", "client_metadata",
                   "context_management"}


def strange_keys(value, known, path=""):
    if isinstance(value, list):
        for index, item in enumerate(value):
            yield from strange_keys(item, known, f"{path}[{index}]")
    if isinstance(value, dict):
        for key, item in value.items():
            if key not in known:
                yield f"{path}.{key}: not a field of this API"
            if isinstance(item, list) or not free_form(key):
                yield from strange_keys(item, known, f"{path}.{key}")


def faults(dialect, body):
    params = PARAMS[dialect]
    yield from strange_keys(body, known_keys(params) | BESIDE[dialect])
    try:
        adapter = pydantic.TypeAdapter(params)
        # Lists are checked when they are walked; the adapter has to live that long.
        json.dumps(adapter.validate_python(body), default=list)
    except pydantic.ValidationError as error:
        # A union tells what is wrong with each of its members; the field itself is enough.
        path = next(fault["loc"] for fault in error.errors())
        yield f"{'.'.join(str(part) for part in path[1:4])[:80]}: {error.errors()[0]['msg']}"


def main():
    failed = False
    for path in sorted(FOLDER.glob("*.json")):
        golden = json.loads(path.read_text())
        bodies = {f"request ({golden['from']})": (golden["from"], golden["request"])}
        bodies |= {name: (name, golden[name]) for name in PARAMS if name in golden}
        for name, (dialect, body) in bodies.items():
            for fault in faults(dialect, body):
                print(f"{path.name}: {name}: {fault}")
                failed = True
    sys.exit(failed)


if __name__ == "__main__":
    main()
