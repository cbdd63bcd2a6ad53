"""zoekt: built from its source in the sample, given a tree of files, asked over HTTP."""

import http.client
import json
import shutil
import subprocess
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.exact.corpus import IndexedFile, Place
from scripts.local_service import free_address

PROGRAMS = ("zoekt-index", "zoekt-webserver")
_MOST_BYTES = 1 << 30  # of a file: as large as any that the service indexes
_MOST_MATCHES = 10**7
_MOST_NANOSECONDS = 600 * 10**9  # its own limit is seconds, after which it leaves shards out
_START_SECONDS = 60


class ZoektError(Exception):
    """zoekt cannot be built or does not answer."""


def build(source: Path, target: Path) -> Path:
    """Build the programs with Go, which fetches what they need by its module proxy."""
    go = shutil.which("go") or shutil.which("go", path="/usr/local/go/bin")
    if go is None:
        raise ZoektError("There is no Go to build zoekt with. Name its programs with --zoekt.")
    target.mkdir(parents=True, exist_ok=True)
    packages = [f"./cmd/{program}" for program in PROGRAMS]
    _run([go, "build", "-buildvcs=false", "-o", f"{target}/", *packages], directory=source)
    return target


def index(programs: Path, files: Iterable[IndexedFile], workspace: Path) -> Path:
    """Write the files as a tree of each project, and index these."""
    tree, target = workspace / "tree", workspace / "index"
    for directory in (tree, target):
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir(parents=True)
    for file in files:
        path = tree / file.project / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(file.content.encode())
    options = ["-index", str(target), "-disable_ctags", "-ignore_dirs", ""]
    limits = ["-file_limit", str(_MOST_BYTES), "-max_trigram_count", str(_MOST_BYTES)]
    for project in sorted(tree.iterdir()):
        _run([str(programs / "zoekt-index"), *options, *limits, str(project)], directory=tree)
    return target


@contextmanager
def running(programs: Path, index_directory: Path) -> Iterator["Zoekt"]:
    """Start the server, and end it."""
    address = free_address()
    command = [str(programs / "zoekt-webserver"), "-index", str(index_directory), "-rpc"]
    with (index_directory.parent / "zoekt.log").open("wb") as log:
        process = subprocess.Popen([*command, "-listen", address], stdout=log, stderr=log)
    try:
        zoekt = Zoekt(address)
        zoekt.wait_until_ready(process)
        yield zoekt
    finally:
        process.terminate()
        process.wait(timeout=60)


@dataclass(frozen=True, slots=True)
class Zoekt:
    """A client of one running server."""

    address: str

    def wait_until_ready(self, process: subprocess.Popen[bytes]) -> None:
        """Wait until the server answers. Raises ZoektError."""
        deadline = time.monotonic() + _START_SECONDS
        while process.poll() is None and time.monotonic() < deadline:
            try:
                self.ask("file:.", MaxDocDisplayCount=1)
            except OSError:
                time.sleep(0.1)
            else:
                return
        raise ZoektError("zoekt-webserver did not start.")

    def languages(self) -> dict[tuple[str, str], str]:
        """Return the language of every file, by project and path."""
        return {(one["Repository"], one["FileName"]): one["Language"] for one in self._all("f:.")}

    def lines(self, query: str) -> set[Place]:
        """Return every line that matches."""
        return {
            (file["Repository"], file["FileName"], line["LineNumber"])
            for file in self._all(query)
            for line in file.get("LineMatches") or ()
            if not line["FileName"]
        }

    def _all(self, query: str) -> list[dict[str, Any]]:
        most = {"ShardMaxMatchCount": _MOST_MATCHES, "TotalMaxMatchCount": _MOST_MATCHES}
        answer = json.loads(self.ask(query, MaxWallTime=_MOST_NANOSECONDS, **most))
        if "Result" not in answer:
            raise ZoektError(f"{query}: {answer}")
        return answer["Result"]["Files"] or []

    def ask(self, query: str, **options: int) -> bytes:
        """Return the answer to a search."""
        connection = http.client.HTTPConnection(self.address)
        try:
            return answer_of(connection, query, options)
        finally:
            connection.close()


def answer_of(connection: http.client.HTTPConnection, query: str, options: dict[str, int]) -> bytes:
    """Return the answer to a search over a connection that is kept."""
    body = json.dumps({"Q": query, "Opts": options})
    connection.request("POST", "/api/search", body, {"Content-Type": "application/json"})
    return connection.getresponse().read()


def _run(command: list[str], *, directory: Path) -> None:
    done = subprocess.run(command, cwd=directory, check=False, capture_output=True, text=True)
    if done.returncode:
        raise ZoektError(f"{' '.join(command[:3])} …:\n{done.stderr.strip()[-2000:]}")
