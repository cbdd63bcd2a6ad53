"""The repositories of a search, and the cursors of its pages."""

from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass, replace
from functools import cache
from hashlib import sha256
from typing import Any

from aeterna_code_search.contract.projects import MissingProject
from aeterna_code_search.contract.search import GroupBy, SearchRequest
from central.corpus.branches.chosen import Chosen
from central.http import cursors
from central.owners.reading import OwnersReader, owners_reader
from central.query.evaluate import Evaluator, RepositoryValues
from central.query.filters import FilterName
from central.repositories.visibility import RepositorySnapshot, repository_snapshots
from central.search.reading import ReadRequest
from central.tenancy.credentials import Credential

_SALT = "central.search.cursor"


def encode_cursor(*, request: SearchRequest, organization: str, position: object) -> str:
    """Return a cursor for the page that starts at `position`, which is JSON."""
    return cursors.encode_cursor(
        salt=_SALT, asked=_cursor_key(request, organization), position=position
    )


def decode_cursor(*, request: SearchRequest, organization: str) -> Any:
    """Return the position of `request.cursor`; None without one.

    Raises InvalidError if the cursor belongs to another query or other filters.
    """
    key = _cursor_key(request, organization)
    return cursors.decode_cursor(request.cursor, salt=_SALT, asked=key)


def _cursor_key(request: SearchRequest, organization: str) -> object:
    """Return the fields that decide order and hits, without page size and display options."""
    key = asdict(replace(request, cursor="", limit=1, expand=0, max_content=0, lines=0))
    del key["explain"], key["facets"], key["query"]
    if request.group_by is GroupBy.NONE:
        del key["group_by"]  # cursors from before there was one stay valid
    if not request.ref:
        del key["ref"]
    return [organization, key]


@dataclass(frozen=True, slots=True)
class SearchScope:
    """The visible repositories, and those that the request selects; `owners` reads theirs.

    `searched` are the selected ones that have an index, by id. `chosen` are the branches that are
    read, and `left_out` the repositories that are left out because they lack them.
    """

    visible: list[RepositorySnapshot]
    selected: list[RepositorySnapshot]
    searched: dict[int, RepositorySnapshot]
    unknown: list[str]
    owners: OwnersReader
    chosen: Chosen
    left_out: list[MissingProject]

    def values(
        self, asked: Collection[FilterName], repositories: Iterable[RepositorySnapshot] = ()
    ) -> dict[int, RepositoryValues]:
        """Return what these filters compare, by repository: of all that are searched, or of some.

        Nothing if no filter asks.
        """
        some = [*repositories] or [*self.searched.values()]
        read = {name: self._reader(name).of(some) for name in asked}
        return {
            item.id: {name: values[item.id] for name, values in read.items()}
            for item in (some if read else ())
        }

    def values_unread(self, asked: Collection[FilterName]) -> dict[int, str]:
        """Return the repositories of which `values` did not learn all, with the reason."""
        return {key: f"{name}s_unread" for name in asked for key in self._reader(name).unread}

    def _reader(self, name: FilterName) -> OwnersReader:
        return {FilterName.OWNER: self.owners}[name]

    @property
    def fingerprint(self) -> str:
        """What tells these repositories from others, in cursors."""
        ids = ",".join(map(str, sorted(item.id for item in self.selected)))
        return sha256(ids.encode()).hexdigest()[:16]


def search_scope(credential: Credential, read: ReadRequest) -> SearchScope:
    """Read the repositories that the credential sees, and select those of the request.

    One without an index is selected if the request names it, or if it is expected to have one and
    the query's `repo:` does not exclude it.
    """
    visible = repository_snapshots(credential=credential)
    included = set(read.request.include_projects)
    excluded = set(read.request.exclude_projects)
    evaluator = cache(lambda: Evaluator(read.query))  # compiled where it is asked

    left_out = read.chosen.left_out
    wanted = [
        item
        for item in visible
        if item.name not in excluded and (not included or item.name in included)
    ]
    selected = [
        item
        for item in wanted
        if not (left_out and item.id in left_out)
        and (
            item.generation
            or (
                (item.name in included or item.is_expected)
                and evaluator().repository(item.name) is not False
            )
        )
    ]
    searched = {item.id: item for item in selected if item.generation > 0}
    return SearchScope(
        visible=visible,
        selected=selected,
        searched=searched,
        unknown=sorted(included.difference(item.name for item in visible)),
        owners=owners_reader(credential),
        chosen=read.chosen,
        left_out=[
            MissingProject(item.name, reason)
            for item in (wanted if left_out else ())
            if (reason := left_out.get(item.id))
            and (reason != "no_such_branch" or item.name in included or not searched)
            and evaluator().repository(item.name) is not False
        ],
    )
