"""Files that match, found one after another: candidates by trigrams, verified on their content."""

import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field

from central.corpus.trigrams.candidates import candidates
from central.db import one_moment
from central.query.evaluate import Term
from central.query.syntax import Structural
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
    MatchedLine,
    file_matches,
    has_match,
    matched_lines,
)
from central.search.exact.plan import ExactPlan
from central.search.exact.structural import SlowFileError, StructuralMatcher, opened


@dataclass(frozen=True, slots=True)
class FileHit:
    """A file that matches, with its place among the candidates, from 0.

    `lines` are the first that matches touch; `matches` counts all, `is_cut`: there are more.
    """

    position: int
    file: CandidateFile
    lines: list[MatchedLine]
    matches: int
    is_cut: bool
    content: Lines


@dataclass(slots=True)
class Progress:
    """What a search has not looked at, by repository; filled as hits are read."""

    without_text_index: set[int] = field(default_factory=set)
    not_read: set[int] = field(default_factory=set)  # for want of time, or of room
    stopped_at: int | None = None  # the candidate at which the time was used up


class ExactSearch:
    """One search, over the repositories that a credential sees. Read its hits once."""

    def __init__(
        self,
        plan: ExactPlan,
        repositories: Mapping[int, RepositorySnapshot],
        *,
        files: int,
        seconds: float,
        lines: int,
    ) -> None:
        self._plan = plan
        self._repositories = {
            key: item
            for key, item in repositories.items()
            if plan.evaluator.repository(item.name) is not False
        }
        self._most_files = files
        self._until = time.monotonic() + seconds
        self._lines = lines
        self._matchers: dict[Structural, StructuralMatcher] = {}
        self.progress = Progress()

    def hits(self, start: int = 0) -> Iterator[FileHit]:
        """Yield matching files from the candidate at `start` on, until the time is used up."""
        with ExitStack() as stack:
            for term, pattern in self._plan.structural.items():
                self._matchers[term] = stack.enter_context(opened(pattern))
                self._matchers[term].check()
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
        admitted = [
            (file, facts)
            for file in self._candidates()
            if self._truth(file, facts := {term: file.id in by_filter[term] for term in by_filter})
            is not False
        ]
        facts_of = {file.id: facts for file, facts in admitted}
        ordered = in_order(
            [file for file, _ in admitted],
            defining=named,
            projects={key: item.name for key, item in self._repositories.items()},
        )
        for position, (file, content) in enumerate(contents(ordered[start:]), start):
            if time.monotonic() > self._until:
                self.progress.not_read |= {one.repository for one in ordered[position:]}
                self.progress.stopped_at = position
                return
            matches = self._matches(file, content, facts_of[file.id])
            if matches is not None:
                asked = {line for found in by_filter.values() for line in found.get(file.id, ())}
                yield self._hit(position, file, content, matches, named.get(file.id, set()), asked)

    def _candidates(self) -> list[CandidateFile]:
        ids, most = list(self._repositories), self._most_files
        if not ids:
            return []
        found = candidates(ids, self._plan.tree)
        if found.is_everything:
            files = every_file(repositories=ids, limit=most + 1)
            if len(files) > most:
                self.progress.not_read |= set(ids)
            return files[:most]
        self.progress.without_text_index |= found.incomplete
        wanted = [int(one) for part in found.files.values() for one in part]
        if len(wanted) > most:
            self.progress.not_read |= set(found.files)
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
        for term, pattern in self._plan.patterns.items():
            found[term] = has_match(content, pattern)
            if self._truth(file, found) is False:
                return None
        structural: dict[Structural, FileMatches] = {}
        for structure, matcher in self._matchers.items():
            try:
                structural[structure] = matcher.matches(content)
            except SlowFileError:
                self.progress.not_read.add(file.repository)
                return None
            found[structure] = bool(structural[structure].spans)
        if not self._truth(file, found):
            return None
        shown = [term for term in self._plan.shown if found[term]]
        parts = [structural[term] for term in shown if isinstance(term, Structural)]
        texts = [self._plan.patterns[term] for term in shown if not isinstance(term, Structural)]
        parts.append(file_matches(content, texts))
        spans = {span for part in parts for span in part.spans}
        return FileMatches(sorted(spans), any(part.is_cut for part in parts))

    def _hit(
        self,
        position: int,
        file: CandidateFile,
        content: bytes,
        matches: FileMatches,
        defining: Collection[int],
        asked: Collection[int],
    ) -> FileHit:
        lines = Lines(content)
        spans = matches.spans or [lines.bounds(line) for line in sorted(asked)]
        return FileHit(
            position=position,
            file=file,
            lines=matched_lines(lines, spans, limit=self._lines, defining={*defining, *asked}),
            matches=len(spans),
            is_cut=matches.is_cut,
            content=lines,
        )
