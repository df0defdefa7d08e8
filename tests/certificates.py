"""Certificates for tests, by the openssl program: an authority, what it signs, and a test with one."""
import contextlib
import os
import ssl
import subprocess
import tempfile
import unittest


def run_openssl(*arguments):
    subprocess.run(["openssl", *arguments], check=True, capture_output=True)


class Authority:
    """A certificate authority; `file` is its certificate."""

    def __init__(self, folder, name="authority"):
        self.folder = folder
        self.file = os.path.join(folder, f"{name}.pem")
        self.key = os.path.join(folder, f"{name}.key")
        run_openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                    "-keyout", self.key, "-out", self.file, "-days", "1", "-subj", f"/CN={name}")

    def issue(self, name, names="DNS:localhost,IP:127.0.0.1"):
        """A certificate and its key in one file."""
        path = os.path.join(self.folder, f"{name}.pem")
        request = path + ".csr"
        extensions = path + ".ext"
        with open(extensions, "w", encoding="utf-8") as file:
            file.write(f"subjectAltName={names}\n")
        run_openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                    "-keyout", path + ".key", "-out", request, "-subj", f"/CN={name}")
        run_openssl("x509", "-req", "-in", request, "-CA", self.file, "-CAkey", self.key,
                    "-CAcreateserial", "-out", path, "-days", "1", "-extfile", extensions)
        with open(path, "a", encoding="utf-8") as out, open(path + ".key", encoding="utf-8") as key:
            out.write(key.read())
        return path

    def server(self, name="server", **issue):
        """What a TLS server of Python needs."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.issue(name, **issue))
        return context


class CertifiedTest(unittest.TestCase):
    """Tests of one authority; each has its own `folder`, and a `stack` of what is to be closed."""

    @classmethod
    def setUpClass(cls):
        cls.certificates = tempfile.TemporaryDirectory()
        cls.authority = Authority(cls.certificates.name)

    @classmethod
    def tearDownClass(cls):
        cls.certificates.cleanup()

    def setUp(self):
        self.stack = contextlib.ExitStack()
        self.addCleanup(self.stack.close)
        self.folder = self.stack.enter_context(tempfile.TemporaryDirectory())
