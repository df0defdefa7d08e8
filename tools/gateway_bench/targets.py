"""The targets of the benchmark: each is started before the same mock engine and says where to
call, with which headers, and which processes are its own."""
import contextlib
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading

PEERS = os.path.abspath("build/peers")
START_SECONDS = 120


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def post(port, path, body, headers):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    with contextlib.closing(connection):
        connection.request("POST", path, body, {"Content-Type": "application/json", **headers})
        response = connection.getresponse()
        return response.status, response.read()


class Missing(Exception):
    """A target that can't be had on this machine."""


class Target:
    """A running process, with its children."""

    name = "?"
    path = "/v1/chat/completions"
    headers = {}

    def __init__(self, folder, engine_port):
        self.folder = tempfile.mkdtemp(prefix=self.name, dir=folder)
        self.engine_port = engine_port
        self.port = free_port()
        self.log = open(os.path.join(self.folder, "log"), "w", encoding="utf-8")
        self.process = subprocess.Popen(self.command(), stdin=subprocess.PIPE, stdout=self.log, stderr=self.log,
                                        env={**os.environ, **self.environment()},
                                        process_group=0)
        self.wait_until_it_answers()

    def environment(self):
        return {}

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def prepare(self):
        """Once it listens, before it is measured."""

    def wait_until_it_answers(self):
        pause = threading.Event()
        body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "hi"}]}).encode()
        prepared = False
        for _ in range(START_SECONDS * 5):
            if self.process.poll() is not None:
                break
            with contextlib.suppress(OSError, http.client.HTTPException):
                if not prepared:
                    self.prepare()
                    prepared = True
                if post(self.port, self.path, body, self.headers)[0] == 200:
                    return
            pause.wait(0.2)
        self.log.flush()
        with open(self.log.name, encoding="utf-8") as file:
            raise RuntimeError(f"{self.name} does not answer:\n{file.read()[-2000:]}")

    def pids(self):
        """Its process and all below it."""
        children = {}
        for entry in os.listdir("/proc"):
            if entry.isdigit():
                with contextlib.suppress(OSError):
                    with open(f"/proc/{entry}/stat", encoding="utf-8") as file:
                        parent = int(file.read().rsplit(")", 1)[1].split()[1])
                    children.setdefault(parent, []).append(int(entry))
        found, waiting = [], [self.process.pid]
        while waiting:
            pid = waiting.pop()
            found.append(pid)
            waiting += children.get(pid, [])
        return found

    def cpu_seconds(self):
        ticks = 0
        for pid in self.pids():
            with contextlib.suppress(OSError):
                with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
                    fields = file.read().rsplit(")", 1)[1].split()
                ticks += int(fields[11]) + int(fields[12])
        return ticks / os.sysconf("SC_CLK_TCK")

    def memory_bytes(self):
        """Proportional set size: shared pages count once."""
        total = 0
        for pid in self.pids():
            with contextlib.suppress(OSError):
                with open(f"/proc/{pid}/smaps_rollup", encoding="utf-8") as file:
                    total += sum(int(line.split()[1]) for line in file if line.startswith("Pss:"))
        return total * 1024

    def close(self):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.log.close()


def fetch(command, **where):
    try:
        subprocess.run(command, check=True, **where)
    except (OSError, subprocess.CalledProcessError) as failed:
        raise Missing(f"{command[0]} failed: {failed}") from failed


class Direct(Target):
    """The mock engine itself, a second one: what the load alone costs."""

    name = "direct"

    def command(self):
        return [LOAD, "mock", str(self.port)]


class Brigada(Target):
    """With everything on: keys, limits and budgets at three levels, prompts counted with the
    vocabulary and template of Qwen3, routing, ledger, metrics."""

    name = "brigada"
    binary = "build/release/brigada"
    MASTER = "sk-master-of-the-benchmark"

    def tokenizer(self):
        fetch([sys.executable, "tools/fetch_tokenizers"], stdout=subprocess.DEVNULL)
        cache = os.environ.get("XDG_CACHE_HOME", os.path.expanduser("~/.cache"))
        vocabularies = os.path.join(os.environ.get("BRIGADA_CACHE", os.path.join(cache, "brigada")), "tokenizers")
        folder = os.path.join(self.folder, "tokenizer")
        os.makedirs(folder)
        for name, source in (("tokenizer.json", f"{vocabularies}/qwen3.json"),
                             ("tokenizer_config.json", f"{vocabularies}/qwen3.config.json"),
                             ("chat_template.jinja", "testdata/chat-templates/templates/qwen3.jinja")):
            shutil.copy(source, os.path.join(folder, name))
        return folder

    def command(self):
        config = self.write("config.yaml", f"""
general_settings: {{master_key: {self.MASTER}}}
model_list:
- model_name: m
  litellm_params:
    model: openai/m
    api_base: http://127.0.0.1:{self.engine_port}/v1
    api_key: sk-of-the-engine
    input_cost_per_token: 0.0000001
    cache_read_input_token_cost: 0.00000001
    output_cost_per_token: 0.0000002
  model_info: {{custom_tokenizer: {{identifier: "{self.tokenizer()}"}}}}
brigada: {{slots: 20000, classes: {{standard: {{queue_requests: 20000}}}}}}
""")
        return [self.binary, "gateway", "--config", config, "--listen", f"127.0.0.1:{self.port}",
                "--data", os.path.join(self.folder, "data")]

    def manage(self, path, body):
        status, text = post(self.port, path, json.dumps(body).encode(),
                            {"Authorization": f"Bearer {self.MASTER}"})
        if status != 200:
            raise RuntimeError(f"{path}: {status} {text}")
        return json.loads(text)

    def prepare(self):
        limits = {"rpm_limit": 10**9, "tpm_limit": 10**12, "max_parallel_requests": 10**6,
                  "max_budget": 10**6, "budget_duration": "30d"}
        team = self.manage("/team/new", {"team_alias": "bench", **limits})["team_id"]
        user = self.manage("/user/new", {"user_id": "someone", "auto_create_key": False, **limits})
        key = self.manage("/key/generate", {"team_id": team, "user_id": user["user_id"], **limits})
        self.headers = {"Authorization": f"Bearer {key['key']}"}


class Nginx(Target):
    """One worker, proxying and checking one key: no limits, no ledger, no JSON."""

    name = "nginx"
    headers = {"Authorization": "Bearer sk-bench"}

    def command(self):
        config = self.write("nginx.conf", f"""
daemon off; worker_processes 1; pid {self.folder}/pid; error_log {self.folder}/error.log;
worker_rlimit_nofile 40000;
events {{ worker_connections 20000; }}
http {{
  access_log off; keepalive_requests 100000000; client_body_buffer_size 1m; client_max_body_size 32m;
  client_body_temp_path {self.folder}; proxy_temp_path {self.folder};
  fastcgi_temp_path {self.folder}; uwsgi_temp_path {self.folder}; scgi_temp_path {self.folder};
  map $http_authorization $known {{ default 0; "Bearer sk-bench" 1; }}
  upstream engine {{ server 127.0.0.1:{self.engine_port}; keepalive 1000; keepalive_requests 100000000; }}
  server {{
    listen 127.0.0.1:{self.port};
    location / {{
      if ($known = 0) {{ return 401; }}
      proxy_pass http://engine; proxy_http_version 1.1; proxy_set_header Connection "";
      proxy_buffering off; proxy_read_timeout 600s;
    }}
  }}
}}
""")
        program = shutil.which("nginx", path=os.environ["PATH"] + ":/usr/sbin")
        if not program:
            raise Missing("nginx is not installed; Debian's package is nginx-light")
        return [program, "-p", self.folder, "-c", config]


class Portkey(Target):
    """With the two packages pinned without which its streams fail."""

    name = "portkey"
    PACKAGES = {"@portkey-ai/gateway": "1.15.2"}
    PINNED = {"@hono/node-server": "1.13.8", "hono": "4.9.7"}

    @classmethod
    def install(cls):
        folder = os.path.join(PEERS, "portkey")
        if os.path.exists(os.path.join(folder, "installed")):
            return folder
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "package.json"), "w", encoding="utf-8") as file:
            json.dump({"private": True, "dependencies": cls.PACKAGES, "overrides": cls.PINNED}, file)
        fetch(["npm", "install", "--no-audit", "--no-fund", "--silent"], cwd=folder)
        open(os.path.join(folder, "installed"), "w", encoding="utf-8").close()
        return folder

    def command(self):
        folder = self.install()
        self.headers = {"Authorization": "Bearer sk-bench", "x-portkey-provider": "openai",
                        "x-portkey-custom-host": f"http://127.0.0.1:{self.engine_port}/v1"}
        return ["node", os.path.join(folder, "node_modules/@portkey-ai/gateway/build/start-server.js"),
                "--headless", f"--port={self.port}"]


class LiteLlm(Target):
    """One worker, a master key, no database: less than what brigada does."""

    name = "litellm"
    headers = {"Authorization": "Bearer sk-bench"}

    @classmethod
    def install(cls):
        folder = os.path.join(PEERS, "litellm")
        if os.path.exists(os.path.join(folder, "installed")):
            return folder
        fetch([sys.executable, "-m", "venv", folder])
        fetch([os.path.join(folder, "bin/pip"), "install", "--quiet", "litellm[proxy]"])
        open(os.path.join(folder, "installed"), "w", encoding="utf-8").close()
        return folder

    def environment(self):
        return {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_LOG": "ERROR"}

    def command(self):
        folder = self.install()
        config = self.write("config.yaml", f"""
general_settings: {{master_key: sk-bench}}
litellm_settings: {{telemetry: false}}
model_list:
- model_name: m
  litellm_params: {{model: openai/m, api_base: "http://127.0.0.1:{self.engine_port}/v1", api_key: x}}
""")
        return [os.path.join(folder, "bin/litellm"), "--config", config, "--host", "127.0.0.1",
                "--port", str(self.port), "--num_workers", "1"]


LOAD = "build/release/gateway_load"


@contextlib.contextmanager
def mock_engine():
    """Its port."""
    engine = subprocess.Popen([LOAD, "mock", "0"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    try:
        yield int(engine.stdout.readline())
    finally:
        engine.kill()
        engine.wait()


TARGETS = {target.name: target for target in (Direct, Brigada, Nginx, Portkey, LiteLlm)}
