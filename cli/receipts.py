"""What an answer is of, in a line: which repositories, at which commits, and what it may lack."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from cli.printable import one_line
from cli.wording import age, short
from indexer.wording import counted

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
    "embedder_unavailable": "found by words only: its embedder is away",
    "unknown_project": "no such repository here: see `codesearch status`",
    "too_many_hits": "the filters leave too little of its hits: search with other words",
}


def receipt_line(receipt: Mapping[str, Any]) -> str:
    """`Searched 3 repositories …`, and what is missing and why."""
    parts = [_asked(receipt["projects"]) + f" in {receipt['took_ms']:,.0f} ms"]
    if local := receipt.get("local"):
        parts.append(
            f"{counted(local['files'], 'changed file')} of {local['project']} as on this machine "
            f"({age(local['indexed_at'])})"
        )
    if missing := receipt["missing"]:
        parts.append(f"may lack something of {_missing(missing)}")
    parts += receipt.get("cut", ())
    return one_line("; ".join(parts) + ".")


def is_nothing_indexed(receipt: Mapping[str, Any]) -> bool:
    """Whether no index was asked, and not because a name was wrong."""
    reasons = {one["reason"] for one in receipt["missing"]}
    return not receipt["projects"] and reasons <= {"never_indexed", "failed", "paused"}


def _asked(projects: Sequence[Mapping[str, Any]]) -> str:
    if not projects:
        return "asked no repository"
    ages = sorted((one["indexed_at"] or "" for one in projects), reverse=True)
    if len(projects) == 1:
        one = projects[0]
        return f"asked {one['project']} at {short(one['commit'])}, indexed {age(one['indexed_at'])}"
    return (
        f"asked {counted(len(projects), 'repository', 'repositories')}, "
        f"indexed between {age(ages[-1] or None)} and {age(ages[0] or None)}"
    )


def _missing(missing: Sequence[Mapping[str, Any]]) -> str:
    named = [
        f"{one['project']} ({_REASONS.get(one['reason'], one['reason'])})"
        for one in missing[:_NAMED]
    ]
    left = len(missing) - len(named)
    return ", ".join(named) + (f" and {left:,} more" if left else "")
