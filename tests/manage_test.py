#!/usr/bin/env python3
"""`brigada keys|teams|users|orgs|budgets|spend|sessions|doctor` from outside, on a running gateway.

    tests/manage_test.py BINARY
"""
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import unittest

from gateway import MASTER, Gateway
from scripted_upstream import Upstream
from server import default_binary, free_port

BINARY = default_binary()


def run(*words, **environment):
    """Exit code, standard output, standard error. No variable of ours comes from outside."""
    clean = {name: value for name, value in os.environ.items()
             if name not in ("BRIGADA_URL", "BRIGADA_MASTER_KEY", "LITELLM_MASTER_KEY")}
    done = subprocess.run([BINARY, *words], capture_output=True, text=True,
                          env={**clean, **environment})
    return done.returncode, done.stdout, done.stderr


class ManageTest(unittest.TestCase):
    def setUp(self):
        self.upstream = Upstream()
        self.folder = tempfile.TemporaryDirectory()
        self.gateway = Gateway(BINARY, self.folder.name, {"m": [self.upstream.url]})
        self.url = f"http://127.0.0.1:{self.gateway.port}"

    def tearDown(self):
        self.gateway.kill()
        self.upstream.stop()
        self.folder.cleanup()

    def tried(self, *words):
        return run(*words, BRIGADA_URL=self.url, BRIGADA_MASTER_KEY=MASTER)

    def done(self, *words):
        code, out, err = self.tried(*words)
        self.assertEqual(code, 0, (words, out, err))
        return out

    def json(self, *words):
        return json.loads(self.done(*words, "--json"))

    def row(self, text, name):
        """The cells of the row that begins with `name`, by title. Titles hold no spaces."""
        lines = text.splitlines()
        [line] = [line for line in lines if re.match(re.escape(name) + r"( |$)", line)]
        cells = re.split(r"\s{2,}", line)
        self.assertEqual(len(cells), len(lines[0].split()), text)
        return dict(zip(lines[0].split(), cells))

    def refused(self, *words):
        """The one line of a command that could not be done."""
        code, out, err = self.tried(*words)
        self.assertEqual((code, out), (1, ""), err)
        self.assertEqual(err.count("\n"), 1, err)
        return err


class Life(ManageTest):
    def test_of_a_team_its_people_and_a_key(self):
        self.assertEqual(self.done("teams", "list"), "no teams\n")
        self.done("orgs", "create", "acme")
        self.done("users", "create", "ann", "--email", "ann@team.example")
        shown = self.done("teams", "create", "compilers", "--org", "acme", "--max-budget", "50",
                          "--budget-duration", "30d", "--models", "m,other")
        self.assertRegex(shown, r"max_budget +50\.00\n")
        self.assertRegex(shown, r"organization_id +acme\n")
        self.done("teams", "add-member", "compilers", "ann", "--role", "admin", "--max-budget", "5")

        code, key, err = self.tried("keys", "create", "ci", "--team", "compilers", "--user", "ann",
                                    "--rpm", "100", "--tags", "night,ci", "--expires", "30d",
                                    "--set", 'metadata={"app": "ci"}')
        self.assertEqual(code, 0, err)
        key = key.strip()
        self.assertTrue(key.startswith("sk-"))
        self.assertIn("shown this once", err)
        for _ in range(3):
            self.assertEqual(self.gateway.chat("m", key)[0], 200)

        row = self.row(self.done("keys", "list"), "ci")
        self.assertEqual((row["TEAM"], row["USER"], row["STATE"], row["RPM"], row["SPENT"]),
                         ("compilers", "ann", "open", "100", "0.0000312"))
        [record] = self.json("keys", "list", "--team", "compilers")
        self.assertEqual((record["tags"], record["metadata"]), (["night", "ci"], {"app": "ci"}))
        self.assertEqual(self.json("keys", "list", "--user", "none"), [])
        info = self.json("teams", "show", "compilers")
        self.assertEqual(info["team_memberships"][0]["litellm_budget_table"]["max_budget"], 5)
        self.assertIn("\nKEY ", self.done("teams", "show", "compilers"))

        self.done("keys", "update", "ci", "--rpm", "none", "--name", "nightly")
        [record] = self.json("keys", "list")
        self.assertEqual((record["key_alias"], record["rpm_limit"]), ("nightly", None))
        self.done("keys", "block", record["token"][:12])
        self.assertEqual(self.gateway.chat("m", key)[0], 401)
        self.done("keys", "unblock", "nightly")

        code, newer, err = self.tried("keys", "rotate", "nightly", "--grace", "1h")
        self.assertEqual(code, 0, err)
        self.assertIn("the old text works until 20", err)
        for text in (key, newer.strip()):
            self.assertEqual(self.gateway.chat("m", text)[0], 200)

        self.done("teams", "block", "compilers")
        self.assertNotEqual(self.gateway.chat("m", newer.strip())[0], 200)
        self.assertEqual(self.row(self.done("teams", "list"), "compilers")["STATE"], "blocked")
        self.assertIn("is in use by team", self.refused("orgs", "delete", "acme"))
        self.done("teams", "remove-member", "compilers", "ann")
        self.done("teams", "delete", "compilers")
        self.assertEqual(self.json("keys", "list"), [])
        self.done("users", "delete", "ann")
        self.done("orgs", "delete", "acme")

    def test_of_a_template_of_limits(self):
        self.done("budgets", "create", "small", "--max-budget", "2.5", "--budget-duration", "1d")
        row = self.row(self.done("budgets", "list"), "small")
        self.assertEqual((row["DOLLARS"], row["EVERY"], row["RPM"]), ("2.50", "1d", "-"))
        self.done("keys", "create", "k", "--budget", "small")
        self.assertIn("in use", self.refused("budgets", "delete", "small"))
        self.done("keys", "delete", "k")
        self.assertEqual(self.done("budgets", "delete", "small"), "deleted small\n")

    def test_more_records_than_a_page_has(self):
        for number in range(12):
            self.gateway.new_key(key_alias=f"k{number}")
        self.assertEqual(len(self.json("keys", "list")), 12)
        self.assertEqual(len(self.done("keys", "list").splitlines()), 13)


class Spend(ManageTest):
    def setUp(self):
        super().setUp()
        self.done("teams", "create", "red")
        self.done("teams", "create", "blue")
        self.keys = {}
        for team, calls in (("red", 3), ("blue", 1)):
            self.keys[team] = self.done("keys", "create", f"of-{team}", "--team", team).strip()
            for _ in range(calls):
                self.call(team, {"x-session-id": "s1"})

    def call(self, team, headers):
        self.gateway.call("/v1/chat/completions",
                          {"model": "m", "messages": [{"role": "user", "content": "hi"}]},
                          self.keys[team], headers)

    def test_is_summed_by_holder_and_by_day(self):
        table = self.done("spend", "report")
        self.assertEqual([line.split()[0] for line in table.splitlines()], ["TEAM", "red", "blue", "in"])
        self.assertEqual(self.row(table, "red"), {
            "TEAM": "red", "CALLS": "3", "INPUT": "18", "CACHED": "12", "WRITTEN": "0",
            "OUTPUT": "6", "DOLLARS": "0.0000312"})
        self.assertEqual(self.row(table, "in all")["DOLLARS"], "0.0000416")
        self.assertEqual(self.row(self.done("spend", "report", "--by", "model"), "m")["CALLS"], "4")
        self.assertEqual(self.row(self.done("spend", "report", "--by", "key"), "of-blue")["CALLS"], "1")
        self.assertEqual(self.json("spend", "report", "--until", "2020-01-01"), [])
        [day] = self.json("spend", "days", "--since", "7d")
        self.assertAlmostEqual(day["spend"], 0.0000416)
        self.assertAlmostEqual(day["models"]["m"], 0.0000416)
        self.assertIn("--by wants one of team, key", self.refused("spend", "report", "--by", "moon"))
        self.assertIn("--since wants 24h", self.refused("spend", "report", "--since", "soon"))

    def test_is_told_call_by_call(self):
        calls = self.json("spend", "calls", "--team", "red")
        self.assertEqual(len(calls), 3)
        self.assertEqual(calls, sorted(calls, key=lambda call: call["endTime"], reverse=True))
        one = calls[0]
        self.assertEqual((one["prompt_tokens"], one["completion_tokens"], one["status"],
                          one["session_id"], one["metadata"]["cached_input_tokens"]),
                         (10, 2, "ok", "s1", 4))
        self.assertEqual(len(self.json("spend", "calls", "--limit", "2")), 2)
        status, _, [same] = self.gateway.call(f"/spend/logs?request_id={one['request_id']}")
        self.assertEqual((status, same), (200, one))
        self.assertEqual(len(self.done("spend", "calls", "--key", "of-blue").splitlines()), 2)

    def test_a_session_is_shown_call_by_call(self):
        table = self.done("sessions", "show", "s1", "--team", "red")
        self.assertIn("lives at m-0, 0 calls running", table)
        self.assertEqual(len(table.splitlines()), 2 + 1 + 3)
        self.assertIn("no session 's1'", self.refused("sessions", "show", "s1"))
        self.call("red", {"x-session-id": "s1", "x-claude-code-agent-id": "looker"})
        with_child = self.done("sessions", "show", "s1", "--team", "red").splitlines()
        self.assertEqual(with_child[len(table.splitlines()):][:2], ["", "sub-agent looker"])
        self.assertEqual(len(with_child), len(table.splitlines()) + 2 + 2 + 1 + 1)

    def test_only_the_master_key_reads_it(self):
        key = self.gateway.new_key()
        for path in ("/spend/logs", "/global/spend/report"):
            self.assertEqual(self.gateway.call(path, key=key)[0], 403)
            self.assertEqual(self.gateway.call(path, key=None)[0], 401)
        for path in ("/spend/logs?limit=0", "/spend/logs?summarize=maybe",
                     "/spend/logs?request_id=x", "/global/spend/report?start_date=soon"):
            status, _, body = self.gateway.call(path)
            self.assertEqual(status, 400, path)
            self.assertIn(path.split("?")[1].split("=")[0], body["error"]["message"])


class Mistakes(ManageTest):
    def test_are_told_in_a_line(self):
        self.done("teams", "create", "compilers")
        self.assertIn("no team 'compliers'; did you mean compilers?",
                      self.refused("teams", "show", "compliers"))
        self.assertIn("no key 'zzz'; brigada keys list shows them",
                      self.refused("keys", "delete", "zzz"))
        self.assertIn("--rpm wants a number or none, not 'many'",
                      self.refused("keys", "create", "k", "--rpm", "many"))
        self.assertIn("nothing to change", self.refused("teams", "update", "compilers"))
        self.assertIn("budget_duration", self.refused("teams", "update", "compilers",
                                                      "--budget-duration", "never"))
        code, _, err = self.tried("keys", "create", "k", "--set", "colour=red")
        self.assertEqual(code, 0)
        self.assertIn("warning: colour: has no effect here", err)

    def test_of_address_and_key(self):
        self.upstream.health_status = 404
        nowhere = f"http://127.0.0.1:{free_port()}"
        for url, key, part in (
                (nowhere, MASTER, f"no gateway answers at {nowhere}"),
                (self.url, "sk-nobody-has-this-one", "does not know the key in BRIGADA_MASTER_KEY"),
                (self.url, self.gateway.new_key(), "is not the master key"),
                (self.url, "", "no master key: put the gateway's into BRIGADA_MASTER_KEY"),
                ("ftp://x", MASTER, "the gateway's address"),
                (self.upstream.url, MASTER, "but not as a brigada gateway")):
            code, out, err = run("teams", "list", BRIGADA_URL=url, BRIGADA_MASTER_KEY=key)
            self.assertEqual((code, out, err.count("\n")), (1, "", 1), err)
            self.assertIn(part, err)
        code, out, _ = run("teams", "list", "--url", self.url, LITELLM_MASTER_KEY=MASTER)
        self.assertEqual((code, out), (0, "no teams\n"))


class Document(ManageTest):
    def test_every_documented_route_answers(self):
        status, _, document = self.gateway.call("/openapi.json", key=None)
        self.assertEqual((status, document["openapi"]), (200, "3.1.0"))
        routes = 0
        for path, methods in document["paths"].items():
            for method, about in methods.items():
                body = None if method == "get" else b"{}"
                real = path.replace("{key}", "x").replace("{session}", "x")
                status, _, answer = self.gateway.call(real, body, method=method.upper())
                self.assertNotIn("no such path", str(answer), path)
                self.assertNotIn(status, (405, 500), (path, answer))
                if about.get("security") != []:
                    self.assertEqual(self.gateway.call(real, body, None, method=method.upper())[0],
                                     401, path)
                routes += 1
        self.assertGreater(routes, 60)


class Doctor(ManageTest):
    def findings(self, *words):
        code, out, _ = run("doctor", "--config", self.gateway.config, "--json", *words)
        found = {}
        for finding in json.loads(out):
            found.setdefault((finding["check"], finding["verdict"]), []).append(finding)
        return code, found

    def here(self):
        return ("--listen", f"127.0.0.1:{self.gateway.port}",
                "--data", os.path.join(self.folder.name, "data"))

    def test_a_good_set_up_that_runs(self):
        self.upstream.models = ["up-m"]
        code, found = self.findings(*self.here())
        self.assertEqual(code, 0, found)
        self.assertNotIn("fault", {verdict for _, verdict in found})
        self.assertIn("a gateway runs here", str(found["listen", "ok"]))
        self.assertIn("has up-m", str(found["upstreams", "ok"]))
        self.assertIn("0 calls", str(found["stores", "ok"]))
        code, out, err = run("doctor", "--config", self.gateway.config, *self.here())
        self.assertEqual((code, err), (0, ""))
        self.assertRegex(out, r"(?m)^ok +clock|^warning +clock")

    def test_what_is_wrong_is_a_fault_with_what_mends_it(self):
        self.upstream.models = ["another"]
        code, found = self.findings(*self.here())
        self.assertEqual(code, 1)
        self.assertIn("has no model 'up-m'", str(found["upstreams", "fault"]))
        self.assertIn("another", found["upstreams", "fault"][0]["mend"])
        self.upstream.health_status = 401
        self.assertIn("refuses our key", str(self.findings(*self.here())[1]["upstreams", "fault"]))
        self.upstream.stop()
        self.assertIn("start it", str(self.findings(*self.here())[1]["upstreams", "fault"]))

        self.gateway.stop()
        data = os.path.join(self.folder.name, "data")
        os.rename(os.path.join(data, "pepper"), os.path.join(data, "salt"))
        with sqlite3.connect(os.path.join(data, "directory.db")) as store:
            store.execute("PRAGMA user_version = 99")
        _, found = self.findings(*self.here())
        self.assertIn("no key is known without it", str(found["data", "fault"]))
        self.assertIn("has version 99", str(found["stores", "fault"]))
        self.assertIn("is free", str(found["listen", "ok"]))

    def test_what_it_looks_at_it_does_not_make(self):
        data = os.path.join(self.folder.name, "none", "yet")
        _, found = self.findings("--data", data, "--listen", f"127.0.0.1:{self.gateway.port}")
        self.assertIn("will be made", str(found["data", "ok"]))
        self.assertIn("stop who has it", str(found["listen", "fault"]))
        self.assertFalse(os.path.exists(os.path.dirname(data)))

    def test_a_wrong_configuration_is_told_with_its_places(self):
        with open(self.gateway.config, "a", encoding="utf-8") as file:
            file.write("router_settings:\n  num_retries: many\n  cooldown_tme: 3\n")
        code, found = self.findings()
        self.assertEqual(code, 1)
        self.assertRegex(str(found["config", "fault"]), r"config\.yaml:\d+:\d+: .*num_retries")
        self.assertEqual({check for check, _ in found}, {"config"})
        code, out, err = run("doctor", "--config", os.path.join(self.folder.name, "absent.yaml"))
        self.assertEqual((code, err), (1, "brigada: 1 fault\n"))
        self.assertIn("absent.yaml", out)


if __name__ == "__main__":
    if len(sys.argv) > 1 and not sys.argv[1].startswith("-"):
        BINARY = sys.argv.pop(1)
    unittest.main(verbosity=2)
