#!/usr/bin/env python3
"""Writes random JSON Schemas with texts and what Python's jsonschema says of them to
testdata/json-schema/cases.jsonl, a schema a line: {"schema", "valid": [texts], "invalid": [texts]}.

    tools/make_json_schema_goldens.py > testdata/json-schema/cases.jsonl

"valid" has values in the form that brigada writes: properties in the schema's order, no more than are
listed unless additionalProperties allows it, numbers without exponents. "invalid" has values of any
form that the validator refuses. Needs the Python package jsonschema[format].
"""
import json
import random
import sys

from jsonschema import Draft202012Validator, FormatChecker

SCHEMAS = 700
TEXTS = 14

WORDS = ["a", "b", "name", "id", "Äpfel", "x\"y", "back\\slash", "line\nbreak", "", "日本", "😀", "tab\t", "~/"]
KEYS = ["a", "b", "ab", "name", "id", "kind", "größe", "with space", "q\"uote", "x-1"]
PATTERNS = {
    "^[a-z]{2,4}$": ["ab", "abc", "abcd"],
    "foo": ["foo", "a foo", "foo\"", "xfoox"],
    "^\\d+$": ["0", "42", "007"],
    "^(yes|no)$": ["yes", "no"],
    "[äöü]": ["ä", "xöx"],
    "^[^\"]*$": ["", "plain", "new\nline", "back\\"],
    "^.{3}$": ["abc", "a\"b", "日本語"],
    "a+b*$|^c": ["a", "xaab", "c\n", "cab"],
    "^[A-Z]{3}-\\d{4}$": ["ABC-1234"],
}
FORMATS = {
    "date": ["2024-02-29", "1999-12-31", "2023-02-29", "2024-13-01", "24-01-01"],
    "date-time": ["2024-02-29T10:00:00Z", "2023-01-01T00:00:00.5+01:00", "2023-01-01", "2023-02-30T10:00:00Z"],
    "uuid": ["123e4567-e89b-12d3-a456-426614174000", "123e4567e89b12d3a456426614174000", "x"],
    "ipv4": ["127.0.0.1", "255.255.255.255", "256.1.1.1", "1.2.3"],
    "ipv6": ["::1", "1:2:3:4:5:6:7:8", "fe80::1:2", "1::2::3", "12345::", ":::"],
    "email": ["a@b.co", "first.last@example.org", "nobody"],
    "hostname": ["example.org", "a", "-a", "a b"],
    "duration": ["P1D", "PT5M", "P1Y2M3DT4H5M6S", "P", "1D"],
    "uri": ["http://a.org/b?c=d#e", "urn:isbn:1", "not a uri", "http://[::"],
    "json-pointer": ["/a/b", "", "/~0~1", "a", "/~2"],
}
ANNOTATIONS = [("title", "A title"), ("description", "words"), ("default", None), ("examples", [1]),
               ("x-order", 3), ("deprecated", True), ("$comment", "c"), ("readOnly", True)]
CHECKER = FormatChecker()


class Generator:
    def __init__(self, rng):
        self.rng = rng
        self.defs = {}
        self.astray = False

    # --- schemas ---------------------------------------------------------------------------------

    def schema(self, depth):
        rng = self.rng
        kinds = ["string", "integer", "number", "boolean", "null", "const", "enum"]
        if depth > 0:
            kinds += ["object"] * 5 + ["array"] * 3 + ["anyOf", "anyOf", "allOf", "oneOf", "ref", "types", "any"]
        out = getattr(self, "make_" + rng.choice(kinds).lower())(depth)
        if isinstance(out, dict) and rng.random() < 0.2:
            key, value = rng.choice(ANNOTATIONS)
            out[key] = value
        return out

    def make_boolean(self, depth):
        return {"type": "boolean"}

    def make_null(self, depth):
        return {"type": "null"}

    def make_any(self, depth):
        return self.rng.choice([True, {}, {"description": "anything"}])

    def make_types(self, depth):
        names = self.rng.sample(["string", "integer", "number", "boolean", "null"], 2)
        return {"type": names, "maximum": 5, "maxLength": 3} if self.rng.random() < 0.5 else {"type": names}

    def make_const(self, depth):
        return {"const": self.scalar()}

    def make_enum(self, depth):
        values = []
        for _ in range(self.rng.randint(1, 4)):
            value = self.scalar()
            if value not in values:
                values.append(value)
        out = {"enum": values}
        if self.rng.random() < 0.3:
            out["type"] = self.rng.choice(["string", "integer"])
        return out

    def scalar(self):
        rng = self.rng
        return rng.choice([rng.choice(WORDS), rng.randint(-20, 20), rng.choice([0.5, -2.25, 1000000]), True,
                           False, None])

    def make_string(self, depth):
        rng = self.rng
        out = {"type": "string"}
        choice = rng.random()
        if choice < 0.25:
            out["pattern"] = rng.choice(list(PATTERNS))
        elif choice < 0.45:
            out["format"] = rng.choice(list(FORMATS))
        if rng.random() < 0.3:
            out["minLength"] = rng.randint(0, 3)
        if rng.random() < 0.3:
            out["maxLength"] = rng.randint(2, 8)
        return out

    def make_integer(self, depth):
        rng = self.rng
        out = {"type": "integer"}
        if rng.random() < 0.5:
            out[rng.choice(["minimum", "exclusiveMinimum"])] = rng.choice([-105, -7, 0, 1, 9, 99, 0.5, -1.5, 1234])
        if rng.random() < 0.5:
            out[rng.choice(["maximum", "exclusiveMaximum"])] = rng.choice([-3, 0, 10, 12, 100, 2.5, 999, 100000])
        if rng.random() < 0.2:
            out["multipleOf"] = rng.choice([1, 2, 3, 5, 7, 10])
        return out

    def make_number(self, depth):
        rng = self.rng
        out = {"type": "number"}
        if rng.random() < 0.5:
            out[rng.choice(["minimum", "exclusiveMinimum"])] = rng.choice([-10.5, -0.1, 0, 0.25, 1, 12.75, 99])
        if rng.random() < 0.5:
            out[rng.choice(["maximum", "exclusiveMaximum"])] = rng.choice([-0.05, 0, 0.3, 1, 1.5, 13, 100.125])
        return out

    def make_object(self, depth):
        rng = self.rng
        keys = rng.sample(KEYS, rng.randint(0, 4))
        out = {"type": "object", "properties": {key: self.schema(depth - 1) for key in keys}}
        if keys:
            out["required"] = [key for key in keys if rng.random() < 0.5]
        choice = rng.random()
        if choice < 0.5:
            out["additionalProperties"] = False
        elif choice < 0.65:
            out["additionalProperties"] = self.schema(depth - 1)
        elif choice < 0.75:
            out["patternProperties"] = {rng.choice(["^x-", "^[0-9]+$"]): self.schema(depth - 1)}
            out["additionalProperties"] = rng.choice([False, self.schema(0)])
        if rng.random() < 0.15:
            out["maxProperties"] = rng.randint(len(out.get("required", [])), 4)
        if rng.random() < 0.15 and "patternProperties" not in out:
            out["minProperties"] = rng.randint(0, len(out.get("required", [])) + 1)
        if rng.random() < 0.1:
            del out["properties"]
        if rng.random() < 0.05:
            out["propertyNames"] = {"maxLength": 4}
        return out

    def make_array(self, depth):
        rng = self.rng
        out = {"type": "array"}
        if rng.random() < 0.8:
            out["items"] = self.schema(depth - 1)
        if rng.random() < 0.25:
            out["prefixItems"] = [self.schema(depth - 1) for _ in range(rng.randint(1, 3))]
            if rng.random() < 0.5:
                out["items"] = False
        if rng.random() < 0.4:
            out["minItems"] = rng.randint(0, 2)
        if rng.random() < 0.4:
            out["maxItems"] = rng.randint(1, 4)
        return out

    def make_anyof(self, depth):
        out = {"anyOf": [self.schema(depth - 1) for _ in range(self.rng.randint(1, 3))]}
        if self.rng.random() < 0.3:
            out["type"] = self.rng.choice(["string", "object", "integer"])
        return out

    def make_oneof(self, depth):
        branches = []
        for tag in self.rng.sample(["circle", "square", "line"], 2):
            branches.append({"type": "object", "required": ["kind"], "additionalProperties": False,
                             "properties": {"kind": {"const": tag}, "size": self.schema(depth - 1)}})
        return {"oneOf": branches}

    def make_allof(self, depth):
        keys = self.rng.sample(KEYS, 3)
        out = {"type": "object", "properties": {keys[0]: self.schema(depth - 1)},
               "allOf": [{"properties": {keys[1]: self.schema(depth - 1)}, "required": [keys[1]]},
                         {"properties": {keys[1]: self.schema(0), keys[2]: self.schema(0)}}]}
        return out

    def make_ref(self, depth):
        if len(self.defs) < 3 and self.rng.random() < 0.8:
            name = f"d{len(self.defs)}"
            self.defs[name] = None
            self.defs[name] = self.schema(depth - 1)
        name = self.rng.choice([n for n in self.defs] or ["none"])
        if name == "none":
            return {"type": "string"}
        # A reference that is only to itself means nothing: recursion goes through an optional property.
        return {"type": "object", "properties": {"node": {"$ref": f"#/$defs/{name}"}},
                "additionalProperties": False}

    # --- values in the form that brigada writes --------------------------------------------------

    def value(self, schema, root, depth=6):
        rng = self.rng
        if depth == 0:
            return rng.choice([None, 1, "x"])
        if schema is True or not isinstance(schema, dict):
            return self.anything(2)
        if "$ref" in schema:
            return self.value(root["$defs"][schema["$ref"].rsplit("/", 1)[1]], root, depth - 1)
        if "const" in schema:
            return schema["const"]
        if "enum" in schema:
            return rng.choice(schema["enum"])
        for key in ("anyOf", "oneOf"):
            if key in schema:
                return self.value_of_branch(rng.choice(schema[key]), root, depth - 1)
        kind = schema.get("type", "object" if "properties" in schema else None)
        if isinstance(kind, list):
            kind = rng.choice(kind)
        if kind is None:
            return self.anything(2)
        return getattr(self, "value_" + kind)(schema, root, depth)

    def value_of_branch(self, branch, root, depth):
        """One that only another branch accepts is not in the form that brigada writes for that one."""
        value = self.value(branch, root, depth)
        whole = {**branch, "$defs": root.get("$defs", {})} if isinstance(branch, dict) else branch
        if not Draft202012Validator(whole, format_checker=CHECKER).is_valid(value):
            self.astray = True
        return value

    def value_null(self, schema, root, depth):
        return None

    def value_boolean(self, schema, root, depth):
        return self.rng.random() < 0.5

    def value_string(self, schema, root, depth):
        rng = self.rng
        if "pattern" in schema:
            return rng.choice(PATTERNS[schema["pattern"]] + WORDS)
        if "format" in schema:
            return rng.choice(FORMATS[schema["format"]])
        return rng.choice(WORDS + ["abcdefg", "abcdefghi"])

    def value_integer(self, schema, root, depth):
        rng = self.rng
        bounds = [schema[k] for k in ("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum")
                  if k in schema]
        near = int(rng.choice(bounds)) if bounds and rng.random() < 0.7 else 0
        return near + rng.choice([0, 0, 1, -1, 2, -2, 5, 10, -10, 35, 100, -100, 5000])

    def value_number(self, schema, root, depth):
        rng = self.rng
        bounds = [schema[k] for k in ("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum")
                  if k in schema]
        near = rng.choice(bounds) if bounds and rng.random() < 0.7 else 0
        value = round(near + rng.choice([0, 0, 0.001, -0.001, 0.5, -0.5, 1, -1, 7.125, -30, 200]), 5)
        return 0 if value == 0 else value

    def value_object(self, schema, root, depth):
        rng = self.rng
        out = {}
        parts = [schema] + schema.get("allOf", [])
        required = {key for part in parts for key in part.get("required", [])}
        listed = any("properties" in part for part in parts)
        for part in parts:
            for key, inner in part.get("properties", {}).items():
                if inner is not False and (key in required or rng.random() < 0.5):
                    out.setdefault(key, self.value(inner, root, depth - 1))
        for pattern, inner in schema.get("patternProperties", {}).items():
            if rng.random() < 0.5:
                out[{"^x-": "x-9", "^[0-9]+$": "12"}[pattern]] = self.value(inner, root, depth - 1)
        additional = schema.get("additionalProperties", not listed)
        if additional is not False and rng.random() < 0.5:
            out.setdefault(rng.choice(["other", "zz", "é"]), self.value(additional, root, depth - 1))
        return out

    def value_array(self, schema, root, depth):
        rng = self.rng
        prefix = schema.get("prefixItems", [])
        items = schema.get("items", not prefix)
        most = min(schema.get("maxItems", 3), len(prefix) if items is False else 9)
        count = rng.randint(min(schema.get("minItems", 0), most), most)
        return [self.value(prefix[i] if i < len(prefix) else items, root, depth - 1) for i in range(count)]

    def anything(self, depth):
        rng = self.rng
        if depth == 0 or rng.random() < 0.6:
            return self.scalar()
        if rng.random() < 0.5:
            return [self.anything(depth - 1) for _ in range(rng.randint(0, 2))]
        return {key: self.anything(depth - 1) for key in rng.sample(KEYS, rng.randint(0, 2))}

    def changed(self, value):
        """Something else, a little beside the value."""
        rng = self.rng
        if isinstance(value, dict) and value and rng.random() < 0.7:
            out = dict(value)
            key = rng.choice(list(out))
            if rng.random() < 0.4:
                del out[key]
            elif rng.random() < 0.3:
                out["unknown"] = 1
            else:
                out[key] = self.changed(out[key])
            return out
        if isinstance(value, list) and value and rng.random() < 0.7:
            out = list(value)
            at = rng.randrange(len(out))
            out[at:at + 1] = rng.choice([[], [self.changed(out[at])], [out[at], out[at]]])
            return out
        return self.anything(1)


def text_of(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def case(rng):
    generator = Generator(rng)
    schema = generator.schema(3)
    if generator.defs and isinstance(schema, dict):
        schema["$defs"] = generator.defs
    elif generator.defs:
        return None
    validator = Draft202012Validator(schema, format_checker=CHECKER)
    valid, invalid = set(), set()
    for _ in range(4 * TEXTS):
        generator.astray = False
        value = generator.value(schema, schema)
        if not validator.is_valid(value):
            invalid.add(text_of(value))
        elif not generator.astray:
            valid.add(text_of(value))
        other = generator.changed(value)
        if not validator.is_valid(other):
            invalid.add(text_of(other))
    some = lambda texts: rng.sample(sorted(texts), min(TEXTS, len(texts)))
    return {"schema": schema, "valid": some(valid), "invalid": some(invalid)}


def main():
    for seed in range(SCHEMAS):
        try:
            made = case(random.Random(seed))
        except RecursionError:
            continue
        if made and (made["valid"] or made["invalid"]):
            print(json.dumps(made, ensure_ascii=False))
    print(f"{SCHEMAS} schemas tried", file=sys.stderr)


if __name__ == "__main__":
    main()
