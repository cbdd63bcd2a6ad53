"""Records answers of a real service on the example organisation for these tests.

`python -m tests.agents.recording` writes `data/*.json` anew (about a minute). Times that differ
from run to run are recorded as they were.
"""

import json
from pathlib import Path
from typing import Any

import httpx

from scripts.examples import example_repositories, index_all
from scripts.local_git import commit_all, git
from scripts.local_service import Organization, running_service, temporary_workspace
from tests.e2e.graphs import add_node, wait_until_linked
from tests.waiting import wait_until

DATA = Path(__file__).resolve().parent / "data"
HANDLER = {"project": "auth-service", "file": "acme_auth/app.py", "line": "44", "column": "20"}
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
        record_graph(acme)
        record_history(acme, repositories["auth-service"])


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
    keep("definition", acme.get("trace/definition", **HANDLER))
    keep("references", acme.get("trace/references", **HANDLER, limit="5"))
    keep("status", acme.get("index/status"))
    keep("grep", acme.search("verify_token(", mode="literal", limit=5))
    keep("files", acme.get("files", project="auth-service"))
    wait_until(lambda: has_edges(acme))
    keep("map", acme.get("map"))
    keep("consumers", acme.post("map/consumers", project="common-utils"))
    keep("unused", acme.get("map/unused"))
    content = {"project": "auth-service", "path": "acme_auth/tokens.py"}
    keep("content", acme.get("files/content", **content, start_line="60", end_line="95"))


def has_edges(acme: Organization) -> bool:
    """Whether the stored edges have followed."""
    try:
        acme.get("map")
    except httpx.HTTPStatusError:
        return False
    return True


def record_graph(acme: Organization) -> None:
    """Documents about the example repositories, and every answer about them that the tests use."""
    verify = "code:auth-service/acme_auth/tokens.py#verify_token"
    adr = add_node(
        acme,
        kind="knowledge",
        id="ADR-42",
        title="Verify every token with the key ring",
        body="Each JWT is checked for signature, algorithm, audience and expiry.",
        status="Accepted",
    )
    add_node(
        acme,
        kind="policy",
        id="POL-1",
        title="No mutable state at the top of a module",
        policy={
            "rule": "rule: {pattern: '$NAME = []'}",
            "language": "python",
            "severity": "warning",
            "message": "Make it in a function.",
        },
    )
    add_node(
        acme,
        kind="policy",
        id="POL-2",
        title="Raise errors of your own",
        policy={
            "rule": "rule: {pattern: 'raise $ERROR'}",
            "language": "python",
            "include": ["acme_auth/"],
            "message": "Name what went wrong.",
        },
    )
    memory = add_node(
        acme,
        kind="memory",
        id="mem-123",
        title="Clocks of the pods differ by up to two seconds when tokens expire",
        project="auth-service",
    )
    wait_until_linked(acme, "auth-service")
    asked = {"project": "auth-service"}
    wait_until(lambda: bool(acme.get("graph/violations", **asked)["violations"]))
    acme.post("graph/links", **{"from": verify, "to": adr, "type": "implements"})
    link = {"from": memory, "to": verify, "type": "derived_from", "weight": 0.9}
    keep("link", acme.post("graph/links", **link, properties={"by": "a test"}))
    keep("traverse", acme.get("graph/traverse", **{"from": adr, "depth": "2"}))
    keep("violations", acme.get("graph/violations", **asked, limit="5"))
    keep("unmigrated", acme.get("graph/unmigrated", **asked, limit="5"))
    keep("related", acme.get("graph/related", id=adr, target_type="code", limit="5"))
    keep("context", acme.get("graph/context", **asked, file="acme_auth/tokens.py"))


def record_history(acme: Organization, directory: Path) -> None:
    """Commits of a directory: a change, a rename, a merge, and what takes the first back."""
    tokens = directory / "acme_auth" / "tokens.py"
    tokens.write_text(f"{tokens.read_text(encoding='utf-8')}\nLEEWAY = 5\n", encoding="utf-8")
    commit_all(directory, "Allow five seconds of leeway\n\nThe clocks of the pods differ.")
    git(directory, "revert", "--no-edit", "HEAD")
    git(directory, "switch", "--quiet", "--create", "names")
    git(directory, "mv", "acme_auth/throttle.py", "acme_auth/limits.py")
    commit_all(directory, "Name the module after what it has")
    git(directory, "switch", "--quiet", "main")
    git(directory, "merge", "--quiet", "--no-ff", "names", "--message", "Merge branch 'names'")
    index_all(acme, {"auth-service": directory})
    keep("history", acme.get("files/history", project="auth-service", path="acme_auth"))


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
