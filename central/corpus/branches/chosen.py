"""The branches that a request names: of visible repositories, and only of those."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final, NamedTuple

from central.corpus.branches.policy import matches
from central.corpus.branches.scope import ChosenBranch, on_branches
from central.db import fetch_rows, sql_with
from central.repositories.models import Branch, Repository
from central.repositories.visibility import VISIBLE, visible_parameters
from central.tenancy.credentials import Credential

DEFAULT_REF: Final = "HEAD"  # the default branch, whatever its name is
DEFAULT_BIT: Final = 1
_sql = sql_with(repository=Repository, branch=Branch, visible=VISIBLE)
_BRANCHES: Final = _sql("""\
SELECT r.id, r.tracked_ref, b.id, b.ref, b.number, b.last_indexed_commit, b.indexed_at,
        b.generation > 0 AND b.default_generation = r.generation
    FROM {repository} r LEFT JOIN {branch} b ON b.repository_id = r.id
    WHERE {visible} AND (%s::text IS NULL OR r.name = %s::text) ORDER BY r.name, b.ref""")


class NamedBranch(NamedTuple):
    """A branch beside the default one; `is_indexed` if what is stored of it may be read."""

    key: int
    ref: str
    number: int
    commit: str
    indexed_at: object
    is_indexed: bool

    @property
    def name(self) -> str:
        """Its short name."""
        return short_name(self.ref)


class Chosen(NamedTuple):
    """What `refs` mean by repository: those to be read otherwise than by their default branch.

    `lacking` are repositories of which nothing is to be read, with the reason: `no_such_branch`, or
    `branch_not_indexed` if the branch is known but its index is not, or not any more.
    """

    branches: list[ChosenBranch]
    names: Mapping[int, list[NamedBranch]]
    lacking: Mapping[int, str]


def short_name(ref: str) -> str:
    """Return the name of a branch without `refs/heads/`."""
    return ref.removeprefix("refs/heads/")


def chosen_branches(
    credential: Credential, refs: Sequence[str], *, project: str | None = None
) -> Chosen:
    """Find the branches of these names, which may be patterns; of one project, or of all.

    Without `refs`, nothing is chosen: every repository is read by its default branch.
    """
    branches: list[ChosenBranch] = []
    names: dict[int, list[NamedBranch]] = {}
    lacking: dict[int, str] = {}
    if not refs:
        return Chosen(branches, names, lacking)
    for key, tracked, others in branches_of_visible(credential, project):
        wanted = [branch for branch in others if matches(refs, branch.ref)]
        found = [branch for branch in wanted if branch.is_indexed]
        has_default = DEFAULT_REF in refs or matches(refs, tracked)
        bits = sum((1 << branch.number for branch in found), DEFAULT_BIT if has_default else 0)
        if not bits:
            lacking[key] = "branch_not_indexed" if wanted else "no_such_branch"
        elif bits != DEFAULT_BIT:
            is_single = len(found) == 1 and not has_default
            branches.append(ChosenBranch(key, bits, found[0].key if is_single else 0))
            names[key] = found
    return Chosen(branches, names, lacking)


def branches_of_visible(
    credential: Credential, project: str | None
) -> Iterator[tuple[int, str, list[NamedBranch]]]:
    """Yield visible repositories with their tracked ref and other branches."""
    others: dict[int, tuple[str, list[NamedBranch]]] = {}
    asked = [*visible_parameters(credential=credential), project, project]
    for key, tracked, *branch in fetch_rows(_BRANCHES, asked):
        own = others.setdefault(key, (tracked, []))[1]
        if branch[0] is not None:
            own.append(NamedBranch(*branch))
    for key, (tracked, own) in others.items():
        yield key, tracked, own


@contextmanager
def reading(
    credential: Credential, refs: Sequence[str], *, project: str | None = None
) -> Iterator[Chosen]:
    """Inside, what is read of repositories is of these branches, and of one moment."""
    chosen = chosen_branches(credential, refs, project=project)
    with on_branches(chosen.branches):
        yield chosen
