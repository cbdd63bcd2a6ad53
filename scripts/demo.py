"""`make demo`: the main job end to end, on the embedded default, in a temporary directory."""

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from rich.table import Table

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from scripts.demo_console import console, expect, heading, show_receipt  # noqa: E402
from scripts.demo_graph import show_graph  # noqa: E402
from scripts.demo_scip import show_scip  # noqa: E402
from scripts.examples import example_repositories, index_all  # noqa: E402
from scripts.local_git import commit_all, git  # noqa: E402
from scripts.local_service import Organization, running_service, temporary_workspace  # noqa: E402


def main() -> int:
    """Run every step; any difference from what is promised ends with exit code 1."""
    started = time.monotonic()
    with temporary_workspace("aeterna-demo-") as workspace:
        heading("Starting the service (embedded PostgreSQL and Qdrant Edge, no keys)")
        with running_service(workspace / "data") as service:
            console.print(f"  {service.url}, data in a temporary directory")
            acme = Organization(service, "acme", service.create_organization("acme"))
            repositories = make_repositories(workspace / "git")
            index_everything(acme, repositories)
            show_status(acme)
            show_search(acme, "retry with exponential back-off")
            show_search(acme, "verify a JWT", include_projects=["auth-service"])
            show_callers(acme, "AuthMiddleware")
            show_callees(acme, "ProcessPayment")
            show_scip(acme, repositories)
            merge_three_files(acme, repositories["payments-api"])
            rewrite_history(acme, repositories["payments-api"])
            show_graph(acme, repositories["legacy-monolith"])
    console.print(
        f"\nDone in {time.monotonic() - started:.0f} s. Next: make serve, then README.md."
    )
    return 0


def make_repositories(directory: Path) -> dict[str, Path]:
    """A real git repository for each example, and a clone of this project."""
    own = directory / "aeterna"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(own)], check=True)
    git(own, "remote", "remove", "origin")
    git(own, "checkout", "--quiet", "-B", "main")
    return {"aeterna": own} | example_repositories(directory)


def index_everything(acme: Organization, repositories: dict[str, Path]) -> None:
    """Index every repository as its GitHub Action would."""
    heading(f"Indexing {len(repositories)} repositories (python -m indexer run, signed webhook)")
    started = time.monotonic()
    table = Table("project", "mode", "reason", "changed", "skipped", "chunks")
    for project, report in index_all(acme, repositories).items():
        table.add_row(*run_cells(report, project))
    console.print(table)
    console.print(f"  {time.monotonic() - started:.0f} s, two repositories at a time")


def run_cells(report: dict[str, Any], project: str) -> list[str]:
    """A run's cells for the table."""
    files = report["files"]
    counts = (files["changed"], files["skipped"], report["chunks"])
    return [project, report["mode"], report["reason"], *map(str, counts)]


def show_status(acme: Organization) -> None:
    """The index status, as an administrator sees it."""
    heading("GET /api/v1/index/status")
    status = acme.get("index/status")
    table = Table(
        "project", "state", "commit", "generation", "files", "skipped", "chunks", "languages"
    )
    for row in status["projects"]:
        languages = ", ".join(sorted(row["languages"], key=row["languages"].get, reverse=True)[:3])
        table.add_row(
            row["project"],
            row["state"],
            row["last_indexed_commit"][:10],
            *(str(row[name]) for name in ("generation", "files", "skipped", "chunks")),
            languages,
        )
    console.print(table)
    console.print(f"  {status['total_chunks']} chunks, last updated {status['last_updated']}")
    expect(
        "every repository is current",
        seen={row["state"] for row in status["projects"]},
        wanted={"current"},
    )


def show_search(acme: Organization, query: str, **filters: Any) -> None:
    """A search and its receipt."""
    limited = f" in {', '.join(filters['include_projects'])}" if filters else ", organisation-wide"
    heading(f"POST /api/v1/search: “{query}”{limited}")
    answer = acme.search(query, limit=6, **filters)
    table = Table("score", "project", "file and lines", "type", "name")
    for hit in answer["results"]:
        place = f"{hit['file']}:{hit['start_line']}-{hit['end_line']}"
        table.add_row(f"{hit['score']:.2f}", hit["project"], place, hit["chunk_type"], hit["name"])
    console.print(table)
    show_receipt(answer["receipt"], "searched")
    expect("the search found something", seen=answer["count"] > 0, wanted=True)
    if filters:
        projects = {hit["project"] for hit in answer["results"]}
        expect("only the chosen project answers", seen=projects, wanted={"auth-service"})


def show_callers(acme: Organization, symbol: str) -> None:
    """Who calls it, in every repository; what has the same name and is another thing apart."""
    heading(f"GET /api/v1/trace/callers: who calls {symbol}, in any repository?")
    answer = acme.get("trace/callers", symbol=symbol)
    projects: dict[str, set[str]] = {}
    for target, definition in enumerate(answer["definitions"]):
        rows = [row for row in answer["callers"] if row["target"] == target]
        projects[definition["project"]] = {row["project"] for row in rows}
        console.print(callers_table(definition, rows))
    show_receipt(answer["receipt"], "asked")
    wanted = {"billing-service", "payments-api"}
    seen = projects["auth-service"] & wanted
    expect(
        f"the one of auth-service is called by {' and '.join(sorted(wanted))}",
        seen=seen,
        wanted=wanted,
    )


def callers_table(definition: dict[str, Any], rows: list[dict[str, Any]]) -> Table:
    """The callers of one definition."""
    place = f"{definition['project']}/{definition['file']}:{definition['line']}"
    table = Table("project", "file and line", "caller", "rule", "confidence", "pinned → indexed")
    table.title, table.title_justify = place, "left"
    for row in rows:
        held = row["pinned_version"] or row["required_version"]
        versions = f"{held} → {row['indexed_version']}" if held else ""
        table.add_row(
            row["project"],
            f"{row['file']}:{row['line']}",
            row["caller"]["qualified_name"],
            row["rule"],
            row["confidence"],
            f"{versions}, lags" if row["lags"] else versions,
        )
    return table


def show_callees(acme: Organization, symbol: str) -> None:
    """What a class calls, in its own repository and in libraries."""
    heading(f"GET /api/v1/trace/callees: {symbol}")
    answer = acme.get("trace/callees", symbol=symbol, project="payments-api")
    table = Table("line", "calls", "of", "rule")
    for row in answer["callees"]:
        callee = row["callee"]
        rule = f"{row['rule']}, {row['confidence']}"
        table.add_row(str(row["line"]), callee["qualified_name"], callee["project"], rule)
    console.print(table)
    projects = {row["callee"]["project"] for row in answer["callees"]}
    expect("the calls lead into a library too", seen="common-utils" in projects, wanted=True)


def merge_three_files(acme: Organization, repository: Path) -> None:
    """A pull request with three changed files is merged: exactly three are processed."""
    heading("A merge changes three files of payments-api")
    git(repository, "checkout", "--quiet", "-b", "feature")
    changed = sorted(repository.rglob("*.py"))[:3]
    for number, path in enumerate(changed):
        with path.open("a", encoding="utf-8") as file:
            file.write(f"\n\ndef added_by_the_demo_{number}() -> int:\n    return {number}\n")
    commit_all(repository, "Add three functions")
    git(repository, "checkout", "--quiet", "main")
    git(repository, "merge", "--quiet", "--no-ff", "-m", "Merge feature", "feature")
    report = acme.index(repository, "payments-api")
    expect("mode is incremental", seen=report["mode"], wanted="incremental")
    expect("reason is fast_forward", seen=report["reason"], wanted="fast_forward")
    expect("exactly three files were processed", seen=report["files"]["changed"], wanted=3)


def rewrite_history(acme: Organization, repository: Path) -> None:
    """A force push is detected, and the index equals that of a repository indexed afresh."""
    heading("History is rewritten (force push)")
    git(repository, "reset", "--quiet", "--hard", "HEAD~1")
    (repository / "README.md").write_text("# payments-api\n\nRewritten.\n", encoding="utf-8")
    commit_all(repository, "Another history")
    report = acme.index(repository, "payments-api")
    expect("mode is full", seen=report["mode"], wanted="full")
    expect("reason is diverged", seen=report["reason"], wanted="diverged")
    acme.index(repository, "payments-api-afresh")
    expect(
        "the index equals a fresh one, byte for byte",
        seen=acme.dump_by_command("payments-api") == acme.dump_by_command("payments-api-afresh"),
        wanted=True,
    )


if __name__ == "__main__":
    sys.exit(main())
