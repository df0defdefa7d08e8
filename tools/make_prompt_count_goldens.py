#!/usr/bin/env python3
"""How many tokens prompts have by Hugging Face's transformers, as goldens for gateway_test.

    python3 -m venv env && env/bin/pip install transformers==5.24.0 tokenizers==0.23.3 jinja2==3.1.6
    env/bin/python tools/make_prompt_count_goldens.py [FOLDER] > testdata/prompt-counts/golden.jsonl

Each template in testdata/chat-templates with each conversation there, by apply_chat_template(tokenize=True)
with the generation prompt, over the vocabulary of stories260K; and, where FOLDER has those of
tools/fetch_tokenizers, the models' own. The clock stands at 2026-07-01 12:00 UTC. A content of null is made
"", as servers do. What transformers refuses is left out.
"""
import datetime
import json
import pathlib
import sys

from transformers import PreTrainedTokenizerFast
from transformers.utils import chat_template_utils

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = ROOT / "testdata" / "chat-templates"
OWN = {"qwen3": ["qwen3", "qwen3-coder"], "llama3.1": ["llama-3.1"], "deepseek_v3": ["deepseek-v3.1"],
       "gpt-oss": ["gpt-oss"]}


class Clock(datetime.datetime):
    @classmethod
    def now(cls, tz=None):
        return cls(2026, 7, 1, 12, 0, 0, tzinfo=tz)


def conversations():
    for path in sorted((DATA / "conversations").glob("*.json")):
        read = json.loads(path.read_text())
        for message in read["messages"]:
            if message.get("content") is None:
                message["content"] = ""
        yield path.stem, read


def count(tokenizer, name):
    bos_and_eos = json.loads((DATA / "goldens" / f"{name}.json").read_text())
    template = (DATA / "templates" / f"{name}.jinja").read_text()
    for conversation, read in conversations():
        try:
            ids = tokenizer.apply_chat_template(
                read["messages"], tools=read.get("tools"), chat_template=template, tokenize=True,
                add_generation_prompt=True, return_dict=False, bos_token=bos_and_eos["bos_token"],
                eos_token=bos_and_eos["eos_token"])
        except Exception as error:
            print(name, conversation, type(error).__name__, str(error)[:60], file=sys.stderr)
            continue
        yield conversation, len(ids)


def main():
    chat_template_utils.datetime = Clock
    tiny = ROOT / "testdata" / "models" / "stories260K" / "hf" / "tokenizer.json"
    vocabularies = {"stories260K": (tiny, [p.stem for p in sorted((DATA / "templates").glob("*.jinja"))])}
    if len(sys.argv) > 1:
        for name, templates in OWN.items():
            vocabularies[name] = (pathlib.Path(sys.argv[1]) / f"{name}.json", templates)
    for vocabulary, (path, templates) in vocabularies.items():
        tokenizer = PreTrainedTokenizerFast(tokenizer_file=str(path))
        for template in templates:
            for conversation, tokens in count(tokenizer, template):
                print(json.dumps({"vocabulary": vocabulary, "template": template,
                                  "conversation": conversation, "tokens": tokens}))


main()
