"""The demo's last part: decisions, policies and memories, and the code that they are about."""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.markup import escape
from rich.table import Table

from scripts.demo_console import console, expect, heading, show_receipt
from scripts.examples import load_knowledge, record_ids
from scripts.local_git import commit_all, git
from scripts.local_service import Organization

RECORD = "payments-api/ADR-0042"
MEMORY = "mem-double-charge"
POLICY = "no-catch-all"
MONOLITH = "legacy-monolith"
CHECK_SECONDS = 60
# `retry` of the monolith runs database functions alone: that is the error that may pass.
MENDED = {
    "import functools\n": "import functools\nimport sqlite3\n",
    "except Exception:": "except sqlite3.OperationalError:",
}

Row = dict[str, Any]


def show_graph(acme: Organization, monolith: Path) -> None:
    """From a decision to its code and what is remembered of it; then a violation is mended."""
    load_knowledge(acme)
    show_records(acme)
    show_walk(acme)
    show_context(acme, "payments-api", "payments/idempotency.py")
    show_violations(acme)
    merge_mended_code(acme, monolith)


def show_records(acme: Organization) -> None:
    """What indexing found in docs/adr and the like."""
    heading("GET /api/v1/graph/nodes: decision records, read from the repositories")
    answer = acme.get("graph/nodes", kind="knowledge", limit="200")
    records = [node for node in answer["nodes"] if node["id"] in record_ids()]
    table = Table("id", "title", "status")
    for node in records:
        table.add_row(node["id"], node["title"], node["status"])
    console.print(table)
    console.print(f"  and {answer['count'] - len(records)} more, most of them of this project")
    seen = {node["id"] for node in records}
    expect("every record of the examples is a node", seen=seen, wanted=record_ids())


def show_walk(acme: Organization) -> None:
    """Two steps from a decision: the code that implements it, and what is remembered of that."""
    heading(f"GET /api/v1/graph/traverse: from {RECORD} to code to memories")
    types = ["implements", "derived_from"]
    answer = acme.get("graph/traverse", **{"from": RECORD, "depth": "2"}, types=types)
    for edge in answer["edges"]:
        console.print(f"  {edge['source']} —{edge['type']}→ {edge['target']}  ({edge['origin']})")
    show_receipt(answer["receipt"], "walked")
    distances = {found["node"]["id"]: found["distance"] for found in answer["nodes"]}
    code = "code:payments-api/payments/idempotency.py#IdempotencyStore.once"
    expect("the code that implements it is one step away", seen=distances.get(code), wanted=1)
    expect("a memory of that code is two steps away", seen=distances.get(MEMORY), wanted=2)


def show_context(acme: Organization, project: str, file: str) -> None:
    """What an agent should know before it changes a file."""
    heading(f"GET /api/v1/graph/context: {project}/{file}")
    answer = acme.get("graph/context", project=project, file=file)
    table = Table("what", "of it", "why")
    for kind in ("decisions", "memories"):
        for found in answer[kind]:
            node = found["node"]
            table.add_row(kind, f"{node['id']}  {node['title']}", ", ".join(found["why"]))
    for policy in answer["policies"]:
        state = "violated" if policy["is_violated"] else "kept"
        table.add_row("policies", f"{policy['node']['id']}  {policy['node']['title']}", state)
    for kind in ("callers", "callees"):
        for end in answer[kind]:
            place = f"{end['project']}/{end['file']}:{end['line']}  {end['name']}"
            table.add_row(kind, place, f"of {end['of']}, {end['confidence']}")
    console.print(table)
    decisions = {found["node"]["id"] for found in answer["decisions"]}
    memories = {found["node"]["id"] for found in answer["memories"]}
    callers = {end["file"] for end in answer["callers"]}
    expect("the decision is among them", seen=RECORD in decisions, wanted=True)
    expect("the memory is among them", seen=MEMORY in memories, wanted=True)
    expect("its caller is", seen="payments/processing.py" in callers, wanted=True)


def show_violations(acme: Organization) -> None:
    """What policies find in code that was there before them."""
    heading(f"GET /api/v1/graph/violations: {MONOLITH}")
    answer = once(acme, lambda violated: POLICY in violated)
    console.print(violations_table(answer))
    expect(f"{POLICY} is violated", seen=POLICY in violated_policies(answer), wanted=True)


def merge_mended_code(acme: Organization, monolith: Path) -> None:
    """A pull request names the error that it catches: the violation goes with the code."""
    heading(f"A merge mends {MONOLITH}/monolith/utils.py")
    git(monolith, "checkout", "--quiet", "-b", "mend")
    edit(monolith / "monolith" / "utils.py", MENDED)
    commit_all(monolith, "Try again only while the database is locked")
    git(monolith, "checkout", "--quiet", "main")
    git(monolith, "merge", "--quiet", "--no-ff", "-m", "Merge mend", "mend")
    report = acme.index(monolith, MONOLITH)
    expect("one file was processed", seen=report["files"]["changed"], wanted=1)
    answer = once(acme, lambda violated: POLICY not in violated)
    console.print(violations_table(answer))
    expect(f"{POLICY} is violated no more", seen=POLICY in violated_policies(answer), wanted=False)


def edit(path: Path, replacements: dict[str, str]) -> None:
    """Replace texts, each of which the file has once."""
    text = path.read_text(encoding="utf-8")
    expect(
        f"{path.name} has what is to be mended",
        seen=[text.count(old) for old in replacements],
        wanted=[1] * len(replacements),
    )
    for old, new in replacements.items():
        text = text.replace(old, new)
    path.write_text(text, encoding="utf-8")


def once(acme: Organization, holds: Callable[[set[str]], bool]) -> Row:
    """The monolith's violations once it holds of their policies, or as they are a minute later.

    Policies are checked in the background, after a run and after a policy is written.
    """
    deadline = time.monotonic() + CHECK_SECONDS
    answer = acme.get("graph/violations", project=MONOLITH)
    while not holds(violated_policies(answer)) and time.monotonic() < deadline:
        time.sleep(0.1)
        answer = acme.get("graph/violations", project=MONOLITH)
    return answer


def violated_policies(answer: Row) -> set[str]:
    """Ids of the policies that some code violates."""
    return {violation["policy"] for violation in answer["violations"]}


def violations_table(answer: Row) -> Table:
    """A row for each match."""
    table = Table("severity", "policy", "file and line", "definition", "code")
    for violation in answer["violations"]:
        code = violation["code"]
        for match in violation["edge"]["properties"]["matches"]:
            table.add_row(
                violation["severity"],
                violation["policy"],
                f"{code['path']}:{match['start_line']}",
                code["qualified_name"],
                escape(match["text"].splitlines()[0]),
            )
    return table
