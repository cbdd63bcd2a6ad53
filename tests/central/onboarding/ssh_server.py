"""A real sshd of this account: one host key, one key that may log in, nothing of the machine's."""

import getpass
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

_SECONDS = 60


@dataclass(frozen=True)
class SshServer:
    """Where it listens, and the files of its client."""

    port: int
    user: str
    key: Path
    known_hosts: Path

    def url(self, repository: Path, host: str = "localhost") -> str:
        return f"ssh://{self.user}@{host}:{self.port}{repository}"


def new_key(path: Path) -> Path:
    """A private key without a passphrase; the public one is beside it."""
    command = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "test", "-f", str(path)]
    subprocess.run(command, check=True)
    return path


@contextmanager
def ssh_server(directory: Path) -> Iterator[SshServer]:
    """A server at localhost, until the block is over."""
    directory.mkdir()
    host_key, key = new_key(directory / "host"), new_key(directory / "client")
    authorized = directory / "authorized_keys"
    authorized.write_text(key.with_suffix(".pub").read_text())
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)  # sshd's own, which its package's service makes
    port = _free_port()
    configuration = directory / "sshd_config"
    options = {
        "HostKey": host_key,
        "AuthorizedKeysFile": authorized,
        "PidFile": directory / "pid",
        "StrictModes": "no",
        "UsePAM": "no",
        "PasswordAuthentication": "no",
        "KbdInteractiveAuthentication": "no",
        "PermitRootLogin": "prohibit-password",
        "AcceptEnv": "GIT_PROTOCOL",
    }
    listening = [f"ListenAddress {ip}:{port}\n" for ip in ("127.0.0.1", "[::1]")]
    lines = [f"{name} {value}\n" for name, value in options.items()]
    configuration.write_text("".join((*listening, *lines)))
    known_hosts = directory / "known_hosts"
    public = host_key.with_suffix(".pub").read_text()
    known_hosts.write_text(f"[localhost]:{port} {public}")
    log = directory / "log"
    with log.open("wb") as file:
        server = subprocess.Popen(  # sshd wants its own path to be absolute
            [shutil.which("sshd") or "", "-D", "-e", "-f", str(configuration)], stderr=file
        )
        try:
            _wait_until_listening(server, port, log)
            yield SshServer(port, getpass.getuser(), key, known_hosts)
        finally:
            server.terminate()
            server.wait(_SECONDS)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_until_listening(server: "subprocess.Popen[bytes]", port: int, log: Path) -> None:
    deadline = time.monotonic() + _SECONDS
    while time.monotonic() < deadline:
        assert server.poll() is None, log.read_text()
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.02)
        else:
            return
    raise AssertionError(f"sshd does not listen: {log.read_text()}")
