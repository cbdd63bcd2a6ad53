"""What a search of commits needs of its query: texts, trigrams, and which paths count. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from msgspec import json

from central.corpus.trigrams.regex import required_texts
from central.query.evaluate import Evaluator, MatchedTerms, RepositoryValues
from central.query.filters import FilterName
from central.query.syntax import Filter, Literal, Regex, conjuncts, leaves
from central.search.commit_question import CommitQuestion
from central.search.exact.plan import ExactPlan, exact_plan
from central.search.exact.text_pattern import TextPattern, finder
from central.search.filters import RowFilter, row_filter
from central.search.reading import ReadRequest
from indexer.languages.registry import detect

_OF_PATHS: Final = frozenset({FilterName.FILE, FilterName.LANG, FilterName.OWNER})
path_language = lru_cache(maxsize=65_536)(lambda path: detect(path, b"").name)
May = Callable[[bytes], bool]


@dataclass(frozen=True, slots=True)
class CommitPlan:
    """A query of commits. `may_match` looks soon at a text, `may_match_json` at one in JSON.

    `reads_paths`: what a commit changed decides, too.
    """

    exact: ExactPlan
    question: CommitQuestion
    rows: RowFilter
    may_match: May
    may_match_json: May
    reads_paths: bool

    @property
    def evaluator(self) -> Evaluator:
        """The query's predicate."""
        return self.exact.evaluator

    def admits(
        self,
        repository: int,
        name: str,
        path: str,
        values: RepositoryValues,
        found: MatchedTerms,
        *,
        may: bool,
    ) -> bool:
        """Return whether the query is true of a path, by the terms `found` in a text of it.

        With `may`, also whether it depends on terms that are not in `found`.
        """
        language = path_language(path) if path else ""
        if not self.rows.admits(repository, path, language):
            return False
        truth = self.evaluator.file(
            repository=name, path=path, language=language, values=values, found=found
        )
        return truth is not False if may else truth is True


def commit_plan(read: ReadRequest) -> CommitPlan:
    """Compile a query of commits. Raises QueryError for a pattern that cannot be used."""
    if read.commits is None:
        raise ValueError("the request is not of commits")
    exact = exact_plan(read)
    rows = row_filter(read.request)
    named = {term.name for term in leaves(read.query.predicate) if isinstance(term, Filter)}
    needed = [
        exact.patterns[term]
        for term in conjuncts(read.query.predicate)
        if isinstance(term, Literal | Regex)
    ]
    return CommitPlan(
        exact=exact,
        question=read.commits,
        rows=rows,
        may_match=_quick_tests(needed, str),
        may_match_json=_quick_tests(needed, _in_json),
        reads_paths=rows != RowFilter() or not named.isdisjoint(_OF_PATHS),
    )


def _quick_tests(patterns: Sequence[TextPattern], written: Callable[[str], str]) -> May:
    """Return what is true of each text with matches of all patterns, and soon known."""
    tests = [test for pattern in patterns if (test := _quick_test(pattern, written)) is not None]
    return lambda text: all(test(text) for test in tests)


def _quick_test(pattern: TextPattern, written: Callable[[str], str]) -> May | None:
    """Return what is true of each text with a match; None if nothing is known of it.

    `written`: how a part of a line is written in the text.
    """
    if not pattern.is_regex:
        if "\n" in pattern.text:
            return None
        find = finder(TextPattern(written(pattern.text), ignore_case=pattern.ignore_case))
        return lambda text: next(find(text), None) is not None
    texts = () if pattern.ignore_case else required_texts(pattern.text)
    if not texts or any("\n" in text for text in texts):
        return None
    wanted = [written(text).encode() for text in texts]
    return lambda text: any(part in text for part in wanted)


def _in_json(text: str) -> str:
    return json.encode(text)[1:-1].decode()
