"""Limited child processes of a backfill: git and the indexer.

A child's environment has only what is listed here. It ends with this process, even after SIGKILL,
at its deadline, and when its directory exceeds its quota.
"""

import os
import re
import resource
import subprocess
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final

from indexer.process_group import INDEXING_MEMORY_BYTES, ProcessGroup, limit_memory, read_end

BACKFILL_OUTPUT_BYTES: Final = 65_536  # of a git or indexer process that are read
# Paths, proxies and certificate authorities; no secret of the service.
_INHERITED: Final = (
    "PATH", "LANG", "LC_ALL", "TZ", "TMPDIR", "LD_LIBRARY_PATH", "PYTHONPATH",
    "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy",
    "SSL_CERT_FILE", "SSL_CERT_DIR", "GIT_SSL_CAINFO", "GIT_SSL_CAPATH",
    "AETERNA_MODELS_DIR", "AETERNA_RETRY_SECONDS", "OPENAI_BASE_URL", "OLLAMA_URL",
)  # fmt: skip
_POLL_SECONDS: Final = 0.05
_MEASURE_SECONDS: Final = 1.0
_BLOCK: Final = 512
# As git and Python report it.
_OUT_OF_MEMORY: Final = re.compile(r"^(fatal: Out of memory|MemoryError)", re.MULTILINE)


class ChildError(Exception):
    """A child failed; the message is the end of its output. A signal's `exit_code` is negative."""

    def __init__(self, message: str, *, exit_code: int = 0) -> None:
        super().__init__(message)
        self.exit_code = exit_code


class QuotaError(Exception):
    """A child exceeded its time, its disk space or its memory; the message says which."""


@dataclass(frozen=True, slots=True)
class Limits:
    """The end of all of a job's children by the monotonic clock, and the space of its directory.

    `beat` is called about once a second and may raise, which ends the child.
    """

    directory: Path
    deadline: float
    max_bytes: int
    beat: Callable[[], None] = field(default=lambda: None)


def inherited_environment(home: Path) -> dict[str, str]:
    """Return what a child gets of this process's environment, with a home of its own."""
    kept = {name: os.environ[name] for name in _INHERITED if name in os.environ}  # noqa: TID251
    return {**kept, "HOME": str(home)}


def run_child(
    command: Sequence[str], *, environment: Mapping[str, str], cwd: Path, limits: Limits,
    stdin: IO[bytes] | None = None, output: IO[bytes] | None = None,
) -> tuple[bytes, str]:  # fmt: skip
    """Return the end of a child's standard output, and of its error output.

    `stdin` and `output` are files, for input and for all of standard output. Raises ChildError,
    QuotaError.
    """
    group = ProcessGroup()
    with (
        tempfile.TemporaryFile(dir=limits.directory) as out,
        tempfile.TemporaryFile(dir=limits.directory) as err,
    ):
        try:
            child = subprocess.Popen(  # noqa: S603 - no shell; arguments are checked addresses
                list(command), cwd=cwd, env=dict(environment), stdin=stdin or subprocess.DEVNULL,
                stdout=output or out, stderr=err, process_group=group.number(),
            )  # fmt: skip
            _limit(child.pid, limits.max_bytes)
            code = _wait(child, limits)
        finally:
            group.end()
        printed = read_end(output or out, BACKFILL_OUTPUT_BYTES)
        problem = read_end(err, BACKFILL_OUTPUT_BYTES).decode(errors="replace")
    if code and _OUT_OF_MEMORY.search(problem):
        raise QuotaError(f"It needs more than {INDEXING_MEMORY_BYTES // 1024**2:,} MiB of memory.")
    if code:
        raise ChildError(problem, exit_code=code)
    return printed, problem


def _limit(pid: int, max_bytes: int) -> None:
    """Limit memory and the size of a file, and yield to the service's own work."""
    limit_memory(pid)
    try:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (max_bytes, max_bytes))
        resource.prlimit(pid, resource.RLIMIT_CORE, (0, 0))
        os.setpriority(os.PRIO_PROCESS, pid, 10)
    except (ProcessLookupError, AttributeError):  # it has ended; no Linux
        return


def _wait(child: "subprocess.Popen[bytes]", limits: Limits) -> int:
    measured_at = time.monotonic()
    try:
        while True:
            try:
                return child.wait(_POLL_SECONDS)
            except subprocess.TimeoutExpired:
                now = time.monotonic()
            if now > limits.deadline:
                raise QuotaError("It took longer than a repository may.")
            if now - measured_at >= _MEASURE_SECONDS:
                _check_space(limits)
                limits.beat()
                measured_at = now
    except BaseException:
        child.kill()
        child.wait()
        raise


def _check_space(limits: Limits) -> None:
    if used_bytes(limits.directory) > limits.max_bytes:
        raise QuotaError(f"Its clone is larger than {limits.max_bytes // 1024**2:,} MiB.")


def used_bytes(directory: Path) -> int:
    """Return the disk space of a directory, whose files may vanish meanwhile."""
    total = 0
    for root, _, names in os.walk(directory):
        for name in names:
            try:
                total += Path(root, name).lstat().st_blocks * _BLOCK
            except FileNotFoundError:
                continue
    return total
