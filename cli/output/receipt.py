"""What an answer is of, in a line: which repositories, at which commits, and what it may lack."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from cli.output.text import age, short_commit
from indexer.exits import Exit
from indexer.output.terminal import escape_line, pluralize

NOTHING_INDEXED: Final = (
    "Nothing is indexed here yet: type `codesearch init` in a repository, or `codesearch index` "
    "where there is a .codesearch.toml."
)
_NAMED: Final = 5
_REASONS: Final = {
    "never_indexed": "never indexed: type `codesearch index` in it",
    "failed": "its last run failed: see `codesearch status`",
    "behind": "newer commits are not indexed yet",
    "paused": "paused",
    "embedder_unavailable": "found by words only: its embedder is unavailable",
    "unknown_project": "no such repository here: see `codesearch status`",
    "local_index_unavailable": "uncommitted work: the index of the work tree does not answer",
    "base_commit_not_in_clone": "links to others: git fetch the commit that is indexed",
    "links_on_edited_lines": "links to others, on lines that are not committed yet",
    "not_linked_yet": "its newest code is not linked yet: ask again in some seconds",
    "policies_not_checked_yet": "policies are being checked on its code: ask again in some seconds",
    "too_many_hits": "the filters leave too little of its hits: search with other words",
}
# What the service calls by the names of its parameters.
_OPTIONS: Final = {
    "mode=": "--mode ",
    "min_confidence=": "--min-confidence ",
    "exclude_projects": "--exclude-project",
    "caller_projects": "--caller-project",
    "lower depth, raise limit, or give project and file": (
        "lower --depth, raise --limit, or give --project and --file"
    ),
    ": see receipt.missing": ", as said above",
    "types=": "--types ",
    "direction=": "--direction ",
    "graph_link links nodes": "`codesearch graph link` links nodes",
}


def receipt_notes(answer: Mapping[str, Any]) -> Iterator[str]:
    """Lines about an answer: its commits, and what it leaves out."""
    receipt = answer["receipt"]
    yield _receipt_line(receipt)
    yield from (in_options(limit) for limit in receipt.get("cut", ()))
    if answer.get("next_cursor") and "definitions" in answer:
        yield "There are more: --limit shows them, or --project, --file and --line choose."
    if unresolved := receipt.get("unresolved", {}).get("count"):
        yield (
            f"{pluralize(unresolved, 'use')} of such names could not be resolved; "
            "--min-confidence low lists those that may be meant."
        )


def missing_note(missing: Sequence[Mapping[str, Any]]) -> str:
    """Of what something may be missing; nothing where that is nothing."""
    return escape_line(f"May lack something of {_missing(missing)}.") if missing else ""


def graph_notes(answer: Mapping[str, Any]) -> Iterator[str]:
    """The same about an answer of the knowledge graph, which may be of documents alone."""
    receipt = answer["receipt"]
    if receipt["projects"] or receipt["missing"]:
        yield _receipt_line(receipt)
    if answer.get("next_cursor"):
        yield "There are more: raise --limit, or ask for less."
    if truncated := answer.get("truncated"):
        left = ", ".join(f"{count} {name}" for name, count in _counts(truncated))
        yield f"Left out: {left}." if left else ""


def _counts(truncated: object) -> list[tuple[str, int]]:
    return list(truncated.items()) if isinstance(truncated, Mapping) else []


def exit_status(answer: Mapping[str, Any], *, found: int) -> tuple[Exit, str]:
    """How a command ends, and why an empty answer is empty."""
    receipt = answer["receipt"]
    if found:
        return Exit.OK, ""
    if receipt["projects"]:
        return Exit.NOTHING_FOUND, in_options(answer.get("hint") or "Nothing was found.")
    reasons = {one["reason"] for one in receipt["missing"]}
    if "unknown_project" in reasons:
        return Exit.NOT_INDEXED, "There is no such repository: see `codesearch status`."
    return Exit.NOT_INDEXED, NOTHING_INDEXED


def _receipt_line(receipt: Mapping[str, Any]) -> str:
    parts = [f"{_searched(receipt['projects'])} ({receipt['took_ms']:,.0f} ms)"]
    if local := receipt.get("local"):
        parts.append(local_line(local))
    if missing := receipt["missing"]:
        parts.append(f"may lack something of {_missing(missing)}")
    return escape_line("; ".join(parts) + ".")


def local_line(local: Mapping[str, Any]) -> str:
    """What stands in front of the service's answer: this checkout's work that is not committed."""
    files = "every file" if local["files"] is None else pluralize(local["files"], "changed file")
    return escape_line(
        f"{files} of {local['project']} as in this checkout {age(local['indexed_at'])}"
    )


def _searched(projects: Sequence[Mapping[str, Any]]) -> str:
    if not projects:
        return "Asked no repository"
    if len(projects) == 1:
        one = projects[0]
        commit = short_commit(one["commit"])
        return f"Asked {one['project']} at {commit}, indexed {age(one['indexed_at'])}"
    times = sorted(one["indexed_at"] or "" for one in projects)
    oldest, newest = (age(time or None) for time in (times[0], times[-1]))
    when = newest if newest == oldest else f"between {oldest} and {newest}"
    return f"Asked {len(projects):,} repositories at their indexed commits, indexed {when}"


def _missing(missing: Sequence[Mapping[str, Any]]) -> str:
    named = [
        f"{one['project']} ({_REASONS.get(one['reason'], one['reason'])})"
        for one in missing[:_NAMED]
    ]
    left = len(missing) - len(named)
    return ", ".join(named) + (f" and {left:,} more" if left else "")


def in_options(sentence: str) -> str:
    """A sentence of the service in this command line's words."""
    for parameter, option in _OPTIONS.items():
        sentence = sentence.replace(parameter, option)
    return escape_line(sentence)
