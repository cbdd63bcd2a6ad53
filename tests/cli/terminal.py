"""`codesearch` in a terminal: a pseudo-terminal of some width, and what it was sent."""

import fcntl
import os
import pty
import struct
import subprocess
import termios
from collections.abc import Mapping
from pathlib import Path

from scripts.local_service import clean_environment
from tests.cli.command import PROGRAM


def in_terminal(
    *arguments: str,
    directory: Path,
    environ: Mapping[str, str],
    columns: int = 100,
    typed: str = "",
) -> tuple[int, str]:
    """Run it to its end; the exit code, and everything that the terminal was sent.

    `typed` is there when it begins to read.
    """
    own, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    variables = clean_environment({"TERM": "xterm-256color", **environ})
    for name in ("COLUMNS", "LINES"):
        variables.pop(name, None)
    process = subprocess.Popen(
        [*PROGRAM, *arguments],
        cwd=directory,
        env=variables,
        stdin=its,
        stdout=its,
        stderr=its,
        start_new_session=True,
    )
    os.close(its)
    os.write(own, typed.encode())
    sent = _everything(own)
    os.close(own)
    return process.wait(timeout=60), sent.decode().replace("\r\n", "\n")


def _everything(own: int) -> bytes:
    sent = b""
    while True:
        try:
            piece = os.read(own, 65_536)
        except OSError:  # the other end is closed: Linux says EIO
            return sent
        if not piece:
            return sent
        sent += piece
