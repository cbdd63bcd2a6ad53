"""Clients of a service that dies: they change, push and index repositories, and ask."""

import json
import signal
import subprocess
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from itertools import cycle
from pathlib import Path
from random import Random
from typing import Any

import httpx

from scripts.local_git import git
from scripts.local_service import Organization, authorities
from tests.e2e.histories import ENCODINGS, Branch, random_step

_QUERIES = ("compute total factor", "def one", "class Two run", "plain words", "marked")
_PAUSE_SECONDS = 0.05
_ANSWER_SECONDS = 60
_INDEX_SECONDS = 300
_ABORT_SECONDS = 30
_UNAVAILABLE = {httpx.codes.SERVICE_UNAVAILABLE, httpx.codes.TOO_MANY_REQUESTS}


class CampaignError(Exception):
    """Something was lost, or an answer was wrong."""


class Client(threading.Thread):
    """Works in a thread of its own until `finish`, or until it meets a problem."""

    def __init__(self, name: str) -> None:
        super().__init__(name=name, daemon=True)
        self.problem = ""
        self._stopping = threading.Event()

    def run(self) -> None:
        """Repeat the work."""
        try:
            while not self._stopping.is_set():
                self._work()
        except Exception as exc:  # noqa: BLE001 (whatever it is, the campaign reports it)
            self.problem = f"{self.name}: {type(exc).__name__}: {exc}"

    def finish(self) -> None:
        """Let the present work be the last; do not wait."""
        self._stopping.set()

    def _work(self) -> None:
        raise NotImplementedError


class Developer(Client):
    """Pushes to one repository and indexes each push with the real indexer."""

    def __init__(
        self,
        acme: Organization,
        path: Path,
        *,
        seed: int,
        files: int,
        environment: Mapping[str, str],
        may_fail: bool = False,
    ) -> None:
        super().__init__(path.name)
        self._environment = {"AETERNA_RETRY_SECONDS": "120", **environment}
        self.project = path.name
        self.branch = Branch.begin(path)
        self.pushed: set[str] = set()
        self.indexed = 0
        self.index_began = 0.0  # the last that succeeded
        self.failures = 0  # of the indexer, where it may fail
        self._acme = acme
        self._random = Random(f"{seed}/{path.name}")  # noqa: S311 (a seed repeats it)
        self._files = files
        self._may_fail = may_fail
        self._process: subprocess.Popen[str] | None = None
        self._killed: subprocess.Popen[str] | None = None

    @property
    def head(self) -> str:
        """The commit that the branch is at."""
        return git(self.branch.path, "rev-parse", "HEAD")

    def kill_indexer(self) -> bool:
        """Kill the indexer, if it runs."""
        process = self._process
        if process is None or process.poll() is not None:
            return False
        self._killed = process
        process.send_signal(signal.SIGKILL)
        return True

    def _work(self) -> None:
        self._push()
        self._index()

    def _push(self) -> None:
        for _ in range(self._random.randint(1, 3)):
            random_step(self._random)(self.branch)
        number, count = self._random.randrange(1000), self._random.randint(1, self._files)
        for at in range(count):
            self.branch.write(f"src/module_{at}.py", _functions(number, at).encode())
        self.branch.commit(f"Rewrite {count} modules")
        self.pushed.add(self.head)

    def _index(self) -> None:
        while True:
            began = time.monotonic()
            process = self._acme.start_index(
                self.branch.path, self.project, environment=self._environment
            )
            self._process = process
            errors = _errors_at_end(process)
            if process.returncode == 0:
                self.indexed += 1
                self.index_began = began
                return
            if self._may_fail:
                self.failures += 1
                self._stopping.wait(1)
            elif process is not self._killed:
                raise CampaignError(f"the indexer ended with {process.returncode}:\n{errors}")


def _errors_at_end(process: subprocess.Popen[str]) -> str:
    """Wait for an indexer. Raises CampaignError, with its stacks, if it does not end."""
    try:
        return process.communicate(timeout=_INDEX_SECONDS)[1]
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGABRT)
        errors = process.communicate(timeout=_ABORT_SECONDS)[1]
        raise CampaignError(f"no end of the indexer in {_INDEX_SECONDS} s:\n{errors}") from None


def _functions(number: int, at: int) -> str:
    body = "".join(f"    total += {n} * factor_{n}\n" for n in range(20))
    return "".join(
        f"def compute_{number}_{at}_{k}(total):\n{body}    return total\n\n\n" for k in range(4)
    )


class Searcher(Client):
    """Searches all the time and compares each answer with git."""

    def __init__(self, acme: Organization, developers: list[Developer]) -> None:
        super().__init__("searcher")
        self.questions = 0  # also those without an answer
        self.refused = 0
        self.answered_at = 0.0  # when the last question with an answer was asked
        self._acme = acme
        self._developers = cycle(developers)
        self._queries = cycle(_QUERIES)
        self._files: dict[tuple[str, str, str], list[list[str]]] = {}

    def _work(self) -> None:
        if not self._stopping.wait(_PAUSE_SECONDS):
            self._ask(next(self._developers), next(self._queries))

    def _ask(self, developer: Developer, query: str) -> None:
        began = time.monotonic()
        try:
            response = httpx.post(
                f"{self._acme.service.url}/api/v1/search",
                headers={"Authorization": f"Bearer {self._acme.token}"},
                json={
                    "org_id": self._acme.slug,
                    "query": query,
                    "include_projects": [developer.project],
                },
                timeout=_ANSWER_SECONDS,
                verify=authorities(),
            )
        except httpx.TransportError:
            self.refused += 1
            return
        finally:
            self.questions += 1
        if response.status_code in _UNAVAILABLE:
            self.refused += 1
        elif response.status_code == httpx.codes.OK:
            self._check(developer, response.json())
            self.answered_at = began
        elif response.json().get("code") != "project_not_found" or developer.indexed:
            raise CampaignError(
                f"a search was answered with {response.status_code}: {response.text}"
            )

    def _check(self, developer: Developer, answer: dict[str, Any]) -> None:
        """Check that what is shown is what git has at the commit that the answer names."""
        for result in answer["results"]:
            commit, file = result["commit"], result["file"]
            if commit not in developer.pushed:
                raise CampaignError(f"{developer.project}: {commit} was never pushed")
            first = result["content_start_line"] - 1
            shown = result["content"].splitlines()
            texts = self._texts(developer, commit, file)
            if not result["truncated"] and not any(
                lines[first : first + len(shown)] == shown for lines in texts
            ):
                raise CampaignError(
                    f"{developer.project}: {file} at {commit} is not what the answer shows:\n"
                    f"{json.dumps(result)}"
                )

    def _texts(self, developer: Developer, commit: str, file: str) -> list[list[str]]:
        """Return a file's lines in each encoding that may be declared for it."""
        key = (developer.project, commit, file)
        if key not in self._files:
            show = ["git", "-C", developer.branch.path, "show", f"{commit}:{file}"]
            content = subprocess.run(show, check=True, capture_output=True).stdout
            self._files[key] = []
            for encoding in ENCODINGS:
                with suppress(UnicodeDecodeError):
                    self._files[key].append(content.decode(encoding).splitlines())
        return self._files[key]
