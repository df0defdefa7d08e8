#!/usr/bin/env python3
"""The gateway killed under load, again and again: afterwards the ledger has exactly the calls that
reached the upstream. kill_test.py BINARY; KILLS=N for more or fewer deaths than 50."""
import concurrent.futures
import http.client
import itertools
import os
import random
import sys
import tempfile
import threading
import unittest

from gateway import Gateway
from scripted_upstream import Upstream, chat_events
from server import default_binary

BINARY = sys.argv.pop(1) if len(sys.argv) > 1 else default_binary()
KILLS = int(os.environ.get("KILLS", "50"))
CLIENTS = 8


class Client:
    """Calls until the gateway is gone. Each call carries a number no other call has, as `user`."""

    def __init__(self, gateway, key, numbers):
        self.gateway, self.key, self.numbers = gateway, key, numbers
        self.answered = set()

    def run(self):
        while True:
            number = str(next(self.numbers))
            try:
                status, _, body = self.gateway.chat("m", self.key, user=number,
                                                    stream=int(number) % 2 == 0)
            except (OSError, http.client.HTTPException):
                return
            if status == 200 and (isinstance(body, dict) or "[DONE]" in body):
                self.answered.add(number)


class Kills(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.upstream = Upstream(self.behave)
        self.slow = threading.Event()     # set: slow answers end
        self.gateway = Gateway(BINARY, self.folder.name, {"m": [self.upstream.url]})
        self.key = self.gateway.new_key()

    def tearDown(self):
        self.slow.set()
        self.gateway.kill()
        self.upstream.stop()
        self.folder.cleanup()

    def behave(self, exchange):
        """Every third answer hangs until the gateway is dead, half of them after a first event."""
        number = int(exchange.body["user"])
        if number % 3 == 0:
            if exchange.body.get("stream"):
                exchange.begin_stream()
                exchange.write(f"data: {chat_events()[0]}\n\n")
            self.slow.wait(timeout=20)
        exchange.answer_chat()

    def reached(self):
        return [call["body"]["user"] for call in self.upstream.calls]

    def load_and_kill(self, numbers, calls):
        """The numbers of the calls whose end a client saw."""
        self.slow.clear()
        before = len(self.upstream.calls)
        clients = [Client(self.gateway, self.key, numbers) for _ in range(CLIENTS)]
        with concurrent.futures.ThreadPoolExecutor(CLIENTS) as pool:
            running = [pool.submit(client.run) for client in clients]
            while len(self.upstream.calls) < before + calls:
                concurrent.futures.wait(running, timeout=0.002)
            self.gateway.kill()
            self.slow.set()
            for one in running:
                one.result()
        return set().union(*(client.answered for client in clients))

    def test_the_ledger_has_every_call_that_reached_the_upstream_once(self):
        numbers = itertools.count(1)
        chance = random.Random(7)
        answered = set()
        for _ in range(KILLS):
            # Every third call hangs, so eight clients make about 24 before all of them wait.
            answered |= self.load_and_kill(numbers, chance.randrange(1, 16))
            self.gateway.launch()
        self.gateway.stop()
        rows = self.gateway.ledger()
        status = {row["end_user"]: row["status"] for row in rows}
        reached = self.reached()
        self.assertEqual(len(set(reached)), len(reached))
        self.assertEqual(len(status), len(rows), "a call is in the ledger twice")
        self.assertEqual(set(reached) - set(status), set(), "reached the upstream, not in the ledger")
        for number in answered:
            self.assertEqual(status[number], "ok")
        # Death may come after a call was noted and before its bytes left.
        unsent = set(status) - set(reached)
        self.assertEqual({status[number] for number in unsent} - {"lost"}, set())
        self.assertLessEqual(len(unsent), KILLS * CLIENTS)
        self.assertGreater(sum(one == "lost" for one in status.values()), KILLS)
        self.assertGreater(len(answered), KILLS)
        print(f"{KILLS} kills: {len(reached)} calls reached the upstream, {len(rows)} in the ledger,"
              f" {len(answered)} answered, {len(unsent)} killed before they were sent")


if __name__ == "__main__":
    unittest.main()
