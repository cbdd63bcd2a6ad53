"""Files that match, found one after another: candidates by trigrams, verified on their content."""

import time
from collections.abc import Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

from central.corpus.trigrams.candidates import candidates
from central.db import one_moment
from central.query.evaluate import Term
from central.query.syntax import Filter, Structural
from central.repositories.visibility import RepositorySnapshot
from central.search.exact.files import (
    CandidateFile,
    contents,
    defined_names,
    definitions,
    every_file,
    files_with_ids,
    in_order,
)
from central.search.exact.matching import (
    FileMatches,
    Lines,
    Span,
    file_matches,
    has_match,
)
from central.search.exact.plan import ExactPlan
from central.search.exact.structural import SlowFileError, StructuralMatcher, opened
from central.search.query import RowFilter


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
    ) -> None:
        """Search at most `files` candidates, for some seconds.

        Raises InvalidError for a structural pattern that cannot be used.
        """
        self._plan = plan
        self._repositories = {
            key: item
            for key, item in repositories.items()
            if plan.evaluator.repository(item.name) is not False
        }
        self._rows = rows
        self._most_files = files
        self._until = time.monotonic() + seconds
        self._matchers: dict[Structural, StructuralMatcher] = {}
        self.unread = Unread()
        for pattern in plan.structural.values():
            with opened(pattern) as matcher:
                matcher.check()

    def hits(self, start: int = 0) -> Generator[FileHit]:
        """Yield matching files from the candidate at `start` on, until the time is used up."""
        with ExitStack() as stack:
            for term, pattern in self._plan.structural.items():
                self._matchers[term] = stack.enter_context(opened(pattern))
            stack.enter_context(one_moment())
            yield from self._hits(start)

    def _hits(self, start: int) -> Iterator[FileHit]:
        ids = list(self._repositories)
        named = definitions(self._plan.names, repositories=ids)
        by_filter = {
            term: definitions(
                defined_names(term, self._plan.query, repositories=ids), repositories=ids
            )
            for term in self._plan.symbols
        }
        files = self._candidates()
        if by_filter or self._rows != RowFilter() or self._plan.evaluator.reads_names:
            files = [file for file in files if self._admits(file, self._facts(file, by_filter))]
        ordered = in_order(
            files,
            defining=named,
            projects={key: item.name for key, item in self._repositories.items()},
        )
        for position, (file, content) in enumerate(contents(ordered[start:]), start):
            if time.monotonic() > self._until:
                self.unread.add((one.repository for one in ordered[position:]), "timeout")
                self.unread.stopped_at = position
                return
            matches = self._matches(file, content, self._facts(file, by_filter))
            if matches is None:
                continue
            asked = {line for found in by_filter.values() for line in found.get(file.id, ())}
            spans = matches.spans or _whole_lines(content, asked)
            defining = frozenset(asked | named.get(file.id, set()))
            yield FileHit(position, file, content, spans, matches.is_cut, defining)

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
        if not ids:
            return []
        found = candidates(ids, self._plan.tree)
        if found.is_everything:
            files = every_file(repositories=ids, limit=most + 1)
            if len(files) > most:
                self.unread.add(ids, "too_many_files")
            return files[:most]
        self.unread.add(found.incomplete, "text_index_incomplete")
        wanted = [int(one) for part in found.files.values() for one in part]
        if len(wanted) > most:
            self.unread.add(found.files, "too_many_files")
        return files_with_ids(wanted[:most], repositories=ids)

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
        """Return the matches to show, or None if the file does not fulfil the query."""
        found = dict(facts)
        parts: list[FileMatches] = []
        for term, pattern in self._plan.patterns.items():
            if term in self._plan.shown:
                matches = file_matches(content, pattern)
                parts.append(matches)
                found[term] = bool(matches.spans)
            else:
                found[term] = has_match(content, pattern)
            if self._truth(file, found) is False:
                return None
        for structure, matcher in self._matchers.items():
            try:
                matches = matcher.matches(content)
            except SlowFileError:
                self.unread.add([file.repository], "timeout")
                return None
            found[structure] = bool(matches.spans)
            if structure in self._plan.shown:
                parts.append(matches)
        if not self._truth(file, found):
            return None
        spans = {span for part in parts for span in part.spans}
        return FileMatches(sorted(spans), any(part.is_cut for part in parts))


def _whole_lines(content: bytes, numbers: Collection[int]) -> list[Span]:
    lines = Lines(content)
    return [lines.bounds(number) for number in sorted(numbers)]
