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
from indexer.globs import excess

MOST_BRANCHES: Final = 16  # of a repository, the default one among them
BRANCH_PATTERNS: Final = 100
PROJECT_FILE: Final = ".codesearch.toml"
_HEADS: Final = "refs/heads/"
_CONTENT: Final = sql(
    "SELECT content FROM {file} WHERE repository_id = %s AND path = %s::text", file=File
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
        return self.most > 1 and ref.startswith(_HEADS) and matches(self.patterns, ref)


def matches(patterns: Sequence[str], ref: str) -> bool:
    """Whether a branch of this full name has a name that one of the patterns describes."""
    name = ref.removeprefix(_HEADS)
    return any(_pattern(pattern).fullmatch(name) for pattern in patterns)


def branch_policy(repository: Repository) -> BranchPolicy:
    """Return the policy of a repository, whose organisation is read."""
    organization = repository.organization
    most = min(organization.branches_most, MOST_BRANCHES)
    rows = fetch_rows(_CONTENT, [repository.pk, PROJECT_FILE])
    try:
        patterns = _patterns_in(rows[0][0]) if rows else None
    except ValueError as exc:
        return BranchPolicy((), most, f"{PROJECT_FILE}: {exc}.")
    return BranchPolicy(organization.branches if patterns is None else patterns, most)


def _patterns_in(content: str) -> list[str] | None:
    """Return `branches` of a project file; None without it. Raises ValueError."""
    patterns = tomllib.loads(content).get("branches")
    if patterns is None:
        return None
    if not isinstance(patterns, list):
        raise ValueError("branches must be a list of patterns")
    check_patterns(patterns)
    return patterns


def check_patterns(patterns: Sequence[object]) -> None:
    """Raise ValueError unless these are patterns of branches' names."""
    if len(patterns) > BRANCH_PATTERNS:
        raise ValueError(
            f"branches holds {len(patterns):,} patterns; at most {BRANCH_PATTERNS} are read"
        )
    for pattern in patterns:
        if not isinstance(pattern, str) or not pattern:
            raise ValueError("branches must be a list of patterns, such as release/*")
        if problem := excess(pattern):
            raise ValueError(f"branches holds {pattern[:40]!r}, which is {problem}")


@lru_cache(maxsize=1_000)
def _pattern(pattern: str) -> "re2._Regexp[str]":
    """Compile a pattern: `*` and `?` stop at a slash, `**` does not."""
    parts, end = [], 0
    for found in _WILDCARD.finditer(pattern):
        parts += [re2.escape(pattern[end : found.start()]), _WILDCARDS[found[0]]]
        end = found.end()
    return re2.compile("".join([*parts, re2.escape(pattern[end:])]))
