"""Several gateways on one PostgreSQL database: keys, revocations, spend, and a database that goes away.

    tests/postgres_test.py BINARY
"""
import concurrent.futures
import os
import subprocess
import sys
import tempfile
import threading
import time
import unittest

from gateway import MASTER, Gateway
from postgres import Postgres
from scripted_upstream import Upstream
from server import default_binary, free_port

BINARY = default_binary()
SECONDS = 60
WITHIN_A_SECOND = 1.0
PEPPER = "pepper-of-these-tests-0001"


class Shared(unittest.TestCase):
    """Two gateways, one upstream, one database."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.postgres = Postgres(self.folder.name)
        self.addCleanup(self.postgres.remove)
        self.upstream = Upstream()
        self.addCleanup(self.upstream.stop)
        self.gateways = []
        self.one, self.other = self.gateway(), self.gateway()

    def gateway(self, pepper=PEPPER, url=None):
        folder = os.path.join(self.folder.name, f"gateway-{len(self.gateways)}")
        os.mkdir(folder)
        extra = f"brigada:\n  pepper: {pepper}\n" if pepper else ""
        gateway = SharedGateway(BINARY, folder, {"m": [self.upstream.url]}, extra,
                                url or self.postgres.url)
        self.gateways.append(gateway)
        self.addCleanup(gateway.kill)
        gateway.launch()
        return gateway

    def eventually(self, question, seconds=SECONDS):
        """Asks until the answer is true; returns how long it took."""
        began = time.monotonic()
        pause = threading.Event()
        while not question():
            self.assertLess(time.monotonic() - began, seconds, "it did not come to be")
            pause.wait(0.01)
        return time.monotonic() - began

    def brigada(self, *words):
        return subprocess.run([BINARY, *words], capture_output=True, text=True, timeout=SECONDS,
                              check=False)


class SharedGateway(Gateway):
    def __init__(self, binary, folder, upstreams, extra, url):
        self.url = url
        self.started = False
        super().__init__(binary, folder, upstreams, extra)

    def launch(self):
        if self.started:
            super().launch()
        self.started = True

    def yaml(self, upstreams):
        return super().yaml(upstreams).replace(
            f"  master_key: {MASTER}\n", f"  master_key: {MASTER}\n  database_url: {self.url}\n")

    def kill(self):
        if hasattr(self, "process"):
            super().kill()

    def launch_and_end(self):
        """What it says when it can't start."""
        told = subprocess.run([BINARY, "gateway", "--config", self.config, "--listen",
                               f"127.0.0.1:{free_port()}", "--data", os.path.join(self.folder, "data")],
                              capture_output=True, text=True, timeout=SECONDS, check=False)
        assert told.returncode != 0, told.stderr
        return told.stderr


class Hierarchy(Shared):
    def test_a_key_made_on_one_is_good_on_the_other_and_a_revocation_holds_there(self):
        made, revoked = [], []
        for _ in range(5):
            key = self.one.new_key()
            made.append(self.eventually(lambda: self.other.chat("m", key)[0] == 200))
            self.assertEqual(self.one.call("/key/delete", {"keys": [key]})[0], 200)
            self.assertEqual(self.one.chat("m", key)[0], 401)
            revoked.append(self.eventually(lambda: self.other.chat("m", key)[0] == 401))
        usual = [sorted(times)[len(times) // 2] for times in (made, revoked)]
        self.assertLess(max(usual), WITHIN_A_SECOND)
        print(f"good on the other after {usual[0] * 1e3:.0f} ms, out after {usual[1] * 1e3:.0f} ms")

    def test_administrators_on_both_do_not_overwrite_each_other(self):
        self.assertEqual(self.one.call("/team/new", {"team_id": "t"})[0], 200)
        self.eventually(lambda: self.other.call("/team/info?team_id=t")[0] == 200)
        both = {"a": self.one, "b": self.other}

        def rename(gateway, number):
            return gateway.call("/team/update", {"team_id": "t", "metadata": {"n": number}})[0]

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            made = [pool.submit(gateway.new_key, team_id="t", key_alias=f"{name}{number}")
                    for number in range(20) for name, gateway in both.items()]
            changed = [pool.submit(rename, gateway, number) for number in range(10)
                       for gateway in (self.one, self.other)]
            keys = [key.result() for key in made]
            self.assertEqual({status.result() for status in changed}, {200})
        self.assertEqual(len(set(keys)), 40)
        for gateway in (self.one, self.other):
            self.eventually(lambda g=gateway: all(g.chat("m", key)[0] == 200 for key in keys))
        taken = self.other.call("/key/generate", {"key_alias": "a3"})
        self.assertEqual(taken[0], 400, "a name is taken everywhere")
        told = self.brigada("audit", "verify", "--config", self.one.config)
        self.assertIn("the chain is whole: 61 events", told.stdout, told.stderr)

    def test_another_pepper_is_refused_with_words(self):
        stranger = SharedGateway(BINARY, tempfile.mkdtemp(dir=self.folder.name),
                                 {"m": [self.upstream.url]}, "", self.postgres.url)
        self.assertIn("hashed under another pepper", stranger.launch_and_end())


class Away(Shared):
    def test_without_a_database_calls_go_on_and_administration_says_why_not(self):
        key = self.one.new_key()
        self.eventually(lambda: self.other.chat("m", key)[0] == 200)
        self.postgres.stop()
        for gateway in (self.one, self.other):
            self.assertEqual(gateway.chat("m", key)[0], 200)
        status, _, body = self.one.call("/key/generate", {})
        self.assertEqual((status, body["error"]["type"]), (503, "no_db_connection"))
        self.assertIn("PostgreSQL at 127.0.0.1", body["error"]["message"])
        self.eventually(lambda: self.one.call("/health/readiness")[2]["db"] == "Not connected")
        self.assertEqual(self.one.call("/key/info?key=" + key)[0], 200, "reading needs none")

        self.other.kill()  # and starts again from its copy
        self.other.launch()
        self.eventually(lambda: "are those of its last known state" in self.other.said())
        self.assertEqual(self.other.chat("m", key)[0], 200)
        fresh = SharedGateway(BINARY, tempfile.mkdtemp(dir=self.folder.name),
                              {"m": [self.upstream.url]}, f"brigada:\n  pepper: {PEPPER}\n",
                              self.postgres.url)
        self.assertIn("There is no copy of its keys", fresh.launch_and_end())

        self.postgres.start()
        self.eventually(lambda: self.one.call("/key/block", {"key": key})[0] == 200)
        self.eventually(lambda: self.other.chat("m", key)[0] == 401)

    def test_under_load_nothing_is_lost_or_twice(self):
        keys = [self.one.new_key(), self.one.new_key()]
        for gateway in (self.one, self.other):
            self.eventually(lambda g=gateway: all(g.chat("m", key)[0] == 200 for key in keys))
        ended = threading.Event()
        served = []

        def work(gateway, key):
            while not ended.is_set():
                served.append(gateway.chat("m", key)[0])

        def calls_more(count):
            before = len(served)
            self.eventually(lambda: len(served) >= before + count)

        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            for number in range(8):
                pool.submit(work, (self.one, self.other)[number % 2], keys[number // 2 % 2])
            calls_more(200)
            self.postgres.freeze()
            calls_more(400)
            self.postgres.thaw()
            calls_more(100)
            self.postgres.stop()
            calls_more(400)
            self.postgres.start()
            calls_more(200)
            ended.set()
        for gateway in (self.one, self.other):
            gateway.stop()
        self.check_the_ledger(served)

    def check_the_ledger(self, served):
        reached = len(self.upstream.calls)
        for gateway in (self.one, self.other):
            told = self.brigada("ledger", "verify", os.path.join(gateway.folder, "data", "ledger"),
                                "--database", self.postgres.url)
            self.assertEqual(told.returncode, 0, told.stderr)
            self.assertIn(" 0 in the log", told.stdout)
        self.assertEqual(self.postgres.sql("SELECT count(*) FROM brigada.calls"), str(reached))
        self.assertEqual(self.postgres.sql("SELECT sum(calls) FROM brigada.spend WHERE kind = 3"),
                         str(reached))
        refused = [status for status in served if status != 200]
        self.assertEqual(refused, [], "every call was served")


class Spend(Shared):
    def test_is_added_up_over_both(self):
        team = self.one.call("/team/new", {"team_alias": "red"})[2]["team_id"]
        key = self.one.new_key(team_id=team)
        self.eventually(lambda: self.other.chat("m", key)[0] == 200)
        for gateway in (self.one, self.other, self.other):
            self.assertEqual(gateway.chat("m", key)[0], 200)
        calls = len(self.upstream.calls)

        def counted(gateway):
            rows = gateway.call("/global/spend/report?group_by=team")[2]
            return next((row["calls"] for row in rows if row["holder"] == team), 0)

        for gateway in (self.one, self.other):
            self.eventually(lambda g=gateway: counted(g) == calls)
        told = self.brigada("ledger", "verify", "--database", self.postgres.url)
        self.assertIn(f"agree with their sums: {calls} calls", told.stdout, told.stderr)
        exported = self.brigada("ledger", "export", "--config", self.other.config)
        self.assertEqual(len(exported.stdout.splitlines()), calls + 1)

    def test_budgets_of_end_users_and_members_go_on_at_another_gateway(self):
        team = self.one.call("/team/new", {"team_alias": "red"})[2]["team_id"]
        budget = 0.00005  # four calls of 10,400 nano-dollars
        self.one.call("/customer/new", {"user_id": "ann", "max_budget": budget})
        self.one.call("/team/member_add", {"team_id": team, "max_budget_in_team": budget,
                                           "member": {"role": "user", "user_id": "bob"}})
        keys = self.one.new_key(team_id=team), self.one.new_key(team_id=team, user_id="bob")
        self.eventually(lambda: self.other.call("/v1/models", key=keys[1])[0] == 200)

        def spend(gateway, calls):
            return [gateway.chat("m", key, max_tokens=1, **fields)[0]
                    for key, fields in zip(keys, ({"user": "ann"}, {})) for _ in range(calls)]

        self.assertEqual(spend(self.one, 5), ([200] * 4 + [429]) * 2)
        self.one.stop()
        self.assertEqual(spend(self.other, 1), [429, 429])


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        BINARY = sys.argv.pop(1)
    unittest.main(verbosity=2)
