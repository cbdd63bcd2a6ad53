"""Limited child processes."""

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import IO

import psutil
import pytest

from central.onboarding import processes
from central.onboarding.processes import (
    ChildError,
    Limits,
    QuotaError,
    inherited_environment,
    run_child,
)
from indexer.process_group import INDEXING_MEMORY_BYTES
from tests.waiting import wait_until

ROOT = Path(__file__).resolve().parents[3]


def run(script: str, limits: Limits, stdin: IO[bytes] | None = None) -> tuple[bytes, str]:
    return run_child(
        [sys.executable, "-c", script],
        environment=inherited_environment(limits.directory),
        cwd=limits.directory,
        limits=limits,
        stdin=stdin,
    )


def limits_in(directory: Path, *, seconds: float = 60, max_bytes: int = 10**8) -> Limits:
    return Limits(directory, time.monotonic() + seconds, max_bytes)


def test_a_child_gets_its_input_and_its_output_is_returned(tmp_path: Path) -> None:
    with tempfile.TemporaryFile() as asked:
        asked.write(b"asked")
        asked.seek(0)
        out, err = run(
            "import sys; print(sys.stdin.read()); sys.stderr.write('noted')",
            limits_in(tmp_path),
            asked,
        )
    assert (out, err) == (b"asked\n", "noted")


def test_a_failed_child_is_reported_with_the_end_of_its_output(tmp_path: Path) -> None:
    script = "import sys; sys.stderr.write('x' * 200_000 + 'the end'); sys.exit(3)"
    with pytest.raises(ChildError) as caught:
        run(script, limits_in(tmp_path))
    assert caught.value.exit_code == 3
    assert str(caught.value).endswith("the end")
    assert len(str(caught.value)) == processes.BACKFILL_OUTPUT_BYTES


def test_a_child_sees_no_secret_of_the_service(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("SECRET_KEY", "DATABASE_URL", "AETERNA_GITHUB_TOKEN", "GITHUB_APP_PRIVATE_KEY"):
        monkeypatch.setenv(name, "leaked")
    out, _ = run("import os; print(dict(os.environ))", limits_in(tmp_path))
    assert b"leaked" not in out
    assert str(tmp_path).encode() in out  # HOME


def test_a_child_that_takes_too_long_is_ended_with_its_children(tmp_path: Path) -> None:
    script = (
        "import subprocess, sys, time, pathlib;"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']);"
        "pathlib.Path('pid').write_text(str(child.pid)); time.sleep(600)"
    )

    def end_when_started() -> None:
        if _text(tmp_path / "pid"):
            raise QuotaError("stopped")

    limits = Limits(tmp_path, time.monotonic() + 600, 10**8, beat=end_when_started)

    with pytest.raises(QuotaError, match="stopped"):
        run(script, limits)
    pid = int(_text(tmp_path / "pid"))
    wait_until(lambda: not _is_running(pid), "the child's child still runs")


def test_the_deadline_counts(tmp_path: Path) -> None:
    with pytest.raises(QuotaError, match="longer"):
        run("import time; time.sleep(600)", limits_in(tmp_path, seconds=-1))


def test_a_directory_beyond_its_quota_ends_the_child(tmp_path: Path) -> None:
    script = (
        "import time\n"
        "for number in range(3): open(str(number), 'wb').write(b'x' * 1_000_000)\n"
        "time.sleep(600)"
    )
    with pytest.raises(QuotaError, match="larger than 1 MiB"):
        run(script, limits_in(tmp_path, max_bytes=2 * 1024**2 - 1))


def test_a_file_beyond_the_quota_ends_the_child_at_once(tmp_path: Path) -> None:
    with pytest.raises(ChildError):
        run("open('a', 'wb').write(b'x' * 3_000_000)", limits_in(tmp_path, max_bytes=2_000_000))


def test_a_child_that_takes_too_much_memory_is_ended_and_the_limit_named(tmp_path: Path) -> None:
    """What it allocates, once it has its limit, is never written to."""
    script = (
        "import resource\n"
        "while resource.getrlimit(resource.RLIMIT_DATA)[0] == resource.RLIM_INFINITY: pass\n"
        f"bytearray({INDEXING_MEMORY_BYTES})"
    )
    with pytest.raises(QuotaError, match="needs more than 2,048 MiB of memory"):
        run(script, limits_in(tmp_path))


def test_all_of_a_childs_output_is_in_a_file_and_its_end_is_returned(tmp_path: Path) -> None:
    with tempfile.TemporaryFile() as output:
        end, _ = run_child(
            [sys.executable, "-c", "print('x' * 200_000 + 'the end')"],
            environment=inherited_environment(tmp_path),
            cwd=tmp_path,
            limits=limits_in(tmp_path),
            output=output,
        )
        assert output.tell() == len("x" * 200_000 + "the end\n")
    assert end.endswith(b"the end\n")
    assert len(end) == processes.BACKFILL_OUTPUT_BYTES


def test_a_child_ends_with_a_killed_parent(tmp_path: Path) -> None:
    script = f"""
import time, sys, pathlib
from central.onboarding.processes import Limits, run_child
child = "import os, pathlib, time; pathlib.Path('pid').write_text(str(os.getpid()));"
child += "time.sleep(600)"
directory = pathlib.Path({str(tmp_path)!r})
run_child([sys.executable, "-c", child], environment={{}}, cwd=directory,
          limits=Limits(directory, time.monotonic() + 600, 10**8))
"""
    parent = subprocess.Popen([sys.executable, "-c", script], cwd=ROOT)
    try:
        wait_until(lambda: bool(_text(tmp_path / "pid")), "the child did not start")
    finally:
        os.kill(parent.pid, signal.SIGKILL)
        parent.wait()
    pid = int(_text(tmp_path / "pid"))
    wait_until(lambda: not _is_running(pid), "the child outlives its parent")


def _text(path: Path) -> str:
    return path.read_text() if path.exists() else ""


def _is_running(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
