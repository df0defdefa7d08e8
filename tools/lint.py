#!/usr/bin/env python3
"""The rules of the house that a compiler does not see: every line printed is one fault.

Checked: files of at most 500 lines and 100 columns, an opening comment, a README in every folder,
an ORIGIN beside test data, the dependency order of CMakeLists.txt in #include lines, and words that
do not belong into a commit (unfinished work, paths of one machine, hosts, sleeping tests).
"""
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MAX_LINES = 500
MAX_COLUMNS = 100

FORBIDDEN = [
    (re.compile(r"\b(TODO|FIXME|XXX|HACK)\b"), "unfinished work: finish it or file an issue"),
    (re.compile(r"(?<![\w.$}~])/(work|home|root)/"), "a path of one machine"),
]
FORBIDDEN_IN_CODE = [
    (re.compile(r"https?://(?!127\.0\.0\.1|localhost|\[::1\]|[\w.-]*\bexample\b|\$|\{|%|\"|')[\w-]+\.[\w.-]+"),
     "a host: the product names none"),
]
FORBIDDEN_IN_TESTS = [
    (re.compile(r"\b(sleep_for|sleep_until|usleep|nanosleep)\b|(?<![\w.])sleep\("),
     "a test that sleeps: wait for the event instead"),
]


def tracked_files():
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT,
                            capture_output=True, text=True, check=True).stdout
    return sorted(Path(line) for line in listed.splitlines() if (ROOT / line).is_file())


def is_source(path):
    return path.suffix in (".h", ".cc") and path.parts[0] in ("src", "tools")


def is_script(path):
    return path.parts[0] in ("tools", "tests") or path.name in ("run", "test", "dev")


def length_faults(path, lines):
    if len(lines) > MAX_LINES:
        yield f"{path}: {len(lines)} lines; at most {MAX_LINES}, so it is about two things"
    for number, line in enumerate(lines, 1):
        if len(line) > MAX_COLUMNS and "https://" not in line:
            yield f"{path}:{number}: {len(line)} columns; at most {MAX_COLUMNS}"
        if line != line.rstrip():
            yield f"{path}:{number}: white space at the end of the line"


def opening_faults(path, lines):
    first = lines[0] if lines else ""
    needs = path.suffix == ".h" or not (ROOT / path).with_suffix(".h").exists()
    if needs and not path.name.endswith("_test.cc") and not first.startswith("//"):
        yield f"{path}:1: no opening comment that says what the file is for"
    if path.suffix == ".h" and "#pragma once" not in lines:
        yield f"{path}: no #pragma once"


def word_faults(path, lines):
    rules = list(FORBIDDEN)
    if is_source(path):
        rules += FORBIDDEN_IN_CODE
    if path.name.endswith("_test.cc"):
        rules += FORBIDDEN_IN_TESTS
    for number, line in enumerate(lines, 1):
        code = line.split("//")[0] if line.lstrip().startswith("//") else line
        for pattern, why in rules:
            found = pattern.search(code if (pattern, why) in FORBIDDEN_IN_CODE else line)
            if found:
                yield f"{path}:{number}: '{found.group(0)}': {why}"


def dependencies():
    """Folder -> folders it may include, from the brigada_library and brigada_binary lines."""
    text = (ROOT / "CMakeLists.txt").read_text()
    allowed = {}
    for kind, name, rest in re.findall(r"^brigada_(library|binary)\((\w+)([^)]*)\)", text, re.M):
        deps = re.search(r"DEPS([^)]*?)(?:USES|$)", rest, re.S)
        folder = re.search(r"FOLDER\s+(\w+)", rest)
        folder = folder.group(1) if folder else name
        allowed[folder] = {folder, *(deps.group(1).split() if deps else [])}
    return allowed


def include_faults(path, lines, allowed):
    folder = path.parts[1]
    for number, line in enumerate(lines, 1):
        included = re.match(r'#include "([a-z]+)/', line)
        if path.parts[0] != "src" or not included or included.group(1) not in allowed:
            continue
        if included.group(1) not in allowed.get(folder, set()):
            yield (f"{path}:{number}: src/{folder} includes {included.group(1)}/, which "
                   "CMakeLists.txt does not give it")


def folder_faults(paths):
    for folder in sorted({p.parts[1] for p in paths if p.parts[0] == "src" and len(p.parts) > 2}):
        if not (ROOT / "src" / folder / "README.md").exists():
            yield f"src/{folder}: no README.md"
    for folder in sorted({p.parts[1] for p in paths if p.parts[0] == "testdata" and len(p.parts) > 2}):
        documents = list((ROOT / "testdata" / folder).rglob("ORIGIN*"))
        if folder != "fuzz" and not documents:
            yield f"testdata/{folder}: no ORIGIN that says where it comes from"


def faults():
    paths = tracked_files()
    allowed = dependencies()
    for path in paths:
        if not (is_source(path) or is_script(path)) or path == Path("tools/lint.py"):
            continue
        lines = (ROOT / path).read_text(encoding="utf-8").splitlines()
        yield from word_faults(path, lines)
        if is_source(path):
            yield from length_faults(path, lines)
            yield from opening_faults(path, lines)
            yield from include_faults(path, lines, allowed)
    yield from folder_faults(paths)


def main():
    found = list(faults())
    for fault in found:
        print(fault)
    print(f"lint: {len(found)} faults" if found else "lint: clean")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
