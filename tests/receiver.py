"""Somebody outside whom the gateway tells things: a collector of spans, a webhook. Standard library
only."""
import http.server
import json
import threading


class Receiver:
    """Takes every POST on a port of its own; `received` has path, headers and the parsed body.

    `statuses` are answered in turn, then 200 for ever.
    """

    def __init__(self, statuses=()):
        self.received = []
        self.statuses = list(statuses)
        self.changed = threading.Condition()
        self.answers = threading.Event()  # cleared: nobody gets one
        self.answers.set()
        receiver = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                with receiver.changed:
                    status = receiver.statuses.pop(0) if receiver.statuses else 200
                    receiver.received.append({"path": self.path, "headers": self.headers,
                                              "raw": raw, "body": json.loads(raw),
                                              "status": status})
                    receiver.changed.notify_all()
                receiver.answers.wait()
                self.send_response(status)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        class Listener(http.server.ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_):
                pass  # a gateway that ends resets its connections

        self.server = Listener(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def wait_for(self, enough, seconds=60):
        """Waits until `enough(received)` is true; what it returned then."""
        with self.changed:
            assert self.changed.wait_for(lambda: enough(self.received), seconds), self.received
            return enough(self.received)

    def hang(self):
        """From now on takes everything and answers nothing."""
        self.answers.clear()

    def stop(self):
        self.answers.set()
        self.server.shutdown()
        self.server.server_close()


def spans_of(received):
    """Every span in what a collector got, with its attributes as a plain dictionary."""
    out = []
    for post in received:
        for resource in post["body"]["resourceSpans"]:
            for scope in resource["scopeSpans"]:
                for span in scope["spans"]:
                    out.append({**span, "attributes": {
                        item["key"]: next(iter(item["value"].values()))
                        for item in span["attributes"]}})
    return out
