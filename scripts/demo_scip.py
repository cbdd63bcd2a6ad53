"""The part of the demo in which a compiler has run: SCIP indexes of two repositories."""

from pathlib import Path
from typing import Any

from rich.table import Table

from scripts.demo_console import console, expect, heading
from scripts.local_service import ROOT, Organization

_INDEXES = ROOT / "examples" / "scip"


def show_scip(acme: Organization, repositories: dict[str, Path]) -> None:
    """A consumer with an index finds a provider without, and the reverse."""
    heading("scip-python has run in auth-service: its index goes before the rules")
    clock = {"symbol": "Clock.now", "project": "common-utils"}
    by_rules = _places(acme, **clock)
    report = _index(acme, repositories, "auth-service")
    expect("nothing but the index was sent", seen=report["files"]["changed"], wanted=0)
    rows = acme.get("trace/callers", **clock)["callers"]
    table = Table("project", "file and line", "rule", "confidence", "evidence")
    for row in [row for row in rows if row["project"] == "auth-service"]:
        place = f"{row['file']}:{row['line']}"
        table.add_row(row["project"], place, row["rule"], row["confidence"], row["evidence"])
    console.print(table)
    found = {(row["project"], row["file"]) for row in rows if row["rule"] == "scip"}
    seen = ("auth-service", "acme_auth/tokens.py") in found and len(rows) > len(by_rules)
    expect("a call that no rule follows leads into a library without one", seen=seen, wanted=True)
    retried = {"symbol": "retry_call", "project": "common-utils"}
    before = _places(acme, **retried)
    _index(acme, repositories, "common-utils")
    expect(
        "callers without an index find the library with one",
        seen=before <= _places(acme, **retried) and len(before) > 10,
        wanted=True,
    )


def _index(acme: Organization, repositories: dict[str, Path], project: str) -> dict[str, Any]:
    index = _INDEXES / f"{project}.scip.gz"
    report = acme.index(repositories[project], project, "--scip", str(index))
    sent, refused = report["scip"]["sent"], report["scip"]["refused"]
    console.print(f"  {index.name}: {sent} documents sent, {refused} refused")
    expect("every document is of the commit", seen=refused, wanted=0)
    return report


def _places(acme: Organization, **asked: str) -> set[tuple[str, str, int]]:
    answer = acme.get("trace/callers", limit=200, **asked)
    return {(row["project"], row["file"], row["line"]) for row in answer["callers"]}
