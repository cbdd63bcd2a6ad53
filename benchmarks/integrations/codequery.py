"""CodeQuery over 5,000 files, against a stand-in of OpenAI in a process of its own."""

import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from aeterna_code_search.integrations.codequery import CodeQuery
from aeterna_code_search.integrations.codequery.configuration import DiscoveryRules
from aeterna_code_search.integrations.codequery.discovery import discovered_files
from aeterna_code_search.integrations.codequery.hashes import local_files
from aeterna_code_search.integrations.codequery.retry import Deadline
from benchmarks.tables import Figure

FILES = 5_000
ROUNDS = 5
PROMISED_SECONDS = 2
MEGABYTES = (8, 64)  # of the same number of files
_SERVER = """
import sys, time
from tests.integrations.codequery.openai_server import openai_server
with openai_server() as server:
    print(server.url, flush=True)
    sys.stdin.read()
"""


def measure(workspace: Path) -> Iterator[Figure]:
    """Figures of a first call, of later ones without a change, and of hashing alone."""
    checkout = checkout_of(workspace / "checkout", files=FILES, file_bytes=2_000)
    with running_server() as url:
        environ = user(workspace, url)
        yield Figure("CodeQuery, first index of 5,000 files", seconds(environ, checkout), "s")
        later = [seconds(environ, checkout) for _ in range(ROUNDS)]
        yield Figure(
            "CodeQuery, re-index of 5,000 unchanged files, with the answer",
            statistics.median(later), "s", PROMISED_SECONDS,
        )  # fmt: skip
    small, large = (hashing_seconds(workspace, megabytes) for megabytes in MEGABYTES)
    yield Figure(f"CodeQuery, hashing {MEGABYTES[0]} MB", small, "s CPU")
    yield Figure(f"CodeQuery, hashing {MEGABYTES[1]} MB", large, "s CPU")
    # Linear would be 8, and quadratic 64; the rest is for a machine that does other things too.
    yield Figure("CodeQuery, hashing, 8 times the bytes", large / small, "times as long", 12)


def checkout_of(directory: Path, *, files: int, file_bytes: int) -> Path:
    """Python files with a `.gitignore`, a hundred in a directory."""
    line = "def name(value): return value  # a line of code\n"
    for number in range(files):
        path = directory / f"package{number // 100}/module{number}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"# {number}\n{line * (file_bytes // len(line))}")
    (directory / ".gitignore").write_text("*.log\n/out/\n**/tmp/*.py\n")
    return directory


def seconds(environ: dict[str, str], checkout: Path) -> float:
    """Of one whole call."""
    started = time.perf_counter()
    answer = CodeQuery(
        query="module", environ=environ, directory=checkout, timeout_ms=600_000, concurrent_limit=20
    )
    assert answer["status"] == "ok", answer
    assert answer["indexed_count"] + answer["skipped_count"] == FILES + 1
    return time.perf_counter() - started


def hashing_seconds(workspace: Path, megabytes: int) -> float:
    """Of the processor; the least of three, each with an empty cache."""
    files = 400
    checkout = checkout_of(
        workspace / f"{megabytes}", files=files, file_bytes=megabytes * 1_000_000 // files
    )
    deadline = Deadline(600_000)
    taken = []
    for number in range(3):
        found = discovered_files(checkout, DiscoveryRules(), {}, deadline)
        started = time.process_time()
        local_files(checkout, found, workspace / f"{megabytes}.{number}.json", deadline)
        taken.append(time.process_time() - started)
    return min(taken)


def user(workspace: Path, url: str) -> dict[str, str]:
    """Whose settings switch it on."""
    settings = workspace / "settings.toml"
    settings.write_text("[codequery]\nenabled = true\n")
    return {
        "HOME": str(workspace / "home"),
        "CODESEARCH_CONFIG": str(settings),
        "OPENAI_API_KEY": "sk-test-0123456789abcdef",
        "OPENAI_BASE_URL": url,
    }


@contextmanager
def running_server() -> Iterator[str]:
    """The stand-in's address; it ends with its input."""
    with subprocess.Popen(
        [sys.executable, "-c", _SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin
        assert process.stdout
        yield process.stdout.readline().strip()
        process.stdin.close()
