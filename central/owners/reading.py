"""The CODEOWNERS of repositories, read from the indexed files and kept compiled in memory.

Nothing is stored beside the file: it is read again if its repository has another generation, and
compiled again if it differs. So the owners of an answer are those of the commit that answers.
"""

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from aeterna_code_search.contract.projects import OWNERS_LISTED, OwnerCount
from central.corpus.files import why_skipped
from central.corpus.models import File
from central.db import fetch_rows, id_array, sql_with
from central.owners.codeowners import (
    EVERY_PLACE,
    OWNERS_RULES,
    PLACES,
    Syntax,
    TooManyRulesError,
    file_syntax,
    forge_syntax,
    parse_codeowners,
)
from central.owners.ownership import Budget, Ownership, RepositoryOwners, compile_ownership
from central.owners.patterns import OWNERS_WILDCARD_RULES, TooComplexError
from central.repositories.models import Repository
from central.repositories.visibility import RepositorySnapshot
from central.sized_cache import SizedCache
from central.tenancy.credentials import Credential

OWNERS_BYTES: Final = 3 * 1024 * 1024  # of the file; GitHub ignores a larger one
OWNERS_READ_BYTES: Final = 16 * 1024 * 1024  # that a request reads and compiles
OWNERS_CACHE_BYTES: Final = 64 * 1024 * 1024  # of compiled rules that a server keeps, roughly
OWNERS_SECONDS: Final = 2.0  # of a request, to compile patterns, and to compare paths with them
_sql = sql_with(file=File, repository=Repository)
_PLACES: Final = _sql("""SELECT r.id, r.generation, r.last_indexed_commit,
        f.id, f.path, f.blob, f.size, f.skipped
    FROM {repository} r
    LEFT JOIN {file} f ON f.repository_id = r.id AND f.path = ANY(%s::text[])
    WHERE r.id = ANY(%s::bigint[])""")
_CONTENT: Final = _sql("SELECT f.id, f.content FROM {file} f WHERE f.id = ANY(%s::bigint[])")
_NONE: Final = Ownership()
_TOO_LARGE: Final = (
    f"The file is larger than {OWNERS_BYTES // 1024**2} MB: GitHub does not follow it."
)
_TOO_COMPLEX: Final = (
    f"The file has more than {OWNERS_RULES:,} rules or invalid lines, or more than "
    f"{OWNERS_WILDCARD_RULES:,} with wildcards, or too long ones."
)
_REINDEXED: Final = "The repository was indexed again meanwhile: ask again."
_MANY: Final = "Too many repositories have a CODEOWNERS that was not read yet: ask again."


class _State(NamedTuple):
    """What an index is of, and whose rules apply by the repository's address.

    The commit tells generations apart that a failover counted again.
    """

    generation: int
    commit: str
    forge: Syntax | None


class _Kept(NamedTuple):
    """What is kept of a repository: which index it is of, and the file that was compiled."""

    state: "_State"
    blob: str
    ownership: Ownership
    unread: str


class _Place(NamedTuple):
    """A CODEOWNERS of a repository: its path decides if it counts."""

    id: int
    path: str
    blob: str
    size: int
    skipped: str


_cache: Final = SizedCache[int, _Kept](OWNERS_CACHE_BYTES)


@dataclass(slots=True)
class OwnersReader:
    """Reads the owners of files for one request, within its limits."""

    shows_addresses: bool
    _budget: Budget
    _known: dict[int, RepositoryOwners]
    _left: int = OWNERS_READ_BYTES

    def of(self, repositories: Iterable[RepositorySnapshot]) -> Mapping[int, RepositoryOwners]:
        """Return who owns what in these repositories, by id; one statement or two at most."""
        asked = list(repositories)
        missing = [repository for repository in asked if repository.id not in self._known]
        found = {repository.id: _kept(repository) for repository in missing}
        unread = [repository for repository in missing if found[repository.id] is None]
        if unread:
            found |= self._read(unread)
        for repository in missing:
            kept = found[repository.id]
            is_current = kept is not None and kept.state == _state(repository)
            self._known[repository.id] = RepositoryOwners(
                kept.ownership if kept and is_current else _NONE,
                self._budget,
                unread=kept.unread if kept and is_current else _REINDEXED,
                shows_addresses=self.shows_addresses,
            )
        return {repository.id: self._known[repository.id] for repository in asked}

    def read_ahead(self, repositories: Iterable[RepositorySnapshot]) -> None:
        """Read all of these at once, before `listed` asks for the files of one after the other."""
        self.of(repositories)

    def listed(self, repository: RepositorySnapshot, path: str) -> list[str] | None:
        """Return the owners of a file as a row of an answer has them."""
        owners = self.of([repository])[repository.id].of(path)
        return None if owners is None else list(owners)

    @property
    def unread(self) -> list[int]:
        """The ids of repositories that were asked for, and of which not all owners are known."""
        return [key for key, owners in self._known.items() if owners.unread]

    def _read(self, repositories: Sequence[RepositorySnapshot]) -> dict[int, _Kept]:
        """Read and compile what is not kept; what is too much for one request is not known."""
        urls = {repository.id: repository.web_url for repository in repositories}
        states: dict[int, _State] = {}
        places: dict[int, list[_Place]] = {}
        rows = fetch_rows(_PLACES, [list(EVERY_PLACE), id_array(urls)])
        for id_, generation, commit, *row in rows:
            states[id_] = _State(generation, commit, forge_syntax(urls[id_]))
            if row[0] is not None:
                places.setdefault(id_, []).append(_Place(*row))
        found: dict[int, _Kept] = {}
        wanted: dict[int, _Place] = {}
        for id_, state in states.items():
            place = _counting(places.get(id_, ()), state.forge)
            kept = _without_content(place, state, _cache.get(id_))
            if kept:
                found[id_] = kept
            elif place:
                wanted[id_] = place
        found |= dict(self._compiled(wanted, states))
        for id_, kept in found.items():
            if kept.unread not in {_MANY, _REINDEXED}:
                _cache.put(id_, kept, kept.ownership.memory)
        return found

    def _compiled(
        self,
        wanted: Mapping[int, _Place],
        states: Mapping[int, _State],
    ) -> Iterator[tuple[int, _Kept]]:
        read: dict[int, _Place] = {}
        for id_, place in wanted.items():
            if place.size > self._left:
                yield id_, _Kept(states[id_], "", Ownership(place.path), _MANY)
                continue
            self._left -= place.size
            read[id_] = place
        contents = {}
        if read:
            contents = dict(fetch_rows(_CONTENT, [id_array(place.id for place in read.values())]))
        end = time.thread_time() + OWNERS_SECONDS
        for id_, place in read.items():
            if place.id not in contents:
                yield id_, _Kept(states[id_], "", Ownership(place.path), _REINDEXED)
                continue
            if time.thread_time() > end:
                yield id_, _Kept(states[id_], "", Ownership(place.path), _MANY)
                continue
            yield id_, _compile(place, contents[place.id], states[id_])


def owners_reader(credential: Credential) -> OwnersReader:
    """Return the reader of a request. A member, or their personal token, sees addresses."""
    return OwnersReader(credential.is_personal, Budget(OWNERS_SECONDS), {})


def _kept(repository: RepositorySnapshot) -> _Kept | None:
    kept = _cache.get(repository.id)
    return kept if kept and kept.state == _state(repository) else None


def _state(repository: RepositorySnapshot) -> _State:
    return _State(repository.generation, repository.commit, forge_syntax(repository.web_url))


def _counting(places: Sequence[_Place], forge: Syntax | None) -> _Place | None:
    """Return the file that the forge follows: the first in its order of places."""
    order = PLACES[forge] if forge else EVERY_PLACE
    existing = {place.path: place for place in places}
    return next((existing[path] for path in order if path in existing), None)


def _without_content(place: _Place | None, state: _State, before: _Kept | None) -> _Kept | None:
    """Return what is to be kept if no content is needed: the file is the same, or is not read."""
    if place is None:
        return _Kept(state, "", _NONE, "")
    if unread := _unread(place):
        return _Kept(state, place.blob, Ownership(place.path), unread)
    same = (place.blob, place.path, state.forge)
    if before and (before.blob, before.ownership.path, before.state.forge) == same:
        return before._replace(state=state)
    return None


def _unread(place: _Place) -> str:
    """Return why a file is not read; "" if it is."""
    if place.skipped:
        return f"The index has no content of the file. {why_skipped(place.skipped)}"
    return _TOO_LARGE if place.size > OWNERS_BYTES else ""


def _compile(place: _Place, text: str, state: _State) -> _Kept:
    syntax = state.forge or file_syntax(place.path, text)
    try:
        ownership = compile_ownership(place.path, parse_codeowners(text, syntax))
    except (TooManyRulesError, TooComplexError):
        return _Kept(state, place.blob, Ownership(place.path, syntax), _TOO_COMPLEX)
    return _Kept(state, place.blob, ownership, "")


def owner_counts(
    reader: OwnersReader, places: Iterable[tuple[RepositorySnapshot, str]]
) -> list[OwnerCount]:
    """Count (repository, path) of rows by owner, most first, then by name; at most OWNERS_LISTED.

    All of the repositories must be visible to the reader.
    """
    rows = Counter(places)
    reader.read_ahead({repository for repository, _ in rows})
    counts: Counter[tuple[str | None, bool]] = Counter()
    for (repository, path), count in rows.items():
        owners = reader.listed(repository, path)
        if owners is None:
            counts[None, False] += count
            continue
        for owner in owners:
            counts[owner, True] += count
        if not owners:
            counts[None, True] += count
    found = [OwnerCount(owner, count, known) for (owner, known), count in counts.items()]
    found.sort(key=lambda row: (-row.count, row.owner is None, row.owner or ""))
    return found[:OWNERS_LISTED]
