"""A Hugging Face compatible hub on this machine, for tests: standard library only.

It serves one repository from memory, with ranges, and can hold a transfer in the middle until told."""
import hashlib
import http.server
import json
import threading


class Hub:
    """Serves `files` (name -> bytes) as org/tiny. With hold_after, a transfer from the start sends that
    many bytes, sets `held`, and goes on only after `release`."""

    def __init__(self, files, hold_after=None):
        self.files = files
        self.hold_after = hold_after
        self.held = threading.Event()
        self.release = threading.Event()
        self.ranges = []
        self.http = http.server.ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.http.daemon_threads = True
        self.address = f"http://127.0.0.1:{self.http.server_port}"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.release.set()
        self.http.shutdown()
        self.http.server_close()

    def listing(self):
        return json.dumps([{"type": "file", "path": name, "size": len(data),
                            "lfs": {"oid": hashlib.sha256(data).hexdigest(), "size": len(data)}}
                           for name, data in self.files.items()]).encode()

    def _handler(self):
        hub = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_GET(self):
                prefix = "/org/tiny/resolve/main/"
                if self.path.startswith("/api/models/org/tiny/tree/main"):
                    self.answer(hub.listing(), "list")
                elif self.path.startswith(prefix) and self.path[len(prefix):] in hub.files:
                    data = hub.files[self.path[len(prefix):]]
                    self.answer(data, hashlib.sha256(data).hexdigest())
                else:
                    self.send_error(404)

            def answer(self, data, etag):
                wanted = self.headers.get("Range", "bytes=0-")
                hub.ranges.append(wanted)
                start = int(wanted[len("bytes="):-1])
                self.send_response(206 if start else 200)
                if start:
                    self.send_header("Content-Range", f"bytes {start}-{len(data) - 1}/{len(data)}")
                self.send_header("ETag", f'"{etag}"')
                self.send_header("Content-Length", str(len(data) - start))
                self.end_headers()
                self.send_body(data[start:], start)

            def send_body(self, data, start):
                if hub.hold_after is not None and start == 0 and len(data) > hub.hold_after:
                    self.wfile.write(data[:hub.hold_after])
                    self.wfile.flush()
                    hub.held.set()
                    hub.release.wait()
                    data = data[hub.hold_after:]
                try:
                    self.wfile.write(data)
                except OSError:
                    pass  # the client was killed

        return Handler
