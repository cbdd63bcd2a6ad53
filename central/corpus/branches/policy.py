"""Which branches of a repository are indexed beside its default one.

The default branch decides, by `branches` in its `.codesearch.toml` as it is indexed, and the
organisation, which may allow fewer and decides for repositories without that key. A branch has no
say in it. The service reads the file itself, so that each version of the action indexes branches.
"""

import re
import tomllib
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import re2

from central.corpus.models import File
from central.db import fetch_rows, sql
from central.repositories.models import Repository
from indexer.globs import check_branch_patterns
from indexer.records.refs import HEADS, short_name

MOST_BRANCHES: Final = 16  # of a repository, the default one among them
PROJECT_FILE: Final = ".codesearch.toml"
_CONTENT: Final = sql(
    "SELECT content, skipped FROM {file} WHERE repository_id = %s AND path = %s::text", file=File
)
_WILDCARD: Final = re.compile(r"\*\*|\*|\?")
_WILDCARDS: Final = {"**": ".*", "*": "[^/]*", "?": "[^/]"}


class BranchPolicy(NamedTuple):
    """Patterns of branches' names, and how many branches may be indexed, with the default one.

    `problem` says why the patterns of the file are not read; then there are none.
    """

    patterns: Sequence[str]
    most: int
    problem: str = ""

    def wants(self, ref: str) -> bool:
        """Whether a branch of this full name is to be indexed beside the default one."""
        return self.most > 1 and ref.startswith(HEADS) and matches(self.patterns, ref)


def matches(patterns: Sequence[str], ref: str) -> bool:
    """Whether a branch of this full name has a name that one of the patterns describes."""
    return any(_pattern(pattern).fullmatch(short_name(ref)) for pattern in patterns)


def branch_policy(repository: Repository) -> BranchPolicy:
    """Return the policy of a repository, whose organisation is read."""
    organization = repository.organization
    most = min(organization.branches_most, MOST_BRANCHES)
    rows = fetch_rows(_CONTENT, [repository.pk, PROJECT_FILE])
    try:
        patterns = _patterns_in(*rows[0]) if rows else None
    except (ValueError, RecursionError) as exc:  # brackets too deep
        return BranchPolicy((), most, f"{PROJECT_FILE}: {exc}.")
    return BranchPolicy(organization.branches if patterns is None else patterns, most)


def _patterns_in(content: str, skipped: str) -> list[str] | None:
    """Return `branches` of a project file; None without it. Raises ValueError."""
    if skipped:
        raise ValueError(
            f"it is in the index without its content ({skipped}), so that nothing tells which "
            "branches it names. Keep it small, and run this version's action on the default branch"
        )
    patterns = tomllib.loads(content).get("branches")
    if patterns is None:
        return None
    check_branch_patterns(patterns)
    return list(patterns)


@lru_cache(maxsize=1_000)
def _pattern(pattern: str) -> "re2._Regexp[str]":
    """Compile a pattern: `*` and `?` stop at a slash, `**` does not."""
    parts, end = [], 0
    for found in _WILDCARD.finditer(pattern):
        parts += [re2.escape(pattern[end : found.start()]), _WILDCARDS[found[0]]]
        end = found.end()
    return re2.compile("".join([*parts, re2.escape(pattern[end:])]))
