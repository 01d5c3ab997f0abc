"""TLS to the target: trusted, expired, unknown, mutual, rotated; and TLS on the sidecar's own port."""

from __future__ import annotations

import socket
import ssl
import subprocess
import threading
import urllib.request
from dataclasses import dataclass
from pathlib import Path

import pytest

from obs.adapters.sidecar.client import Outcome
from tests.sidecar.hostile import GOOD, HostileServer, response, says
from tests.sidecar.process import Running, eventually
from tests.sidecar.watched import look
from tests.tools import require

pytestmark = pytest.mark.tools


@dataclass(frozen=True)
class Authority:
    """A certificate authority in a folder, and what it signed."""

    folder: Path
    openssl: str

    @property
    def certificate(self) -> Path:
        """The authority's own certificate."""
        return self.folder / "ca.pem"

    def run(self, *arguments: str) -> None:
        """Run openssl in the folder."""
        subprocess.run([self.openssl, *arguments], cwd=self.folder, check=True, capture_output=True)

    def sign(self, name: str, *, days: int = 2) -> tuple[Path, Path]:
        """A certificate for 127.0.0.1 and its key; negative days make it expired."""
        key, certificate = self.folder / f"{name}.key", self.folder / f"{name}.pem"
        self.run(
            "req",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-keyout",
            key.name,
            "-out",
            "r.csr",
            "-subj",
            f"/CN={name}",
        )
        (self.folder / "san.cnf").write_text("subjectAltName=IP:127.0.0.1\n")
        validity = ["-days", str(days)]
        if days < 0:
            validity = ["-not_before", "20200101000000Z", "-not_after", "20200102000000Z"]
        signed = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", "san.cnf"]
        try:
            self.run("x509", "-req", "-in", "r.csr", *signed, "-out", certificate.name, *validity)
        except subprocess.CalledProcessError:
            # openssl before 3.4 cannot date a certificate in `x509`: `ca` can.
            self._dated(certificate)
        return certificate, key

    def _dated(self, certificate: Path) -> None:
        (self.folder / "index.txt").write_text("")
        (self.folder / "ca.cnf").write_text(
            "[ca]\ndefault_ca=d\n[d]\ndatabase=index.txt\nserial=ca.srl\nnew_certs_dir=.\ndefault_md=sha256\n"
            "policy=p\n[p]\ncommonName=supplied\n"
        )
        dates = ["-startdate", "20200101000000Z", "-enddate", "20200102000000Z"]
        self.run("ca", "-batch", "-config", "ca.cnf", "-cert", "ca.pem", "-keyfile", "ca.key", "-in", "r.csr",
                 "-out", certificate.name, "-extfile", "san.cnf", "-notext", *dates)  # fmt: skip


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    """An authority that nobody trusts by default."""
    made = Authority(tmp_path_factory.mktemp("ca"), require("openssl"))
    made.run("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "ca.key", "-out", "ca.pem", "-days", "2",
             "-subj", "/CN=test authority", "-addext", "keyUsage=critical,keyCertSign")  # fmt: skip
    (made.folder / "ca.srl").write_text("1000\n")
    return made


def served(certificate: Path, key: Path, client_authority: Path | None = None) -> HostileServer:
    """A sound target behind TLS; with an authority it asks for a client certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    if client_authority is not None:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(client_authority)
    return HostileServer({"metrics": says(response(GOOD))}, context)


PATIENT = {"interval": "20s", "timeout": "20s"}


def test_a_trusted_certificate(authority: Authority) -> None:
    """With the authority the target is scraped, without it the outcome is `tls`."""
    with served(*authority.sign("agent")) as server:
        assert look(server.url("metrics"), ca=authority.certificate, **PATIENT).outcome is Outcome.OK
        untrusted = look(server.url("metrics"), **PATIENT)
    assert (untrusted.outcome, untrusted.verdict) == (Outcome.TLS, None)


def test_an_expired_certificate(authority: Authority) -> None:
    """What is expired is not trusted, and the reason is named."""
    with served(*authority.sign("old", days=-1)) as server:
        state = look(server.url("metrics"), ca=authority.certificate, **PATIENT)
    assert state.outcome is Outcome.TLS
    assert "expired" in state.detail


def test_a_wrong_name(authority: Authority) -> None:
    """A certificate is for a host: another name is refused."""
    with served(*authority.sign("agent")) as server:
        url = server.url("metrics").replace("127.0.0.1", "localhost")
        assert look(url, ca=authority.certificate, **PATIENT).outcome is Outcome.TLS


def test_plain_http_behind_https(authority: Authority) -> None:
    """A target that speaks no TLS at all is a matter of TLS too."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer() -> None:
            client, _ = listener.accept()
            with client:
                client.recv(1000)
                client.sendall(response(GOOD, status="400 Bad Request"))

        thread = threading.Thread(target=answer)
        thread.start()
        url = f"https://127.0.0.1:{listener.getsockname()[1]}/metrics"
        assert look(url, ca=authority.certificate, **PATIENT).outcome is Outcome.TLS
        thread.join()


def test_mutual_tls(authority: Authority) -> None:
    """A target that asks for a client certificate gets the one that is configured."""
    certificate, key = authority.sign("agent")
    mine, my_key = authority.sign("sidecar")
    with served(certificate, key, authority.certificate) as server:
        with_one = look(server.url("metrics"), ca=authority.certificate, cert=mine, key=my_key, **PATIENT)
        without = look(server.url("metrics"), ca=authority.certificate, **PATIENT)
    assert with_one.outcome is Outcome.OK
    assert without.outcome in {Outcome.TLS, Outcome.REFUSED, Outcome.PARSE}


def test_a_file_that_is_no_certificate(authority: Authority, tmp_path: Path) -> None:
    """The authority's file is wrong: the outcome says that it is about TLS, and the process goes on."""
    (tmp_path / "ca.pem").write_text("not a certificate")
    with served(*authority.sign("agent")) as server:
        state = look(server.url("metrics"), ca=tmp_path / "ca.pem", **PATIENT)
    assert state.outcome is Outcome.TLS


def test_its_own_port_speaks_tls(authority: Authority) -> None:
    """With a certificate of its own the sidecar serves https and nothing else."""
    certificate, key = authority.sign("own")
    flags = ("--target", "127.0.0.1:1", "--listen-cert", str(certificate), "--listen-key", str(key))
    with Running(*flags) as sidecar:
        context = ssl.create_default_context(cafile=str(authority.certificate))

        def healthy() -> bool:
            with urllib.request.urlopen(
                f"https://{sidecar.address}/healthz", context=context, timeout=20
            ) as answer:
                return bool(answer.read() == b"ok\n")

        eventually(healthy, "it answers")


def test_a_certificate_that_cannot_be_used_is_exit_2(tmp_path: Path) -> None:
    """The listener's own files are part of the configuration."""
    (tmp_path / "bad.pem").write_text("no")
    flags = (
        "--target",
        "127.0.0.1:1",
        "--listen-cert",
        str(tmp_path / "bad.pem"),
        "--listen-key",
        str(tmp_path / "x"),
    )
    command = Running.command(*flags)
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 2
    assert "cannot be used for TLS" in done.stderr
