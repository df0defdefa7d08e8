"""An engine that says what a test tells it to, over real HTTP: standard library only."""
import http.server
import json
import ssl
import threading


def chat_answer(text="hello", prompt=10, cached=4, output=2):
    return {"id": "c1", "object": "chat.completion", "model": "m",
            "choices": [{"index": 0, "message": {"role": "assistant", "content": text},
                         "finish_reason": "stop"}],
            "usage": usage(prompt, cached, output)}


def usage(prompt, cached, output):
    return {"prompt_tokens": prompt, "completion_tokens": output, "total_tokens": prompt + output,
            "prompt_tokens_details": {"cached_tokens": cached}}


def chat_events(pieces=("he", "llo"), prompt=10, cached=4):
    """The data lines of a streamed answer, with usage as include_usage asks for it."""
    frames = [{"id": "c1", "object": "chat.completion.chunk",
               "choices": [{"index": 0, "delta": {"content": piece}}]} for piece in pieces]
    frames.append({"id": "c1", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    frames.append({"id": "c1", "choices": [], "usage": usage(prompt, cached, len(pieces))})
    return [json.dumps(frame) for frame in frames] + ["[DONE]"]


class Upstream:
    """Serves on a port of its own, by TLS when there is an ssl.SSLContext for it. `behave(exchange)`
    answers each POST; `calls` has what came. `at_head(exchange)` sees it before its body is read, and says whether
    that was all. `models` are listed at /v1/models, with `health_status`."""

    def __init__(self, behave=None, tls=None):
        self.behave = behave or (lambda exchange: exchange.answer_chat())
        self.at_head = lambda exchange: False
        self.calls = []
        self.models = []
        self.gone = threading.Event()  # a client left while it was being answered
        self.checked = threading.Event()  # somebody has asked for its models
        self.health_status = 200
        upstream = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                if upstream.at_head(self):
                    self.close_connection = True
                    return
                length = int(self.headers.get("Content-Length", 0))
                try:
                    self.body = json.loads(self.rfile.read(length))
                except RecursionError:
                    self.answer(400, {"error": {"message": "nested too deeply", "type": "invalid_request_error"}})
                    return
                upstream.calls.append({"path": self.path, "headers": dict(self.headers),
                                       "body": self.body, "peer": self.client_address})
                try:
                    upstream.behave(self)
                except (BrokenPipeError, ConnectionResetError, ssl.SSLError):
                    upstream.gone.set()
                    self.close_connection = True

            def do_GET(self):
                self.answer(upstream.health_status,
                            {"object": "list", "data": [{"id": name} for name in upstream.models]})
                upstream.checked.set()

            def log_message(self, *_):
                pass

            def answer(self, status, body, **headers):
                data = body if isinstance(body, bytes) else json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(data)))
                for name, value in headers.items():
                    self.send_header(name.replace("_", "-"), value)
                self.end_headers()
                self.wfile.write(data)

            def answer_chat(self):
                if self.body.get("stream"):
                    self.stream(chat_events())
                else:
                    self.answer(200, chat_answer())

            def begin_stream(self):
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()

            def write(self, text):
                data = text if isinstance(text, bytes) else text.encode()
                self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
                self.wfile.flush()

            def end_stream(self):
                self.wfile.write(b"0\r\n\r\n")

            def stream(self, lines, end=True):
                self.begin_stream()
                for line in lines:
                    self.write(f"data: {line}\n\n")
                if end:
                    self.end_stream()
                else:
                    self.close_connection = True
                    self.connection.close()

        class Listener(http.server.ThreadingHTTPServer):
            request_queue_size = 256
            daemon_threads = True

            def handle_error(self, *_):
                pass

        self.server = Listener(("127.0.0.1", 0), Handler)
        if tls:  # the handshake is done by the connection's own thread
            self.server.socket = tls.wrap_socket(self.server.socket, server_side=True,
                                                 do_handshake_on_connect=False)
        scheme, host = ("https", "localhost") if tls else ("http", "127.0.0.1")
        self.url = f"{scheme}://{host}:{self.server.server_address[1]}/v1"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()
