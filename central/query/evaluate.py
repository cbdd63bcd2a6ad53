"""The predicate of a query against repositories and files; pure, in linear time.

Truth has three values: None is unknown, because it depends on what is not looked at yet.
"""

from collections.abc import Callable, Mapping

from central.query.filters import FilterName
from central.query.patterns import text_matcher
from central.query.syntax import And, ContentTerm, Filter, Node, Not, Or, Query, Word, leaves

Term = Filter | ContentTerm
Found = Mapping[Term, bool]
_METADATA = frozenset({FilterName.REPO, FilterName.FILE, FilterName.LANG})
_NOTHING_FOUND: Found = {}


class Evaluator:
    """A query's predicate with its filters compiled; made once for many repositories and files.

    Raises QueryError if a filter's pattern is one that RE2 refuses.
    """

    def __init__(self, query: Query) -> None:
        self.predicate = query.predicate
        self._tests: dict[Node, Callable[[str], bool]] = {
            term: text_matcher(
                term.value,
                term.match,
                ignore_case=query.ignores_case(term),
                column=term.column,
            )
            for term in leaves(self.predicate)
            if isinstance(term, Filter) and term.name in _METADATA
        }

    @property
    def reads_names(self) -> bool:
        """Whether a term is about the repository, the path or the language."""
        return bool(self._tests)

    def repository(self, name: str) -> bool | None:
        """Return whether files of the repository match: all, none, or it depends on the file."""
        return self._truth({FilterName.REPO: name}, _NOTHING_FOUND)

    def file(
        self, *, repository: str, path: str, language: str, found: Found = _NOTHING_FOUND
    ) -> bool | None:
        """Return whether a file matches.

        `found` says which literals, patterns, `sym:` and `type:` filters are true of the file.
        The answer is None only if it depends on one that is not in `found`.
        """
        facts = {FilterName.REPO: repository, FilterName.FILE: path, FilterName.LANG: language}
        return self._truth(facts, found)

    def _truth(self, facts: Mapping[FilterName, str], found: Found) -> bool | None:
        def of_term(term: Term) -> bool | None:
            if isinstance(term, Filter) and term.name in _METADATA:
                fact = facts.get(term.name)
                return None if fact is None else self._tests[term](fact)
            return found.get(term)

        return True if self.predicate is None else _truth(self.predicate, of_term)


def _truth(node: Node, of_term: Callable[[Term], bool | None]) -> bool | None:
    """Kleene's logic: a part that is unknown matters only if no other part decides."""
    match node:
        case Not(term=term):
            inner = _truth(term, of_term)
            return None if inner is None else not inner
        case And(terms=terms):
            return _first(terms, of_term, decides=False)
        case Or(terms=terms):
            return _first(terms, of_term, decides=True)
        case Word():  # a predicate has none
            return True
    return of_term(node)


def _first(
    terms: tuple[Node, ...], of_term: Callable[[Term], bool | None], *, decides: bool
) -> bool | None:
    result: bool | None = not decides
    for term in terms:
        truth = _truth(term, of_term)
        if truth is decides:
            return decides
        if truth is None:
            result = None
    return result
