"""What a service is asked so that it sends each of its statements."""

import itertools
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx

from benchmarks.plans.population import LARGE
from scripts.browsing import create_person, signed_in
from scripts.local_git import commit_all
from scripts.local_service import Organization, Service, ServiceError

MODES = ("hybrid", "semantic", "lexical", "symbol")
QUERIES = ("get", "get_queryset", "AsyncResult", "retry a task with exponential back-off", "value")
FILTERS: tuple[Mapping[str, Any], ...] = (
    {},
    {"path": "hypothesis"},
    {"path": "celery/app/task.py", "expand": 3},
    {"path": "nothing.py"},
    {"language": "python", "chunk_type": "function"},
    {"language": "rust"},
    {"exclude": "celery|hypothesis|lap"},
    {"include_projects": ["tiny-7"]},
    {"exclude_projects": [LARGE]},
    {"min_similarity": 0.6},
)
SYMBOLS = ("get", "__init__", "AsyncResult", "apply_async", "Task.apply_async", "celery:Celery")
PERSON = "ada"
ADMIN = (
    *("repositories/repository", "ingest/indexrun", "ingest/delivery", "tenancy/organization"),
    *("tenancy/membership", "tenancy/apitoken", "tenancy/auditentry", "github/githubpolicy"),
    *("github/githubdelivery", "auth/user"),
)
COMMANDS = (("reconcile", "--check"), ("list_tokens",))


def ask_everything(service: Service, acme: Organization, repository: Path) -> None:
    """Each kind of question often enough that a plan for all parameters would be made."""
    for mode, query, narrowed in itertools.product(MODES, QUERIES, FILTERS):
        acme.search(query, mode=mode, explain=True, **narrowed)
    acme.post("search", queries=list(QUERIES), limit=50)
    for symbol, kind in itertools.product(SYMBOLS, ("callers", "callees", "graph")):
        acme.get(f"trace/{kind}", symbol=symbol)
        acme.get(f"trace/{kind}", symbol=symbol, min_confidence="low", project=LARGE)
    acme.get("trace/calls")
    with_unknown_symbol(acme)
    acme.post(
        "trace/impact", project=LARGE, files=[{"path": "celery/app/task.py", "lines": [[1, 900]]}]
    )
    acme.get("index/status")
    acme.get("index/status", project="tiny-7")
    pages(service)
    change(repository)
    acme.index(repository, LARGE)
    acme.index(repository, LARGE, "--mode", "full")
    acme.index(repository, LARGE, "--mode", "force")
    acme.index(repository, "another")
    for command in COMMANDS:
        service.manage(*command, check=False)


def with_unknown_symbol(acme: Organization) -> None:
    """Near names are read for it."""
    try:
        acme.get("trace/callers", symbol="get_quersyet")
    except httpx.HTTPStatusError as exc:
        if exc.response.status_code != httpx.codes.NOT_FOUND:
            raise


def change(repository: Path) -> None:
    """A commit of three changed files, one of them gone."""
    first, second, gone = sorted(repository.glob("celery/app/*.py"))[:3]
    for file in (first, second):
        file.write_text(file.read_text() + "\n\ndef added_since():\n    return get()\n")
    gone.unlink()
    commit_all(repository, "A change")


def pages(service: Service) -> None:
    """Each page of the organisation and of the admin."""
    create_person(service, PERSON, "--organization", "acme", "--superuser")
    with signed_in(service, PERSON) as browser:
        for path in addresses():
            answer = browser.get(path)
            if answer.status_code >= httpx.codes.INTERNAL_SERVER_ERROR:
                raise ServiceError(f"{path}: {answer.status_code}")


def addresses() -> Iterator[str]:
    """Pages that read the index, then the admin's lists."""
    yield "/o/acme/?q=get+a+value"
    yield "/o/acme/repositories"
    yield "/o/acme/repositories?q=tiny&state=current"
    yield f"/o/acme/r/{LARGE}"
    yield f"/o/acme/r/{LARGE}/file/celery/app/task.py"
    yield "/o/acme/symbol?name=AsyncResult"
    yield "/o/acme/graph?name=AsyncResult"
    yield "/admin/"
    for model in ADMIN:
        yield f"/admin/{model}/"
        yield f"/admin/{model}/?q=tiny-7"
