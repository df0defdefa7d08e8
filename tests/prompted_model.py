"""A model that does what the user's last words say, so that a test in any language can steer it: each
prompt below stands for one thing that an SDK has to cope with."""
import json

from scripted_model import Conversation, Say, Use, dialect_of, send, usage_of

HELLO = "Say hello."
WEATHER = "What is the weather in Lima?"
CAPITAL = "The capital of Peru, as JSON."
ENDLESS = "Go on for ever."
BAD = "Fail with 400."
BUSY = "Be busy once."

ANSWERS = {HELLO: "Hello from the script.", CAPITAL: json.dumps({"capital": "Lima"})}
SUNNY = "It is sunny in Lima."


def error_of(dialect, kind, message):
    error = {"type": kind, "message": message}
    if dialect.path == "/v1/messages":
        return {"type": "error", "error": error}
    return {"error": {**error, "param": None, "code": None}}


def wants_json(body):
    """The schema's place in each of the dialects."""
    place = body.get("response_format") or (body.get("text") or {}).get("format") or \
        (body.get("output_config") or {}).get("format") or {}
    return place.get("type") == "json_schema"


class PromptedModel:
    """An Upstream's `behave`."""

    def __init__(self):
        self.was_busy = False

    def __call__(self, exchange):
        body = exchange.body
        if exchange.path == "/v1/messages/count_tokens":
            return exchange.answer(200, {"input_tokens": 42})
        dialect = dialect_of(exchange.path)
        conversation = dialect.read(body)
        asked = conversation.asked.rsplit("\n", 1)[-1]
        if asked == ENDLESS:
            return self.go_on(exchange, dialect)
        if asked == BAD:
            return exchange.answer(400, error_of(dialect, "invalid_request_error", "no such tool"))
        if asked == BUSY and not self.was_busy:
            self.was_busy = True
            return exchange.answer(429, error_of(dialect, "rate_limit_error", "busy"), Retry_After="1")
        if asked == CAPITAL and not wants_json(body):
            return exchange.answer(400, error_of(dialect, "invalid_request_error", "no schema"))
        return send(exchange, dialect, self.step(asked, conversation), usage_of(conversation.step()))

    @staticmethod
    def step(asked, conversation: Conversation):
        if asked != WEATHER:
            return Say(ANSWERS.get(asked, asked))
        return Say(SUNNY) if conversation.results else Use("weather", {"city": "Lima"})

    @staticmethod
    def go_on(exchange, dialect):
        """Pieces of text until the client leaves."""
        exchange.begin_stream()
        for event in dialect.events(exchange.body, Say("more and more"), usage_of(0)):
            exchange.write(dialect.frame(event))
            while "more" in json.dumps(event):
                exchange.write(dialect.frame(event))
