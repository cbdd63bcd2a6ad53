"""Files that match, found one after another: candidates by trigrams, verified on their content."""

import time
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice

from central.corpus.trigrams.candidates import candidates
from central.corpus.trigrams.segments import FileIds
from central.db import one_moment
from central.query.evaluate import Term
from central.query.syntax import Filter
from central.repositories.visibility import RepositorySnapshot
from central.search.exact.catalogue import catalogue
from central.search.exact.files import (
    CandidateFile,
    contents,
    defined_names,
    definitions,
    in_order,
)
from central.search.exact.limited import text_matches
from central.search.exact.matching import (
    FileMatches,
    Lines,
    SlowFileError,
    Span,
    TextPattern,
    file_matches,
    has_match,
    slow_size,
)
from central.search.exact.plan import ExactPlan
from central.search.exact.structural import StructuralMatcher
from central.search.query import RowFilter
from indexer.limits import EXACT_MATCHES_OF_FILE

Definitions = Mapping[int, set[int]]  # first lines, by file
_Place = tuple[int, CandidateFile]
_ByFilter = Mapping[Filter, Definitions]


@dataclass(frozen=True, slots=True)
class FileHit:
    """A file that matches, with its place among the candidates, from 0.

    `is_cut`: it has more matches. `defining`: lines on which a name of the query is defined.
    """

    position: int
    file: CandidateFile
    content: bytes
    spans: Sequence[Span]
    is_cut: bool
    defining: frozenset[int]


@dataclass(slots=True)
class Unread:
    """What a search did not look at: reasons by repository, and the candidate where it stopped."""

    reasons: dict[int, str] = field(default_factory=dict)
    stopped_at: int | None = None

    def add(self, repositories: Iterable[int], reason: str) -> None:
        """Note the reason of repositories that have none yet."""
        for repository in repositories:
            self.reasons.setdefault(repository, reason)


class ExactSearch:
    """One search, over the repositories that a credential sees. Read its hits once."""

    def __init__(
        self,
        plan: ExactPlan,
        repositories: Mapping[int, RepositorySnapshot],
        *,
        rows: RowFilter,
        files: int,
        seconds: float,
        matches: int = EXACT_MATCHES_OF_FILE,
    ) -> None:
        """Search at most `files` candidates, for some seconds; `matches` of a term in each.

        Raises InvalidError for a structural pattern that cannot be used.
        """
        self._plan = plan
        self._repositories = {
            key: item
            for key, item in sorted(repositories.items(), key=lambda one: one[1].name)
            if plan.evaluator.repository(item.name) is not False
        }
        self._rows = rows
        self._most_files = files
        self._most_matches = matches
        self._until = time.monotonic() + seconds
        self._matchers = {
            term: StructuralMatcher(pattern) for term, pattern in plan.structural.items()
        }
        self.unread = Unread()
        for matcher in self._matchers.values():
            matcher.check()

    def hits(self, start: int = 0) -> Generator[FileHit]:
        """Yield matching files from the candidate at `start` on, until the time is used up.

        Between two of them no transaction is open, unless there is one around. Without it, the
        repositories of files that are gone meanwhile are `reindexed` in `unread`.
        """
        with one_moment():
            ordered, by_filter, named = self._ordered()
        places: Iterator[_Place] = islice(enumerate(ordered), start, None)
        if by_filter or self._rows != RowFilter() or self._plan.evaluator.reads_names:
            places = self._admitted(places, by_filter, ordered)
        for position, file, content in contents(places):
            if time.monotonic() > self._until:
                self._stop(ordered, position)
                return
            if content is None:
                self.unread.add([file.repository], "reindexed")
                continue
            try:
                matches = self._matches(file, content, self._facts(file, by_filter))
            except SlowFileError:
                self.unread.add([file.repository], "timeout")
                continue
            except TimeoutError:
                self._stop(ordered, position)
                return
            if matches is None:
                continue
            asked = {line for found in by_filter.values() for line in found.get(file.id, ())}
            spans = matches.spans or _whole_lines(content, asked)
            defining = frozenset(asked | named.get(file.id, set()))
            yield FileHit(position, file, content, spans, matches.is_cut, defining)

    def _stop(self, ordered: Sequence[CandidateFile], position: int) -> None:
        self.unread.add((one.repository for one in ordered[position:]), "timeout")
        self.unread.stopped_at = position

    def _ordered(self) -> tuple[list[CandidateFile], _ByFilter, Definitions]:
        """Return the candidates, where the symbols of each filter are defined, and the names."""
        ids = list(self._repositories)
        named = definitions(self._plan.names, repositories=ids)
        by_filter = {
            term: definitions(
                defined_names(term, self._plan.query, repositories=ids), repositories=ids
            )
            for term in self._plan.symbols
        }
        files = self._candidates()
        return in_order(files, defining=named), by_filter, named

    def _admitted(
        self,
        places: Iterable[_Place],
        by_filter: _ByFilter,
        ordered: Sequence[CandidateFile],
    ) -> Iterator[_Place]:
        """Yield the files that names and symbols admit; only as many are asked as are read."""
        for place, file in places:
            if time.monotonic() > self._until:  # a filter's pattern may be slow, too
                self._stop(ordered, place)
                return
            if self._admits(file, self._facts(file, by_filter)):
                yield place, file

    def _admits(self, file: CandidateFile, facts: Mapping[Term, bool]) -> bool:
        """Return whether a file may match by its names and symbols."""
        return (
            self._rows.admits_file(
                repository=file.repository, path=file.path, language=file.language
            )
            and self._truth(file, facts) is not False
        )

    def _facts(
        self, file: CandidateFile, by_filter: Mapping[Filter, Collection[int]]
    ) -> dict[Term, bool]:
        return {term: file.id in files for term, files in by_filter.items()}

    def _candidates(self) -> list[CandidateFile]:
        ids, most = list(self._repositories), self._most_files
        generations = {key: item.generation for key, item in self._repositories.items()}
        if not ids:
            return []
        found = candidates(ids, self._plan.tree)
        if found.is_everything:
            files = catalogue.every_file(generations, limit=most + 1)
            if len(files) > most:
                self.unread.add(ids, "too_many_files")
            return files[:most]
        self.unread.add(found.damaged, "text_index_damaged")
        self.unread.add(found.incomplete, "text_index_incomplete")
        if sum(map(len, found.files.values())) > most:
            self.unread.add(found.files, "too_many_files")
        wanted: dict[int, FileIds] = {}
        for repository in ids:
            if repository in found.files:
                wanted[repository] = found.files[repository][:most]
                most -= len(wanted[repository])
        return catalogue.files(generations, wanted)

    def _truth(self, file: CandidateFile, found: Mapping[Term, bool]) -> bool | None:
        return self._plan.evaluator.file(
            repository=self._repositories[file.repository].name,
            path=file.path,
            language=file.language,
            found=found,
        )

    def _matches(
        self, file: CandidateFile, content: bytes, facts: Mapping[Term, bool]
    ) -> FileMatches | None:
        """Return the matches to show, or None if the file does not fulfil the query.

        Raises SlowFileError; TimeoutError if no process is free that could end in time.
        """
        found = dict(facts)
        parts: list[FileMatches] = []
        for term, pattern in self._plan.patterns.items():
            if term in self._plan.shown:
                matches = _text_matches(content, pattern, most=self._most_matches)
                parts.append(matches)
                found[term] = bool(matches.spans)
            else:
                found[term] = _has_match(content, pattern)
            if self._truth(file, found) is False:
                return None
        for structure, matcher in self._matchers.items():
            matches = matcher.matches(content, most=self._most_matches)
            found[structure] = bool(matches.spans)
            if structure in self._plan.shown:
                parts.append(matches)
        if not self._truth(file, found):
            return None
        spans = {span for part in parts for span in part.spans}
        return FileMatches(sorted(spans), any(part.is_cut for part in parts))


def _text_matches(content: bytes, pattern: TextPattern, *, most: int) -> FileMatches:
    if len(content) > slow_size(pattern):
        return text_matches(content, pattern, most=most)
    return file_matches(content, pattern, most=most)


def _has_match(content: bytes, pattern: TextPattern) -> bool:
    if len(content) > slow_size(pattern):
        return bool(text_matches(content, pattern, most=1).spans)
    return has_match(content, pattern)


def _whole_lines(content: bytes, numbers: Collection[int]) -> list[Span]:
    lines = Lines(content)
    return [lines.bounds(number) for number in sorted(numbers)]
