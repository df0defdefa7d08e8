"""A model that plays a script, so that real agents can work with it: tool calls, then words, in the
dialect of the path that is called. Each step says how much of its prompt was cached.

It remembers nothing: which step comes next is the number of tool results in the conversation."""
import dataclasses
import itertools
import json


@dataclasses.dataclass
class Say:
    text: str


@dataclasses.dataclass
class Use:
    """A call of one of the agent's tools; Responses may have it in a "namespace.tool"."""
    tool: str
    arguments: dict

    @property
    def text(self):
        return json.dumps(self.arguments)


def flat(tool):
    """As dialects without namespaces call it."""
    return tool.replace(".", "__")


@dataclasses.dataclass
class Conversation:
    """What a request holds, whatever its dialect."""
    asked: str      # the texts of the user, joined
    tools: list     # names
    results: list   # the texts of what tools answered, in order

    def step(self):
        """Which step of the script comes next."""
        return len(self.results)


@dataclasses.dataclass
class Usage:
    prompt: int
    cached: int
    output: int = 7


def usage_of(step):
    """The prompt grows by a thousand tokens a step, and what was read before is cached."""
    return Usage(prompt=1000 * (step + 1), cached=1000 * step)


def text_of(content):
    """The text in a content, which is a text or a list of parts, nested or not."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(text_of(part) for part in content)
    if isinstance(content, dict):
        return text_of(content.get("text") or content.get("content") or content.get("output") or "")
    return ""


def halves(text):
    """In two pieces, as a stream would bring it."""
    return [piece for piece in (text[:len(text) // 2], text[len(text) // 2:]) if piece]


_numbers = itertools.count(1)


class Chat:
    """OpenAI's Chat Completions."""
    path = "/v1/chat/completions"

    @staticmethod
    def read(body):
        messages = body["messages"]
        return Conversation(
            "\n".join(text_of(m.get("content")) for m in messages if m["role"] == "user"),
            [tool["function"]["name"] for tool in body.get("tools") or []],
            [text_of(m.get("content")) for m in messages if m["role"] == "tool"])

    @staticmethod
    def usage(usage):
        return {"prompt_tokens": usage.prompt, "completion_tokens": usage.output,
                "total_tokens": usage.prompt + usage.output,
                "prompt_tokens_details": {"cached_tokens": usage.cached}}

    @staticmethod
    def message(step):
        if isinstance(step, Say):
            return {"role": "assistant", "content": step.text}
        return {"role": "assistant", "content": None,
                "tool_calls": [{"id": f"call_{next(_numbers)}", "type": "function",
                                "function": {"name": flat(step.tool), "arguments": step.text}}]}

    @staticmethod
    def finish(step):
        return "stop" if isinstance(step, Say) else "tool_calls"

    @classmethod
    def answer(cls, body, step, usage):
        return {"id": "c1", "object": "chat.completion", "created": 1, "model": body["model"],
                "choices": [{"index": 0, "message": cls.message(step),
                             "finish_reason": cls.finish(step)}],
                "usage": cls.usage(usage)}

    @classmethod
    def events(cls, body, step, usage):
        def chunk(delta=None, finish=None, **fields):
            choices = [] if delta is None else [{"index": 0, "delta": delta,
                                                 "finish_reason": finish}]
            return {"id": "c1", "object": "chat.completion.chunk", "created": 1,
                    "model": body["model"], "choices": choices, **fields}

        message = cls.message(step)
        if isinstance(step, Say):
            yield chunk({"role": "assistant", "content": ""})
            for piece in halves(step.text):
                yield chunk({"content": piece})
        else:
            [call] = message["tool_calls"]
            opening = {**call, "index": 0, "function": {"name": flat(step.tool), "arguments": ""}}
            yield chunk({"role": "assistant", "content": None, "tool_calls": [opening]})
            for piece in halves(step.text):
                yield chunk({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]})
        yield chunk({}, cls.finish(step))
        if (body.get("stream_options") or {}).get("include_usage"):
            yield chunk(usage=cls.usage(usage))

    @staticmethod
    def frame(event):
        return f"data: {json.dumps(event)}\n\n"

    last = "data: [DONE]\n\n"


class Messages:
    """Anthropic's Messages."""
    path = "/v1/messages"

    @staticmethod
    def read(body):
        blocks = [block for m in body["messages"] if m["role"] == "user"
                  for block in (m["content"] if isinstance(m["content"], list)
                                else [{"type": "text", "text": m["content"]}])]
        return Conversation(
            "\n".join(block["text"] for block in blocks if block["type"] == "text"),
            [tool["name"] for tool in body.get("tools") or []],
            [text_of(block.get("content")) for block in blocks if block["type"] == "tool_result"])

    @staticmethod
    def usage(usage):
        return {"input_tokens": usage.prompt - usage.cached, "output_tokens": usage.output,
                "cache_read_input_tokens": usage.cached, "cache_creation_input_tokens": 0}

    @staticmethod
    def block(step):
        if isinstance(step, Say):
            return {"type": "text", "text": step.text}
        return {"type": "tool_use", "id": f"toolu_{next(_numbers)}", "name": flat(step.tool),
                "input": step.arguments}

    @staticmethod
    def finish(step):
        return "end_turn" if isinstance(step, Say) else "tool_use"

    @classmethod
    def answer(cls, body, step, usage):
        return {"id": f"msg_{next(_numbers)}", "type": "message", "role": "assistant",
                "model": body["model"], "content": [cls.block(step)],
                "stop_reason": cls.finish(step), "stop_sequence": None, "usage": cls.usage(usage)}

    @classmethod
    def events(cls, body, step, usage):
        message = cls.answer(body, step, usage)
        yield {"type": "message_start",
               "message": {**message, "content": [], "stop_reason": None,
                           "usage": {**message["usage"], "output_tokens": 1}}}
        [block] = message["content"]
        said = isinstance(step, Say)
        opening = {**block, "text": ""} if said else {**block, "input": {}}
        yield {"type": "content_block_start", "index": 0, "content_block": opening}
        yield {"type": "ping"}
        for piece in halves(step.text):
            delta = {"type": "text_delta", "text": piece} if said else \
                {"type": "input_json_delta", "partial_json": piece}
            yield {"type": "content_block_delta", "index": 0, "delta": delta}
        yield {"type": "content_block_stop", "index": 0}
        yield {"type": "message_delta",
               "delta": {"stop_reason": message["stop_reason"], "stop_sequence": None},
               "usage": message["usage"]}
        yield {"type": "message_stop"}

    @staticmethod
    def frame(event):
        return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n"

    last = ""


class Responses:
    """OpenAI's Responses."""
    path = "/v1/responses"

    @staticmethod
    def read(body):
        items = body["input"] if isinstance(body["input"], list) else \
            [{"type": "message", "role": "user", "content": body["input"]}]
        return Conversation(
            "\n".join(text_of(item.get("content")) for item in items if item.get("role") == "user"),
            [tool.get("name", tool["type"]) for tool in body.get("tools") or []],
            [text_of(item.get("output")) for item in items
             if item.get("type") == "function_call_output"])

    @staticmethod
    def usage(usage):
        return {"input_tokens": usage.prompt, "output_tokens": usage.output,
                "input_tokens_details": {"cached_tokens": usage.cached},
                "output_tokens_details": {"reasoning_tokens": 0},
                "total_tokens": usage.prompt + usage.output}

    @staticmethod
    def item(step):
        number = next(_numbers)
        if isinstance(step, Say):
            return {"type": "message", "id": f"msg_{number}", "role": "assistant",
                    "status": "completed",
                    "content": [{"type": "output_text", "text": step.text, "annotations": []}]}
        namespace, _, name = step.tool.rpartition(".")
        made = {"id": f"fc_{number}", "call_id": f"call_{number}", "name": name,
                "status": "completed", **({"namespace": namespace} if namespace else {})}
        return {"type": "function_call", "arguments": step.text, **made}

    @classmethod
    def answer(cls, body, step, usage):
        return {"id": f"resp_{next(_numbers)}", "object": "response", "created_at": 1,
                "status": "completed", "model": body["model"], "output": [cls.item(step)],
                "parallel_tool_calls": False, "tool_choice": "auto", "tools": [], "error": None,
                "incomplete_details": None, "instructions": None, "metadata": {},
                "temperature": None, "top_p": None, "usage": cls.usage(usage)}

    @classmethod
    def events(cls, body, step, usage):
        whole = cls.answer(body, step, usage)
        [item] = whole["output"]
        begun = {**whole, "status": "in_progress", "output": [], "usage": None}
        count = itertools.count()

        def event(kind, **fields):
            return {"type": f"response.{kind}", "sequence_number": next(count), **fields}

        yield event("created", response=begun)
        if isinstance(step, Say):
            place = {"item_id": item["id"], "output_index": 0, "content_index": 0}
            [part] = item["content"]
            yield event("output_item.added", output_index=0,
                        item={**item, "status": "in_progress", "content": []})
            yield event("content_part.added", **place, part={**part, "text": ""})
            for piece in halves(step.text):
                yield event("output_text.delta", **place, delta=piece, logprobs=[])
            yield event("output_text.done", **place, text=step.text, logprobs=[])
            yield event("content_part.done", **place, part=part)
        else:
            place = {"item_id": item["id"], "output_index": 0}
            yield event("output_item.added", output_index=0,
                        item={**item, "status": "in_progress", "arguments": ""})
            for piece in halves(step.text):
                yield event("function_call_arguments.delta", **place, delta=piece)
            yield event("function_call_arguments.done", **place, arguments=step.text)
        yield event("output_item.done", output_index=0, item=item)
        yield event("completed", response=whole)

    @staticmethod
    def frame(event):
        return f"event: {event['type']}\ndata: {json.dumps(event)}\n\n"

    last = ""


DIALECTS = {"chat": Chat, "messages": Messages, "responses": Responses}


def dialect_of(path):
    [found] = [dialect for dialect in DIALECTS.values() if path.split("?")[0] == dialect.path]
    return found


def send(exchange, dialect, step, usage):
    """The step as an answer, streamed if that was asked for."""
    body = exchange.body
    if not body.get("stream"):
        return exchange.answer(200, dialect.answer(body, step, usage))
    exchange.begin_stream()
    for event in dialect.events(body, step, usage):
        exchange.write(dialect.frame(event))
    if dialect.last:
        exchange.write(dialect.last)
    return exchange.end_stream()


def play(plan):
    """An Upstream's `behave`: `plan(conversation)` gives the steps of the conversation."""

    def behave(exchange):
        body = exchange.body
        if exchange.path.split("?")[0] == "/v1/messages/count_tokens":
            return exchange.answer(200, {"input_tokens": len(json.dumps(body)) // 4})
        dialect = dialect_of(exchange.path)
        conversation = dialect.read(body)
        steps = plan(conversation)
        number = conversation.step()
        step = steps[min(number, len(steps) - 1)]
        return send(exchange, dialect, step, usage_of(number))

    return behave
