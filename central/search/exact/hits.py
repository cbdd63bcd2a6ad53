"""Files that match, found one after another: candidates by trigrams, verified on their content."""

import time
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Final

from central.corpus.trigrams.candidates import candidates
from central.corpus.trigrams.segments import FileIds
from central.db import one_moment
from central.query.evaluate import Term
from central.repositories.visibility import RepositorySnapshot
from central.search.exact.catalogue import IndexedState, catalogue
from central.search.exact.definitions import DEFINES_NONE, Definitions, find_definitions, name_spans
from central.search.exact.files import CandidateFile, contents, in_order, newer_files
from central.search.exact.limited import find_match, find_matches
from central.search.exact.matching import EXACT_MATCHES_OF_FILE, FileMatches, clipped
from central.search.exact.plan import ExactPlan
from central.search.exact.regions import DEFINITIONS, Regions, line_spans, lines_within
from central.search.exact.structural import StructuralMatcher
from central.search.exact.text_pattern import SlowFileError, Span
from central.search.filters import RowFilter, row_filter
from central.search.scope import SearchScope

EXACT_NAMES: Final = 50_000  # files that a page orders, if their names alone decide
_Place = tuple[int, CandidateFile]


class TimeUsedUpError(TimeoutError):
    """The time of the search is used up while it looks at a file."""


@dataclass(frozen=True, slots=True)
class FileHit:
    """A file that matches, with its place among the candidates, from 0.

    `is_cut`: it has more matches. `defining`: lines on which a name of the query is defined.
    `rank` is that of its definitions, from 0 to 3. `versions` are the keys of other versions of the
    file that show the same lines.
    """

    position: int
    file: CandidateFile
    content: bytes
    spans: Sequence[Span]
    is_cut: bool
    defining: frozenset[int]
    rank: int = 3
    versions: tuple[int, ...] = ()


@dataclass(slots=True)
class Unread:
    """What a search did not look at: reasons by repository, and the candidate where it stopped.

    `has_gaps`: some of it comes before that candidate, or no page will look at it.
    """

    reasons: dict[int, str] = field(default_factory=dict)
    stopped_at: int | None = None
    has_gaps: bool = False

    def add(self, repositories: Iterable[int], reason: str) -> None:
        """Note the reason of repositories that have none yet."""
        for repository in repositories:
            self.reasons.setdefault(repository, reason)
            self.has_gaps = True

    def stop(self, position: int, repositories: Iterable[int]) -> None:
        """Note that the time was used up at a candidate, and the repositories from there on."""
        for repository in repositories:
            self.reasons.setdefault(repository, "timeout")
        self.stopped_at = position


class ExactSearch:
    """One search, over the repositories that a credential sees. Read its hits once."""

    def __init__(
        self,
        scope: SearchScope,
        plan: ExactPlan,
        *,
        files: int,
        seconds: float,
        matches: int = EXACT_MATCHES_OF_FILE,
        only: RepositorySnapshot | None = None,
        newer_than: int = 0,
    ) -> None:
        """Search at most `files` candidates, for some seconds; `matches` of a term in each.

        `only` one of the scope's repositories, and only files with a key above `newer_than`, if
        given. Raises InvalidError for a structural pattern of a language that ast-grep does not
        know.
        """
        searched = [only] if only else sorted(scope.searched.values(), key=lambda item: item.name)
        values = scope.values(plan.evaluator.reads_values, searched)
        self.plan = plan
        self.scope = scope
        self._repositories = {
            item.id: item
            for item in searched
            if plan.evaluator.repository(item.name, values.get(item.id, {})) is not False
        }
        self._rows = row_filter(plan.read.request)
        self._newer_than = newer_than
        self._within = within = plan.read.within
        self._most_files = files
        self._until = time.monotonic() + seconds
        self._values = values
        self._most_matches = matches
        self._matchers = {
            term: StructuralMatcher(pattern) for term, pattern in plan.structural.items()
        }
        self._by_names = not (plan.reads_content or within)
        self._is_admitted_first = self._by_names or bool(within)
        self._start = 0
        self._written_define = False
        self.chosen = 0  # of the query's trigrams, those that its candidates have
        self.unread = Unread()
        self.named: tuple[int, int] | None = None  # matches and files, if names alone decide
        self.named_files: Sequence[CandidateFile] = ()  # these files

    @property
    def lacks(self) -> Mapping[int, str]:
        """Why its answer may lack something, by the repository's id."""
        unread = self.scope.values_unread(self.plan.evaluator.reads_values)
        return unread | self.unread.reasons

    def hits(self, start: int = 0, chosen: int = 0) -> Generator[FileHit]:
        """Yield matching files from the candidate at `start` on, until the time is used up.

        `chosen` is that of the search whose candidates are counted.
        """
        self.chosen = chosen
        with closing(self.steps(start)) as steps:
            yield from (hit for hit in steps if hit is not None)

    def steps(self, start: int = 0) -> Generator[FileHit | None]:
        """Yield the same, and None for each file that was read and does not match.

        Between two of them no transaction is open, unless there is one around. Without it, the
        repositories of files that are gone meanwhile are `reindexed` in `unread`.
        """
        self._start = start
        with one_moment():
            defined = find_definitions(self.plan, repositories=list(self._repositories))
            ordered = self._ordered(defined)
        regions = Regions(self._within, ordered[start:]) if self._within else None
        for position, file, content in contents(self._places(ordered, start, defined)):
            if time.monotonic() > self._until:
                self._stop(ordered, position)
                return
            lines = None if regions is None else regions.lines(file)
            hit = None
            try:
                if content is None or (regions is not None and lines is None):
                    self.unread.add([file.repository], "reindexed")
                elif lines is None or lines:
                    hit = self._hit(position, file, content, defined, lines)
            except SlowFileError:
                self.unread.add([file.repository], "timeout")
            except TimeoutError:
                self._stop(ordered, position)
                return
            yield hit

    def _stop(self, ordered: Sequence[CandidateFile], position: int) -> None:
        self.unread.stop(position, (file.repository for file in ordered[position:]))

    def _ordered(self, defined: Definitions) -> list[CandidateFile]:
        """Return the candidates in the order of the answer, and count them if names decide."""
        files = self._candidates()
        if self._is_admitted_first and self._has_filters:
            files = self._admitted(files, defined)
        self._written_define = any(
            not file.generated and defined.rank(file.id) < DEFINES_NONE for file in files
        )
        ordered = in_order(files, rank=partial(self._rank, defined))
        if self._by_names:
            self.named = self._matches_of_names(ordered, defined), self._count(ordered)
            self.named_files = ordered
        return ordered

    def _count(self, files: Sequence[CandidateFile]) -> int:
        """Return how many files there are, whatever versions of them."""
        if not self.scope.chosen.has_versions:
            return len(files)
        return len({(version.repository, version.path) for version in files})

    def _rank(self, defined: Definitions, file: CandidateFile) -> int:
        """Return the rank of definitions; a generated file's do not come before written ones."""
        if file.generated and self._written_define:
            return DEFINES_NONE
        return defined.rank(file.id)

    def _admitted(
        self, files: Sequence[CandidateFile], defined: Definitions
    ) -> list[CandidateFile]:
        """Return the files that names and symbols admit; none if the time does not suffice."""
        admitted = []
        for at, file in enumerate(files):
            if time.monotonic() > self._until:  # a filter's pattern may be slow
                self.unread.add(
                    (candidate_file.repository for candidate_file in files[at:]), "timeout"
                )
                return []  # no further page would get past them
            if self._admits(file, defined):
                admitted.append(file)
        return admitted

    def _places(
        self, ordered: Sequence[CandidateFile], start: int, defined: Definitions
    ) -> Iterator[_Place]:
        """Yield the files that names and symbols admit; only as many are asked as are read."""
        asks = self._has_filters and not self._is_admitted_first
        for position, file in islice(enumerate(ordered), start, None):
            if asks and time.monotonic() > self._until:
                self._stop(ordered, position)
                return
            if not asks or self._admits(file, defined):
                yield position, file

    @property
    def _has_filters(self) -> bool:
        plan = self.plan
        return bool(plan.symbols) or self._rows != RowFilter() or plan.evaluator.reads_names

    def _matches_of_names(self, files: Sequence[CandidateFile], defined: Definitions) -> int:
        """Return how many lines of the files define what the query's `sym:` filters mean."""
        places = [defined.of_filters[term] for term in self.plan.shown_symbols]
        return sum(
            len(set().union(*(lines.get(file.id, ()) for lines in places))) for file in files
        )

    def _admits(self, file: CandidateFile, defined: Definitions) -> bool:
        """Return whether a file may match by its names and symbols."""
        facts: dict[Term, bool] = {
            term: file.id in places for term, places in defined.of_filters.items()
        }
        if not self._rows.admits(file.repository, file.path, file.language):
            return False
        truth = self._truth(file, facts)
        return truth is True if self._by_names else truth is not False

    def _candidates(self) -> list[CandidateFile]:
        ids = list(self._repositories)
        most = max(self._most_files, EXACT_NAMES) if self._by_names else self._most_files
        if not ids:
            return []
        states = {
            key: IndexedState(item.generation, item.commit)
            for key, item in self._repositories.items()
        }
        if self._newer_than:
            newer = newer_files(ids, newer_than=self._newer_than, limit=most + 1)
            if sum(map(len, newer.values())) <= most:
                return catalogue.files(states, newer)
            return [file for file in self._found(ids, states, most) if file.id > self._newer_than]
        return self._found(ids, states, most)

    def _found(
        self, ids: Sequence[int], states: Mapping[int, IndexedState], most: int
    ) -> list[CandidateFile]:
        """Return the files that have the trigrams of the query."""
        found = candidates(list(ids), self.plan.tree, most=most, chosen=self.chosen)
        self.chosen = found.chosen
        if found.is_everything:
            files = catalogue.every_file(states, limit=most + 1)
            if len(files) > most:
                self.unread.add(ids, "too_many_files")
            return files[:most]
        self.unread.add(found.damaged, "text_index_damaged")
        self.unread.add(found.incomplete, "text_index_incomplete")
        if found.count > most:
            self.unread.add([*found.files, *found.beyond], "too_many_files")
        wanted: dict[int, FileIds] = {}
        for repository in ids:
            if repository in found.files:
                wanted[repository] = found.files[repository][:most]
                most -= len(wanted[repository])
        return catalogue.files(states, wanted)

    def _hit(
        self,
        position: int,
        file: CandidateFile,
        content: bytes,
        defined: Definitions,
        lines: Sequence[tuple[int, int]] | None,
    ) -> FileHit | None:
        """Return the file with its matches, in `lines` only if given; None if it does not match."""
        asked = {term: places.get(file.id, {}) for term, places in defined.of_filters.items()}
        if lines is not None:
            for term in self.plan.shown_symbols:
                inside = lines_within(asked[term], lines)
                asked[term] = {line: asked[term][line] for line in inside}
        try:
            matches = self._matches(
                file,
                content,
                {term: bool(found) for term, found in asked.items()},
                None if lines is None else line_spans(content, lines),
            )
        except TimeUsedUpError as exc:
            if position > self._start:
                raise
            raise SlowFileError from exc  # the next page would end here, too
        if matches is None:
            return None
        shown = {
            line: name for term in self.plan.shown_symbols for line, name in asked[term].items()
        }
        spans = sorted({*matches.spans, *name_spans(content, shown)})
        defining = {*shown, *defined.of_names.get(file.id, ())}
        if lines is not None and self._within == DEFINITIONS:
            defining.update(line for line, _ in lines)
            if not self.plan.shown and not self.plan.shown_symbols:
                spans = line_spans(content, lines)
        rank = self._rank(defined, file)
        return FileHit(position, file, content, spans, matches.is_cut, frozenset(defining), rank)

    def _truth(self, file: CandidateFile, found: Mapping[Term, bool]) -> bool | None:
        """Return whether a file fulfils the query; None if that depends on terms not in `found`."""
        return self.plan.evaluator.file(
            repository=self._repositories[file.repository].name,
            path=file.path,
            language=file.language,
            values=self._values.get(file.repository, {}),
            found=found,
        )

    def _matches(
        self,
        file: CandidateFile,
        content: bytes,
        facts: Mapping[Term, bool],
        regions: Sequence[Span] | None,
    ) -> FileMatches | None:
        """Return the matches to show, or None if the file does not fulfil the query.

        `facts` are the terms that names and symbols decide. Raises SlowFileError; TimeoutError if
        no process is free that could end in time; TimeUsedUpError between two terms.
        """
        found = dict(facts)
        parts: list[FileMatches] = []
        for term, pattern in self.plan.patterns.items():
            self._check_time()
            if term in self.plan.shown:
                matches = find_matches(content, pattern, most=self._most_matches, regions=regions)
                parts.append(matches)
                found[term] = bool(matches.spans)
            else:
                found[term] = find_match(content, pattern)
            if self._truth(file, found) is False:
                return None
        for structure, matcher in self._matchers.items():
            self._check_time()
            within = regions if structure in self.plan.shown else None
            matches = _within(matcher.matches(content, most=self._most_matches), within)
            found[structure] = bool(matches.spans)
            if structure in self.plan.shown:
                parts.append(matches)
        if not self._truth(file, found):
            return None
        spans = {span for part in parts for span in part.spans}
        return FileMatches(sorted(spans), any(part.is_cut for part in parts))

    def _check_time(self) -> None:
        if time.monotonic() > self._until:
            raise TimeUsedUpError


def _within(matches: FileMatches, regions: Sequence[Span] | None) -> FileMatches:
    if regions is None:
        return matches
    return FileMatches(list(clipped(iter(matches.spans), regions)), matches.is_cut)
