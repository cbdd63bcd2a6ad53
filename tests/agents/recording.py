"""Records answers of a real service on the example organisation for these tests.

`python -m tests.agents.recording` writes `data/*.json` anew (about a minute). Times that differ
from run to run are recorded as they were.
"""

import json
from pathlib import Path
from typing import Any

import httpx

from scripts.examples import example_repositories, index_all
from scripts.local_service import Organization, running_service, temporary_workspace

DATA = Path(__file__).resolve().parent / "data"
PROJECTS = ("auth-service", "billing-service", "common-utils", "payments-api")


def main() -> None:
    """Index a part of the organisation and ask it what the tests need."""
    with (
        temporary_workspace("aeterna-recording-") as workspace,
        running_service(workspace / "data") as service,
    ):
        acme = Organization(service, "acme", service.create_organization("acme"))
        empty = Organization(service, "empty", service.create_organization("empty"))
        keep("search_of_nothing", empty.search("verify a token"))
        keep("status_of_nothing", empty.get("index/status"))
        repositories = example_repositories(workspace / "git")
        index_all(acme, {name: repositories[name] for name in PROJECTS})
        open_and_abandon(acme, "support-desk")
        record(acme)


def record(acme: Organization) -> None:
    """Every answer that the tests use."""
    keep("search", acme.search("verify a JWT", limit=5))
    keep("search_expanded", acme.search("AuthMiddleware", limit=2, expand=3))
    keep("search_empty", acme.search("verify a JWT", path="no/such/folder"))
    keep("search_of_unknown", acme.search("verify a JWT", include_projects=["nope"]))
    keep("callers", acme.get("trace/callers", symbol="AuthMiddleware"))
    keep("callers_deep", acme.get("trace/callers", symbol="retry_call", depth="2", limit="8"))
    keep("callers_empty", acme.get("trace/callers", symbol="reseller_applications"))
    keep("callees", acme.get("trace/callees", symbol="ProcessPayment"))
    keep("graph", acme.get("trace/graph", symbol="ProcessPayment", depth="1"))
    keep("status", acme.get("index/status"))


def open_and_abandon(acme: Organization, project: str) -> None:
    """A repository that is known and has never been indexed."""
    run = acme.post(
        "index/runs",
        project_id=project,
        ref="refs/heads/main",
        commit_sha="1" * 40,
        extractor="none",
        default_branch="main",
    )
    httpx.delete(
        f"{acme.service.url}/api/v1/index/runs/{run['run_id']}",
        headers={"Authorization": f"Bearer {acme.token}"},
        timeout=30,
    ).raise_for_status()


def keep(name: str, answer: dict[str, Any]) -> None:
    """Write an answer where the tests find it."""
    text = json.dumps(answer, indent=1, ensure_ascii=False)
    (DATA / f"{name}.json").write_text(f"{text}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
