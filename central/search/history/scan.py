"""Commits whose message, or changed lines, fulfil a query: the newest first, read in portions."""

import time
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from central.corpus.models import Commit, CommitChange, CommitPatch
from central.corpus.patches import patch_json, read_patch
from central.corpus.trigrams.candidates import candidates
from central.db import fetch_rows, id_array, sql_with
from central.query.evaluate import MatchedTerms, RepositoryValues
from central.repositories.visibility import RepositorySnapshot
from central.search.exact.text_pattern import SlowFileError, Span
from central.search.history.authors import AuthorTest
from central.search.history.catalogue import (
    HISTORY_COMMITS_SEARCHED,
    StoredCommits,
    commits_states,
    stored_commits,
)
from central.search.history.documents import Document, changed_lines, message, text_matches
from central.search.history.plan import CommitPlan
from central.search.scope import SearchScope
from indexer.records.history import LAST_SECOND

HISTORY_SECONDS: Final = 3.0  # for a page
_LAST_PATH: Final = chr(0x10FFFF)
_FIRST, _PORTION = 64, 256  # commits that a statement reads
_sql = sql_with(commit=Commit, change=CommitChange, patch=CommitPatch)
_MESSAGES = _sql("""SELECT c.id, c.subject, c.body FROM {commit} c
    WHERE c.id = ANY(%s::bigint[])""")
_PATCHES = _sql("""SELECT p.commit_id, p.data FROM {patch} p
    WHERE p.commit_id = ANY(%s::bigint[])""")
_PATHS = _sql("""SELECT h.commit_id, h.path, h.old_path FROM {change} h
    WHERE h.commit_id = ANY(%s::bigint[]) ORDER BY h.commit_id, h.path""")
_RENAMED = _sql("""SELECT h.commit_id, h.path, h.old_path FROM {change} h
    WHERE h.commit_id = ANY(%s::bigint[]) AND h.old_path <> ''""")


class CommitPlace(NamedTuple):
    """A text of a commit; a page begins after it. Of a message, the path is ""."""

    committed_at: int = LAST_SECOND + 1
    id: int = 0
    path: str = ""


_BEFORE_ALL: Final = CommitPlace()


class CommitHit(NamedTuple):
    """A commit's text that fulfils the query."""

    place: CommitPlace
    repository: int
    document: Document
    spans: Sequence[Span]
    is_cut: bool


class OrderedCommits(NamedTuple):
    """Commits of several repositories, the newest first, as arrays of equal length."""

    times: NDArray[np.int64]
    ids: NDArray[np.int64]
    repositories: NDArray[np.int64]

    def rows(self) -> Iterator[tuple[int, int, int]]:
        """Yield time, key and repository of each."""
        yield from zip(*(own.tolist() for own in self), strict=True)

    def after(self, place: CommitPlace) -> "OrderedCommits":
        """Return those after a place, from its commit on if that may have further paths."""
        has_more = bool(place.path) and place.path != _LAST_PATH
        kept = (self.times < place.committed_at) | (
            (self.times == place.committed_at) & (self.ids < place.id + has_more)
        )
        return OrderedCommits(*(own[kept] for own in self))


@dataclass(slots=True)
class CommitSearch:
    """One search of commits, over the repositories that a credential sees.

    `reasons`: why it may lack something, by repository. `stopped_at`: where its time was used up.
    """

    scope: SearchScope
    plan: CommitPlan
    author: AuthorTest | None
    author_policy: str
    seconds: float
    reasons: dict[int, str] = field(default_factory=dict)
    stopped_at: CommitPlace | None = None
    searched: list[int] = field(default_factory=list)
    stored: dict[int, StoredCommits] = field(default_factory=dict)
    _until: float = 0.0
    _values: Mapping[int, RepositoryValues] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Read which commits are stored, of repositories that the query does not exclude."""
        self._until = time.monotonic() + self.seconds
        asked = [*self.scope.searched.values()]
        self._values = self.scope.values(self.plan.evaluator.reads_values, asked)
        self.searched = [item.id for item in asked if self._is_searched(item)]
        self.stored = stored_commits(
            commits_states(self.scope.searched[key] for key in self.searched)
        )

    def _is_searched(self, item: RepositorySnapshot) -> bool:
        return self.plan.evaluator.repository(item.name, self._of(item.id)) is not False

    def _of(self, repository: int) -> RepositoryValues:
        return self._values.get(repository, {})

    @property
    def lacks(self) -> Mapping[int, str]:
        """Why its answer may lack something, by the repository's id."""
        return self.scope.values_unread(self.plan.evaluator.reads_values) | self.reasons

    @property
    def is_late(self) -> bool:
        """Whether its time is used up."""
        return time.monotonic() >= self._until

    def _share(self) -> int:
        """Return how many commits of each repository are looked at, if they are too many."""
        total = sum(len(own.ids) for own in self.stored.values())
        if total <= HISTORY_COMMITS_SEARCHED:
            return total
        return HISTORY_COMMITS_SEARCHED // len(self.stored)

    def admitted(self, repository: int, own: StoredCommits) -> NDArray[np.bool_]:
        """Return which commits of a repository time, author and number admit."""
        question = self.plan.question
        kept = (own.times >= question.after) & (own.times < question.before)
        if self.author is not None:
            kept &= own.by(self.author)
        share = self._share()
        if len(kept) > share:
            if kept[share:].any():
                self.reasons.setdefault(repository, "too_many_commits")
            kept[share:] = False
        return kept

    def ordered(self) -> OrderedCommits:
        """Return the commits that may fulfil the query."""
        kept = {key: self.admitted(key, own) for key, own in self.stored.items()}
        parts = {key: own.ids[kept[key]] for key, own in self.stored.items()}
        times = {key: own.times[kept[key]] for key, own in self.stored.items()}
        if not parts:
            empty = np.empty(0, np.int64)
            return OrderedCommits(empty, empty, empty)
        found = candidates(
            sorted(parts), self.plan.exact.tree, most=HISTORY_COMMITS_SEARCHED, of_commits=True
        )
        if not found.is_everything:
            unknown = {*found.incomplete, *found.damaged, *found.beyond}
            for key, own in parts.items():
                if key not in unknown:
                    may = np.isin(own, found.files.get(key, ()), assume_unique=True)
                    parts[key], times[key] = own[may], times[key][may]
        ids = np.concatenate([*parts.values()])
        of_times = np.concatenate([*times.values()])
        repositories = np.repeat(np.array([*parts], np.int64), [*map(len, parts.values())])
        order = np.lexsort((-ids, -of_times))
        return OrderedCommits(of_times[order], ids[order], repositories[order])

    def hits(self, place: CommitPlace = _BEFORE_ALL) -> Generator[CommitHit]:
        """Yield what fulfils the query from a place on, until the time is used up."""
        rest = self.ordered().after(place)
        start, size = 0, _FIRST
        while start < len(rest.ids):
            portion = OrderedCommits(*(own[start : start + size] for own in rest))
            read = self._diffs if self.plan.question.is_diff else self._messages
            for hit in read(portion, rest, start):
                if hit.place[:2] != place[:2] or hit.place.path > place.path:
                    yield hit
            if self.stopped_at is not None:
                return
            start, size = start + size, _FIRST if self.plan.reads_paths else _PORTION

    def _messages(
        self, portion: OrderedCommits, rest: OrderedCommits, start: int
    ) -> Iterator[CommitHit]:
        ids = id_array(portion.ids.tolist())
        texts = {key: (subject, body) for key, subject, body in fetch_rows(_MESSAGES, [ids])}
        paths: dict[int, list[tuple[str, ...]]] = {}
        for key, path, old_path in fetch_rows(_PATHS, [ids]) if self.plan.reads_paths else ():
            paths.setdefault(key, []).append((path, old_path) if old_path else (path,))
        for at, (when, key, repository) in enumerate(portion.rows()):
            if self._is_late(rest, start + at):
                return
            if key in texts:
                named = paths.get(key, [("",)])  # of none, as of a merge, what asks for no path
                hit = self._hit(CommitPlace(when, key), repository, message(*texts[key]), named)
                if hit is not None:
                    yield hit

    def _diffs(
        self, portion: OrderedCommits, rest: OrderedCommits, start: int
    ) -> Iterator[CommitHit]:
        ids = id_array(portion.ids.tolist())
        patches = dict(fetch_rows(_PATCHES, [ids]))
        renamed: dict[tuple[int, str], str] = {}
        if self.plan.reads_paths:
            rows = fetch_rows(_RENAMED, [ids])
            renamed = {(key, path): old_path for key, path, old_path in rows}
        for at, (when, key, repository) in enumerate(portion.rows()):
            if self._is_late(rest, start + at):
                return
            for path, hunks in self._patched(patches.get(key)):
                old_path = renamed.get((key, path), "")
                named = [(path, old_path) if old_path else (path,)]
                if self.plan.reads_paths and not self._admits(repository, named, {}, may=True):
                    continue
                document = changed_lines(path, hunks)
                hit = self._hit(CommitPlace(when, key, path), repository, document, named)
                if hit is not None:
                    yield hit

    def _patched(self, data: bytes | None) -> Iterator[tuple[str, str]]:
        """Yield the paths of a patch with their hunks, if the texts may match."""
        patch = b"" if data is None else patch_json(data)
        if patch and self.plan.may_match_json(patch):
            for path, hunks in read_patch(patch):
                if self.plan.may_match(hunks.encode()):
                    yield path, hunks

    def _is_late(self, rest: OrderedCommits, at: int) -> bool:
        """Return whether the time is used up, and note where; the first commit is always read."""
        if at == 0 or not self.is_late:
            return False
        self.stopped_at = CommitPlace(int(rest.times[at - 1]), int(rest.ids[at - 1]), _LAST_PATH)
        for repository in np.unique(rest.repositories[at:]).tolist():
            self.reasons.setdefault(repository, "timeout")
        return True

    def _hit(
        self,
        place: CommitPlace,
        repository: int,
        document: Document,
        named: Sequence[tuple[str, ...]],
    ) -> CommitHit | None:
        """Return the text if it fulfils the query with one of the paths."""
        exact = self.plan.exact
        try:
            matches = text_matches(document, exact.patterns, exact.shown)
        except (SlowFileError, TimeoutError):
            self.reasons.setdefault(repository, "timeout")
            return None
        if not self._admits(repository, named, matches.found):
            return None
        return CommitHit(place, repository, document, matches.spans, matches.is_cut)

    def _admits(
        self,
        repository: int,
        named: Sequence[tuple[str, ...]],
        found: MatchedTerms,
        *,
        may: bool = False,
    ) -> bool:
        """Return whether one of the paths fulfils the query, or `may` once its text is read."""
        name, values = self.scope.searched[repository].name, self._of(repository)
        return any(
            self.plan.admits(repository, name, path, values, found, may=may)
            for paths in named
            for path in paths
        )
