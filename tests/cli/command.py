"""`codesearch` in a process of its own, as a person starts it."""

import atexit
import json
import socket
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from scripts.local_service import ROOT, clean_environment

PROGRAM = [sys.executable, "-m", "aeterna_code_search.cli"]
SECONDS = 120


def codesearch(
    *arguments: str | Path,
    directory: Path,
    environ: Mapping[str, str],
    given: str = "",
    text: bool = True,
) -> subprocess.CompletedProcess[Any]:
    """Run it to its end in `directory`; of the product's variables only `environ` is set.

    `given` is its standard input. Without `text`, output is bytes. The process is the fork of one
    that has imported the command: most of what a command takes is the time of its imports. PROGRAM
    starts it without.
    """
    words = list(map(str, arguments))
    asked = {"arguments": words, "directory": str(directory), "environ": clean_environment(environ)}
    with TemporaryFile() as typed, TemporaryFile() as output, TemporaryFile() as errors:
        typed.write(given.encode())
        typed.seek(0)
        forks = _forks()
        streams = [file.fileno() for file in (typed, output, errors)]
        socket.send_fds(forks, [json.dumps(asked).encode()], streams)
        try:
            code = int(forks.recv(16))
        except TimeoutError:
            forks.close()
            _forks.cache_clear()
            raise
        written = []
        for file in (output, errors):
            file.seek(0)
            written.append(file.read())
    printed = [piece.decode().replace("\r\n", "\n") for piece in written] if text else written
    return subprocess.CompletedProcess([*PROGRAM, *words], code, *printed)


@cache
def _forks() -> socket.socket:
    """Start the process that is forked; it ends when its connection does."""
    own, its = socket.socketpair(type=socket.SOCK_SEQPACKET)
    own.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1_000_000)
    own.settimeout(SECONDS)
    with its:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.cli.forks", str(its.fileno())],
            cwd=ROOT,
            env=clean_environment({}),
            stdin=subprocess.DEVNULL,
            pass_fds=[its.fileno()],
        )

    def end() -> None:
        own.close()
        process.wait(timeout=SECONDS)

    atexit.register(end)
    return own
