"""Starting and talking to `brigada serve` from tests: standard library only."""
import contextlib
import http.client
import json
import os
import re
import socket
import subprocess
import threading

START_SECONDS = 120
CALL_SECONDS = 120


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Server:
    """A running brigada that answers HTTP: `brigada serve MODEL`, or what a subclass starts."""

    health = "/health"

    def __init__(self, binary, model, *options):
        self.model = model
        port = free_port()
        self.start([binary, "serve", model, "--host", "127.0.0.1", "--port", str(port), *options],
                   port)

    def start(self, command, port):
        self.port = port
        self.lines = []
        self.more = threading.Condition()
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                        text=True)
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self):
        for line in self.process.stdout:
            with self.more:
                self.lines.append(line)
                self.more.notify_all()

    def wait_for_words(self, words):
        """Returns when a line with these words has been printed."""
        with self.more:
            if not self.more.wait_for(lambda: words in self.said(), timeout=CALL_SECONDS):
                raise AssertionError(f"{words!r} was not said:\n{self.said()}")

    def said(self):
        return "".join(self.lines)

    def wait_until_ready(self):
        tries = threading.Event()
        for _ in range(START_SECONDS * 10):
            if self.process.poll() is not None:
                raise AssertionError(f"the server ended while starting:\n{self.said()}")
            with contextlib.suppress(OSError, http.client.HTTPException):
                if self.get(self.health)[0] == 200:
                    return self
            tries.wait(0.1)
        raise AssertionError(f"not ready after {START_SECONDS} s:\n{self.said()}")

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=CALL_SECONDS)

    def get(self, path):
        with contextlib.closing(self.connect()) as connection:
            connection.request("GET", path)
            response = connection.getresponse()
            return response.status, response.read().decode()

    def post(self, path, body):
        """Status and the parsed answer; `body` is an object, or bytes sent as they are."""
        with contextlib.closing(self.connect()) as connection:
            data = body if isinstance(body, bytes) else json.dumps(body).encode()
            connection.request("POST", path, data, {"Content-Type": "application/json"})
            response = connection.getresponse()
            return response.status, json.loads(response.read())

    @contextlib.contextmanager
    def stream(self, path, body):
        """The events of a streamed answer, one parsed object each; fails without a final [DONE]."""
        with contextlib.closing(self.connect()) as connection:
            connection.request("POST", path, json.dumps({**body, "stream": True}).encode(),
                               {"Content-Type": "application/json"})
            response = connection.getresponse()
            assert response.status == 200, response.read()
            yield events(response)

    def metric(self, name):
        """The sum of a metric over its labels; 0 when it has not been counted yet."""
        pattern = re.compile(rf"^{re.escape(name)}(?:\{{.*\}})? ([-+0-9.e]+)$", re.M)
        return sum(float(value) for value in pattern.findall(self.get("/metrics")[1]))

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
        return self.process.wait(timeout=60)

    def kill(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.reader.join()
        self.process.stdout.close()

    def __enter__(self):
        try:
            return self.wait_until_ready()
        except BaseException:
            self.kill()
            raise

    def __exit__(self, *_):
        self.kill()


def events(response):
    done = False
    for raw in response:
        line = raw.decode().rstrip("\r\n")
        if line.startswith("data: ") and line != "data: [DONE]":
            assert not done, "an event after [DONE]"
            yield json.loads(line[len("data: "):])
        done = done or line == "data: [DONE]"
    assert done, "the stream ended without [DONE]"


def default_binary():
    return os.environ.get("BRIGADA_BINARY", "build/release/brigada")
