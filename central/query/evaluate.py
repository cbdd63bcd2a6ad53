"""The predicate of a query against repositories and files; pure, in linear time.

Truth has three values: None is unknown, because it depends on what is not looked at yet.
"""

from collections.abc import Callable, Mapping, Sequence

from central.query.filters import FilterName
from central.query.patterns import text_matcher
from central.query.syntax import And, ContentTerm, Filter, Node, Not, Or, Query, Word, leaves

Term = Filter | ContentTerm
Found = Mapping[Term, bool]
_Facts = Mapping[FilterName, str]
_Truth = Callable[[_Facts, Found], bool | None]
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
        self._truth: _Truth = _always
        if self.predicate is not None:
            self._truth = self._compiled(self.predicate)

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

    def _compiled(self, node: Node) -> _Truth:
        """Return Kleene's logic: an unknown part matters only if no other part decides."""
        match node:
            case Not(term=term):
                return _negated(self._compiled(term))
            case And(terms=terms):
                return _first([*map(self._compiled, terms)], decides=False)
            case Or(terms=terms):
                return _first([*map(self._compiled, terms)], decides=True)
            case Word():  # a predicate has none
                return _always
        if isinstance(node, Filter) and node in self._tests:
            return _of_fact(node.name, self._tests[node])
        return lambda _, found: found.get(node)


def _always(_: _Facts, __: Found) -> bool | None:
    return True


def _of_fact(name: FilterName, test: Callable[[str], bool]) -> _Truth:
    def of_fact(facts: _Facts, _: Found) -> bool | None:
        fact = facts.get(name)
        return None if fact is None else test(fact)

    return of_fact


def _negated(part: _Truth) -> _Truth:
    def negated(facts: _Facts, found: Found) -> bool | None:
        inner = part(facts, found)
        return None if inner is None else not inner

    return negated


def _first(parts: Sequence[_Truth], *, decides: bool) -> _Truth:
    def first(facts: _Facts, found: Found) -> bool | None:
        result: bool | None = not decides
        for part in parts:
            truth = part(facts, found)
            if truth is decides:
                return decides
            if truth is None:
                result = None
        return result

    return first
