#!/usr/bin/env python3
"""What constrained decoding lets through, judged by validators that know nothing of it: texts drawn from the grammars
of random schemas (`draw_instances`) must be JSON that Python's jsonschema and npm's ajv find valid.

    tests/structured_output_test.py [DRAW_INSTANCES]
    SEED=7 SCHEMAS=20000 tests/structured_output_test.py      # further than every run goes
"""
import decimal
import json
import os
import pathlib
import random
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "build/python"), str(ROOT / "tools")]
from jsonschema import Draft202012Validator, validators  # noqa: E402
from make_json_schema_goldens import KEYS, Generator  # noqa: E402

DRAW = os.path.abspath("build/release/draw_instances")
SEED = int(os.environ.get("SEED", 1))
SCHEMAS = int(os.environ.get("SCHEMAS", 2500))
TEXTS = 4

FORMATS = ["date-time", "date", "time", "duration", "uuid", "email", "hostname", "ipv4", "ipv6", "uri", "uri-reference",
           "json-pointer"]
# Patterns that Python and ECMAScript understand alike, but for digits and the ends of lines beyond ASCII.
PATTERNS = ["^[a-z]{2,4}$", "foo", "^\\d+$", "[äöü]", "^[^\"]*$", "^.{3}$", "a+b*$|^c", "^[A-Z]{3}-\\d{4}$", "^(a|b)*$",
            "^$", "^\\w+@\\w+\\.com$", "^[\\u00e9\\x41]+$", "\\.$", "^(?:x(?:y(?:z)?)?)?$", "^[^a-z]{1,3}$", "^\\S+$",
            "^\\{.*\\}$", "^[\\s\\S]{2}$", "^\\D?$", "^.$", "\\W", "^(?:[01]\\d|2[0-3]):[0-5]\\d$", "\\\\", "^/(?:[^/]+/)*$"]
UNLIKE_IN_PYTHON = ("\\D", "\\W", "\\S", ".")   # of characters beyond ASCII, and what ends a line


class Wide(Generator):
    """More kinds of schema than the goldens have: recursion, references with company, lists of what must hold at once."""

    def schema(self, depth):
        if depth > 0 and self.rng.random() < 0.4:
            return getattr(self, self.rng.choice([name for name in dir(self) if name.startswith("wide_")]))(depth)
        return super().schema(depth)

    def make_string(self, depth):
        out = super().make_string(depth)
        if "pattern" in out:
            out["pattern"] = self.rng.choice(PATTERNS)
        if "format" in out:
            out["format"] = self.rng.choice(FORMATS)
        return out

    def name(self, schema):
        name = f"d{len(self.defs)}"
        self.defs[name] = schema
        return {"$ref": f"#/$defs/{name}"}

    def wide_tree(self, depth):
        name = f"d{len(self.defs)}"
        self.defs[name] = None
        ref = {"$ref": f"#/$defs/{name}"}
        self.defs[name] = {
            "type": "object", "properties": {
                "value": self.schema(0),
                "next": self.rng.choice([{"anyOf": [ref, {"type": "null"}]}, {"type": "array", "items": ref}, ref])},
            "required": ["value"], "additionalProperties": False}
        return ref

    def wide_reference(self, depth):
        return {**self.name(self.make_string(0)), "maxLength": 30} if self.rng.random() < 0.5 else \
               {**self.name(self.make_object(depth - 1)), "description": "words"}

    def wide_all(self, depth):
        make = self.rng.choice([self.make_integer, self.make_number, self.make_string])
        return {"allOf": [make(0) for _ in range(self.rng.randint(2, 3))]}

    def wide_objects(self, depth):
        return {"type": "object", "allOf": [self.make_object(depth - 1), self.make_object(depth - 1)]}

    def wide_any(self, depth):
        return {"type": "object", "properties": {"id": self.schema(0), "kind": {"type": "string"}},
                "anyOf": [{"required": ["id"]}, {"properties": {"kind": {"const": "b"}}, "required": ["kind"]}],
                **({"additionalProperties": False} if self.rng.random() < 0.5 else {})}

    def wide_one(self, depth):
        return {"oneOf": [{"type": "string", "maxLength": 4}, self.make_integer(0), {"type": "array",
                          "items": self.schema(depth - 1)}][:self.rng.randint(1, 3)]}

    def wide_values(self, depth):
        values = [{"a": 1, "b": [True, None]}, [], {}, [1, [2.5, "x"]], "\u2028\"\\/", 1e15, -0.125, 12345678901234567890]
        return {"enum": self.rng.sample(values, 3)} if self.rng.random() < 0.7 else {"const": self.rng.choice(values)}

    def wide_multiple(self, depth):
        out = {"type": "number", "multipleOf": self.rng.choice([0.1, 0.01, 0.001, 2, 10])}
        if self.rng.random() < 0.5:
            out["minimum"] = self.rng.choice([-1, 0, 0.5, 3])
        if self.rng.random() < 0.3:
            out["maximum"] = self.rng.choice([10, 12.5, 1000])
        return out

    def wide_names(self, depth):
        return {"type": "object", "propertyNames": self.rng.choice(
            [{"pattern": "^[a-z]+$"}, {"enum": ["a", "b", "größe"]}, {"minLength": 1, "maxLength": 3}]),
            "additionalProperties": self.schema(depth - 1), "maxProperties": self.rng.randint(0, 3)}

    def wide_patterns(self, depth):
        return {"type": "object", "properties": {"x-1": self.schema(0), "id": self.schema(depth - 1)},
                "patternProperties": {"^x-": self.schema(0), "^[0-9]+$": self.schema(depth - 1)},
                "additionalProperties": self.rng.choice([False, self.schema(0)])}

    def wide_list(self, depth):
        return {"type": "array", "prefixItems": [self.schema(depth - 1), self.schema(0)], "items": self.schema(0),
                "minItems": self.rng.randint(0, 4), "maxItems": self.rng.randint(4, 6)}

    def wide_bounds(self, depth):
        low = self.rng.choice([-1e3, -0.75, 0, 1e-3, 2.5, 99.99])
        return {"type": self.rng.choice(["number", "integer"]), self.rng.choice(["minimum", "exclusiveMinimum"]): low,
                self.rng.choice(["maximum", "exclusiveMaximum"]): low + self.rng.choice([1, 0.5, 1000, 1e6])}

    def wide_loose(self, depth):
        """Keywords of one type with values of any."""
        return self.rng.choice([{"minLength": 2, "maximum": 3}, {"required": ["a"], "properties": {"a": self.schema(0)}},
                                {"items": self.schema(0), "maxItems": 2}, {"pattern": "^a", "minimum": 5, "x-unknown": {}},
                                {"type": ["object", "null"], "properties": {"a": self.schema(0)},
                                 "additionalProperties": False}])


def random_schema(seed):
    generator = Wide(random.Random(seed))
    schema = generator.schema(3)
    if generator.defs:
        schema = {"allOf": [schema], "$defs": generator.defs} if "$ref" in schema else {**schema, "$defs": generator.defs}
    return schema


def patterns_of(schema):
    if isinstance(schema, dict):
        yield from (value for key, value in schema.items() if key == "pattern" and isinstance(value, str))
        for value in schema.values():
            yield from patterns_of(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from patterns_of(value)


def is_whole(_, value):
    if isinstance(value, decimal.Decimal):
        return value == value.to_integral_value()
    return isinstance(value, int) and not isinstance(value, bool)


# Numbers as they are written: nothing is rounded, neither in schemas nor in texts.
decimal.getcontext().prec = 200
Exact = validators.extend(Draft202012Validator,
                          type_checker=Draft202012Validator.TYPE_CHECKER.redefine("integer", is_whole))


def loads(text):
    return json.loads(text, parse_float=decimal.Decimal)


class Drawn(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.schemas = [json.dumps(random_schema(SEED * 1_000_000 + i), ensure_ascii=False) for i in range(SCHEMAS)]
        said = subprocess.run([DRAW, str(TEXTS), str(SEED)], input="\n".join(cls.schemas) + "\n", text=True,
                              encoding="utf-8", capture_output=True, check=True, timeout=600)
        cls.drawn = [json.loads(line) for line in said.stdout.split("\n")[:-1]]

    def test_most_schemas_are_honoured_and_most_texts_end(self):
        self.assertEqual(len(self.drawn), len(self.schemas))
        self.assertGreater(sum("texts" in one for one in self.drawn), 0.8 * SCHEMAS)
        self.assertGreater(sum(len(one.get("texts", [])) for one in self.drawn), 0.8 * 0.8 * SCHEMAS * TEXTS)

    def test_what_is_refused_is_named(self):
        for schema, one in zip(self.schemas, self.drawn):
            if "refused" in one:
                self.assertRegex(one["refused"], r"^schema: (/.*: |no text can match)", schema)

    def test_python_finds_them_valid(self):
        checker = Draft202012Validator.FORMAT_CHECKER
        wrong = []
        for schema, one in zip(self.schemas, self.drawn):
            parsed = loads(schema)
            if any(mark in pattern for pattern in patterns_of(parsed) for mark in UNLIKE_IN_PYTHON):
                continue
            validator = Exact(parsed, format_checker=checker)
            for text in one.get("texts", []):
                wrong += [(schema, text, error.message) for error in validator.iter_errors(loads(text))]
        self.assertEqual(wrong, [], f"{len(wrong)} of them; the first: {wrong[:3]}")

    def test_ajv_finds_them_valid(self):
        lines = [json.dumps({"schema": schema, "texts": one["texts"]})
                 for schema, one in zip(self.schemas, self.drawn) if one.get("texts")]
        said = subprocess.run(["node", ROOT / "tests/ajv_judge.mjs"], input="\n".join(lines), text=True,
                              encoding="utf-8", capture_output=True, timeout=600)
        self.assertEqual(said.returncode, 0, said.stdout[:4000] + said.stderr[:4000])
        self.assertRegex(said.stdout, rf"^{sum(len(json.loads(line)['texts']) for line in lines)} texts are valid")


if __name__ == "__main__":
    if len(sys.argv) > 1 and os.access(sys.argv[1], os.X_OK):
        DRAW = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
