"""The branches that a request names: of visible repositories, and only of those."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from types import MappingProxyType
from typing import Final, NamedTuple

from central.corpus.branches.policy import matches
from central.corpus.branches.scope import ChosenBranch, on_branches
from central.db import fetch_rows, one_moment, sql_with
from central.repositories.models import Branch, Repository
from central.repositories.visibility import VISIBLE, visible_parameters
from central.tenancy.credentials import Credential
from indexer.records.refs import short_name

DEFAULT_REF: Final = "HEAD"  # the default branch, whatever its name is
DEFAULT_BIT: Final = 1
_sql = sql_with(repository=Repository, branch=Branch, visible=VISIBLE)
_BRANCHES: Final = _sql("""\
SELECT r.id, r.tracked_ref, r.last_indexed_commit, r.indexed_at, r.embedder,
        b.id, b.ref, b.number, b.last_indexed_commit, b.indexed_at, b.embedder,
        b.generation > 0 AND b.default_generation = r.generation
    FROM {repository} r LEFT JOIN {branch} b ON b.repository_id = r.id
    WHERE {visible} AND (%s::text IS NULL OR r.name = %s::text) ORDER BY r.name, b.ref""")


class NamedBranch(NamedTuple):
    """A branch; `is_indexed` if what is stored of it may be read. The default one has key 0."""

    key: int
    ref: str
    number: int
    commit: str
    indexed_at: datetime | None
    embedder: str
    is_indexed: bool

    @property
    def name(self) -> str:
        """Its short name."""
        return short_name(self.ref)

    @property
    def bit(self) -> int:
        """Its bit in `File.branches`."""
        return 1 << self.number


class Chosen(NamedTuple):
    """What `refs` mean by repository: those to be read otherwise than by their default branch.

    `branches` are what `on_branches` takes. `left_out` are repositories of which nothing is to be
    read, and why: `no_such_branch`, or `branch_not_indexed` if the branch is known but its index is
    not, or not any more. `shown` are the branches to be read, the default one first; `defaults` the
    default branches of repositories that are read otherwise; `known` the short names of all indexed
    branches of each.
    """

    branches: list[ChosenBranch]
    left_out: Mapping[int, str]
    shown: Mapping[int, list[NamedBranch]] = MappingProxyType({})
    defaults: Mapping[int, NamedBranch] = MappingProxyType({})
    known: Mapping[int, list[str]] = MappingProxyType({})

    @property
    def has_versions(self) -> bool:
        """Whether several branches of a repository are read, so that a path may repeat."""
        return any(len(shown) > 1 for shown in self.shown.values())


NOTHING_CHOSEN: Final = Chosen([], MappingProxyType({}))


def chosen_branches(credential: Credential, refs: Sequence[str]) -> Chosen:
    """Find the branches of these names, which may be patterns.

    Without `refs`, nothing is chosen: every repository is read by its default branch.
    """
    if not refs:
        return NOTHING_CHOSEN
    branches: list[ChosenBranch] = []
    left_out: dict[int, str] = {}
    shown: dict[int, list[NamedBranch]] = {}
    defaults: dict[int, NamedBranch] = {}
    known: dict[int, list[str]] = {}
    patterns = [short_name(ref) for ref in refs]
    for key, default, others in branches_of_visible(credential):
        known[key] = [branch.name for branch in (default, *others) if branch.is_indexed]
        wanted = [branch for branch in others if matches(patterns, branch.ref)]
        found = [branch for branch in wanted if branch.is_indexed]
        has_default = DEFAULT_REF in patterns or matches(patterns, default.ref)
        bits = sum((branch.bit for branch in found), DEFAULT_BIT if has_default else 0)
        if not bits:
            left_out[key] = "branch_not_indexed" if wanted else "no_such_branch"
            continue
        shown[key] = [*([default] if has_default else []), *found]
        if bits != DEFAULT_BIT:
            only = found[0].key if len(found) == 1 and not has_default else 0
            branches.append(ChosenBranch(key, bits, only))
            defaults[key] = default
    return Chosen(branches, left_out, shown, defaults, known)


def branches_of_visible(
    credential: Credential, project: str | None = None
) -> Iterator[tuple[int, NamedBranch, list[NamedBranch]]]:
    """Yield visible repositories, or one, with their default branch and the others."""
    found: dict[int, tuple[NamedBranch, list[NamedBranch]]] = {}
    asked = [*visible_parameters(credential=credential), project, project]
    for key, ref, commit, indexed_at, embedder, *branch in fetch_rows(_BRANCHES, asked):
        default = NamedBranch(0, ref, 0, commit, indexed_at, embedder, bool(commit))
        own = found.setdefault(key, (default, []))[1]
        if branch[0] is not None:
            own.append(NamedBranch(*branch))
    for key, (default, own) in found.items():
        yield key, default, own


@contextmanager
def reading(credential: Credential, refs: Sequence[str]) -> Iterator[Chosen]:
    """Inside, what is read of repositories is of these branches, and of one moment.

    Without `refs` it is as outside.
    """
    if not refs:
        yield NOTHING_CHOSEN
        return
    with one_moment():  # a branch that is deleted meanwhile must not be read by what others have
        chosen = chosen_branches(credential, refs)
        with on_branches(chosen.branches):
            yield chosen
