"""Verification of a candidate: whether its content fulfils the query, and where."""

import time
from collections.abc import Mapping, Sequence

from central.query.evaluate import RepositoryValues, Term
from central.repositories.visibility import RepositorySnapshot
from central.search.exact.files import CandidateFile
from central.search.exact.limited import find_match, find_matches
from central.search.exact.matching import FileMatches, clipped
from central.search.exact.plan import ExactPlan
from central.search.exact.structural import StructuralMatcher
from central.search.exact.text_pattern import Span


class TimeUsedUpError(TimeoutError):
    """The time of the search is used up while it looks at a file."""


def check_structural(plan: ExactPlan) -> None:
    """Raise InvalidError for a structural pattern that cannot be used."""
    for pattern in plan.structural.values():
        StructuralMatcher(pattern).check()


class Verifier:
    """The conditions of a query on files of some repositories, until the time `until`."""

    def __init__(
        self,
        plan: ExactPlan,
        repositories: Mapping[int, RepositorySnapshot],
        values: Mapping[int, RepositoryValues],
        *,
        until: float,
        most: int,
    ) -> None:
        """Find at most `most` matches of each term.

        Raises InvalidError for a structural pattern of a language that ast-grep does not know.
        """
        self._plan = plan
        self._repositories = repositories
        self._values = values
        self._until = until
        self._most = most
        self._matchers = {
            term: StructuralMatcher(pattern) for term, pattern in plan.structural.items()
        }

    def truth(self, file: CandidateFile, found: Mapping[Term, bool]) -> bool | None:
        """Return whether a file fulfils the query; None if that depends on terms not in `found`."""
        return self._plan.evaluator.file(
            repository=self._repositories[file.repository].name,
            path=file.path,
            language=file.language,
            values=self._values.get(file.repository, {}),
            found=found,
        )

    def matches(
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
        for term, pattern in self._plan.patterns.items():
            self._check_time()
            if term in self._plan.shown:
                matches = find_matches(content, pattern, most=self._most, regions=regions)
                parts.append(matches)
                found[term] = bool(matches.spans)
            else:
                found[term] = find_match(content, pattern)
            if self.truth(file, found) is False:
                return None
        for structure, matcher in self._matchers.items():
            self._check_time()
            within = regions if structure in self._plan.shown else None
            matches = _within(matcher.matches(content, most=self._most), within)
            found[structure] = bool(matches.spans)
            if structure in self._plan.shown:
                parts.append(matches)
        if not self.truth(file, found):
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
