"""The coding agents of docs/agents.md as programs: started by the lines of that page, each in a home
and a work folder of its own, and the calls of tools that a scripted model makes them do."""
import json
import os
import re
import subprocess

from scripted_model import Say, Use

PAGE = "docs/agents.md"
PROGRAMS = "build/agents/node_modules"  # tools/fetch_clients
FOLDERS = ("@anthropic-ai/claude-code-linux-x64",
           "@openai/codex/vendor/x86_64-unknown-linux-musl/bin",
           "opencode-linux-x64-baseline/bin")
ADDRESS_OF_THE_PAGE = "http://127.0.0.1:4000"
PROMPT_OF_THE_PAGE = "Make hello.txt, read it back, and stop."
CHILD_TASK = "CHILD: say where you are"
TITLE = "A title"
SECONDS = 400  # for one that hangs; OpenCode takes minutes to start where ten others compile


def missing():
    """What keeps the agents from running here; "" when nothing does."""
    return "" if os.path.isdir(PROGRAMS) else f"no {PROGRAMS}: tools/fetch_clients obtains it"


class Agent:
    """An agent that talks to the door at `url` with `key`."""

    heading = ""
    dialect = ""

    def __init__(self, folder, url, key):
        self.url = url
        self.home = os.path.join(folder, "home")
        self.work = os.path.join(folder, "work")
        self.file = os.path.join(self.work, "hello.txt")
        for name in (self.home, self.work):
            os.mkdir(name)
        programs = [os.path.abspath(os.path.join(PROGRAMS, name)) for name in FOLDERS]
        self.environment = {
            "PATH": ":".join([*programs, os.environ["PATH"]]), "HOME": self.home, "TERM": "dumb",
            "LANG": "C.UTF-8", "BRIGADA_KEY": key, **self.quiet()}
        self.configure()

    def quiet(self):
        """Variables that keep it from calling anybody but the door."""
        return {}

    def configure(self):
        """Writes the files that the page tells a person to write."""

    def block(self, language):
        """What the page has under this agent's heading in a block of `language`."""
        with open(PAGE, encoding="utf-8") as file:
            section = re.split(r"^## ", file.read(), flags=re.M)
        [mine] = [text for text in section if text.startswith(self.heading + "\n")]
        [block] = re.findall(rf"```{language}\n(.*?)```", mine, re.S)
        return block.replace(ADDRESS_OF_THE_PAGE, self.url)

    def run(self, prompt=PROMPT_OF_THE_PAGE):
        """Runs the page's command to its end: the exit code, and all it said."""
        command = self.command().replace(PROMPT_OF_THE_PAGE, prompt)
        done = subprocess.run(["bash", "-c", command], cwd=self.work, text=True,
                              env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=SECONDS,
                              check=False)
        return done.returncode, done.stdout

    def command(self):
        return self.block("sh")

    def small_task(self, conversation):
        """Makes a file, reads it, ends: a plan for scripted_model.play."""
        if not conversation.tools:
            return [Say(TITLE)]
        return [self.write("hello from the script\n"), self.read(), Say("All done.")]

    def task_for_a_child(self, conversation):
        """Hands the work to a sub-agent, which uses a tool of its own."""
        if not conversation.tools:
            return [Say(TITLE)]
        if CHILD_TASK in conversation.asked:
            return [self.shell("echo from the child"), Say("The child is here.")]
        return [*self.delegate(conversation), Say("All done.")]


class ClaudeCode(Agent):
    heading = "Claude Code"
    dialect = "messages"

    def quiet(self):
        return {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1",
                "ANTHROPIC_DEFAULT_HAIKU_MODEL": "coder"}

    def write(self, text):
        return Use("Write", {"file_path": self.file, "content": text})

    def read(self):
        return Use("Read", {"file_path": self.file})

    def shell(self, command):
        return Use("Bash", {"command": command})

    def delegate(self, _):
        return [Use("Agent", {"description": "look around", "prompt": CHILD_TASK,
                              "subagent_type": "general-purpose", "run_in_background": False})]


class Codex(Agent):
    heading = "Codex"
    dialect = "responses"

    def configure(self):
        folder = os.path.join(self.home, ".codex")
        os.mkdir(folder)
        with open(os.path.join(folder, "config.toml"), "w", encoding="utf-8") as file:
            file.write("check_for_update_on_startup = false\nanalytics.enabled = false\n")
            file.write(self.block("toml"))

    def command(self):
        """Without its sandbox, which needs more of the kernel than some machines allow."""
        return self.block("sh").replace("workspace-write", "danger-full-access")

    def write(self, text):
        patch = f"*** Begin Patch\n*** Add File: {self.file}\n+{text}*** End Patch"
        return self.shell(f"apply_patch <<'EOF'\n{patch}\nEOF")

    def read(self):
        return self.shell(f"cat {self.file}")

    def shell(self, command):
        return Use("exec_command", {"cmd": command})

    def delegate(self, conversation):
        spawn = Use("multi_agent_v1.spawn_agent", {"message": CHILD_TASK})
        if not conversation.results:
            return [spawn]
        child = json.loads(conversation.results[0])["agent_id"]
        return [spawn, Use("multi_agent_v1.wait_agent", {"targets": [child]})]


class OpenCode(Agent):
    heading = "OpenCode"
    dialect = "chat"
    provider = "@ai-sdk/openai-compatible"

    def quiet(self):
        return {"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1"}

    def configure(self):
        settings = json.loads(self.block("json"))
        settings |= {"autoupdate": False, "share": "disabled"}
        settings["provider"]["brigada"]["npm"] = self.provider
        with open(os.path.join(self.work, "opencode.json"), "w", encoding="utf-8") as file:
            json.dump(settings, file)

    def write(self, text):
        return Use("write", {"filePath": self.file, "content": text})

    def read(self):
        return Use("read", {"filePath": self.file})

    def shell(self, command):
        return Use("bash", {"command": command, "description": "say something"})

    def delegate(self, _):
        return [Use("task", {"description": "look around", "prompt": CHILD_TASK,
                             "subagent_type": "general"})]


class OpenCodeByAnthropic(OpenCode):
    """The same by Anthropic's dialect."""
    dialect = "messages"
    provider = "@ai-sdk/anthropic"
