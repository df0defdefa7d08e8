"""A PostgreSQL server for tests, on a loopback port and in a folder of its own: standard library only."""
import contextlib
import os
import pwd
import shutil
import signal
import subprocess
import threading

from server import free_port

PROGRAMS = "/usr/lib/postgresql/15/bin"
START_SECONDS = 60


class Postgres:
    def __init__(self, folder):
        self.folder = os.path.join(folder, "postgres")
        self.port = free_port()
        self.process = None
        self.frozen = []
        os.mkdir(self.folder)
        self.as_user = {}
        if os.getuid() == 0:  # PostgreSQL refuses to run as root
            user = pwd.getpwnam("postgres")
            self.as_user = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
            os.chown(self.folder, user.pw_uid, user.pw_gid)
            os.chmod(folder, 0o755)
        self.run("initdb", "-D", self.data, "-A", "trust", "-U", "brigada", "-E", "UTF8",
                 "--locale=C", "--no-sync")
        self.start()
        self.sql("CREATE DATABASE brigada", "postgres")

    @property
    def data(self):
        return os.path.join(self.folder, "data")

    @property
    def url(self):
        return f"postgresql://brigada@127.0.0.1:{self.port}/brigada"

    def run(self, program, *words):
        done = subprocess.run([f"{PROGRAMS}/{program}", *words], cwd=self.folder,
                              capture_output=True, text=True, check=False, **self.as_user)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def sql(self, text, database="brigada"):
        return self.run("psql", "-h", "127.0.0.1", "-p", str(self.port), "-U", "brigada", "-Atq",
                        "-v", "ON_ERROR_STOP=1", "-d", database, "-c", text).strip()

    def start(self):
        log = open(os.path.join(self.folder, "log"), "a", encoding="utf-8")
        with log:
            self.process = subprocess.Popen(
                [f"{PROGRAMS}/postgres", "-D", self.data, "-p", str(self.port), "-h", "127.0.0.1",
                 "-k", self.folder, "-c", "fsync=off"],
                cwd=self.folder, stdout=log, stderr=log, **self.as_user)
        tries = threading.Event()
        for _ in range(START_SECONDS * 20):
            with contextlib.suppress(AssertionError):
                self.sql("SELECT 1", "postgres")
                return
            assert self.process.poll() is None, self.said()
            tries.wait(0.05)
        raise AssertionError(self.said())

    def said(self):
        with open(os.path.join(self.folder, "log"), encoding="utf-8") as file:
            return file.read()

    def stop(self):
        """At once, as a crash would."""
        if self.process and self.process.poll() is None:
            self.thaw()
            self.process.send_signal(signal.SIGQUIT)
            self.process.wait()

    def freeze(self):
        """Its port stays open, but nothing answers."""
        self.frozen = [self.process.pid]
        os.kill(self.process.pid, signal.SIGSTOP)
        for name in filter(str.isdigit, os.listdir("/proc")):  # a process for each connection
            with contextlib.suppress(OSError):
                with open(f"/proc/{name}/stat", encoding="utf-8") as file:
                    parent = int(file.read().rsplit(") ", 1)[1].split()[1])
                if parent == self.process.pid:
                    os.kill(int(name), signal.SIGSTOP)
                    self.frozen.append(int(name))

    def thaw(self):
        for pid in reversed(self.frozen):
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGCONT)
        self.frozen = []

    def remove(self):
        self.stop()
        shutil.rmtree(self.folder)
