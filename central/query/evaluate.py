"""The predicate of a query against repositories and files; pure, in linear time.

Truth has three values: None is unknown, because it depends on what is not looked at yet.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final, Protocol

from central.query.filters import COMMIT_FILTERS, NO_OWNER, FilterName, Match
from central.query.patterns import owner_matcher, text_matcher
from central.query.syntax import And, ContentTerm, Filter, Node, Not, Or, Query, Word, leaves

Term = Filter | ContentTerm
MatchedTerms = Mapping[Term, bool]


class KnownValues(Protocol):
    """What a filter compares beside names: such as the owners of a repository's files."""

    @property
    def names(self) -> Collection[str] | None:
        """All that a file of it has, perhaps others too; None if that is not known."""

    def of(self, path: str) -> Collection[str] | None:
        """Return those of a file; None if they are not known."""


RepositoryValues = Mapping[FilterName, KnownValues]
# Repository, path, language, values
_Facts = tuple[str, str | None, str | None, RepositoryValues]
_Truth = Callable[[_Facts, MatchedTerms], bool | None]
_PLACES: Final = {FilterName.REPO: 0, FilterName.FILE: 1, FilterName.LANG: 2}
# Decided by what a file holds, or by its commit.
_BY_CONTENT: Final = {FilterName.SYM, FilterName.TYPE, FilterName.REV, *COMMIT_FILTERS}
# Filters of values, and how one compares them.
_MATCHERS: Final[Mapping[FilterName, Callable[..., Callable[[str], bool]]]] = {
    FilterName.OWNER: owner_matcher
}
# Of looking at each; terms of content have none, and come first.
_COSTS: Final[Mapping[FilterName, int]] = {
    FilterName.LANG: 0,
    FilterName.REPO: 1,
    FilterName.FILE: 2,
    **dict.fromkeys(_MATCHERS, 3),
}
_NO_VALUES: Final[RepositoryValues] = {}
_NOTHING_FOUND: MatchedTerms = {}


class Evaluator:
    """A query's predicate, compiled; made once for many repositories and files.

    Raises QueryError if a filter's pattern is one that RE2 refuses.
    """

    def __init__(self, query: Query) -> None:
        self.predicate = query.predicate
        self._truth: _Truth = _always
        if self.predicate is not None:
            self._truth = _compiled(self.predicate, query)
        names = {term.name for term in leaves(self.predicate) if isinstance(term, Filter)}
        self.reads_names = not names.isdisjoint(_COSTS)
        self.reads_values = names.intersection(_MATCHERS)

    def repository(self, name: str, values: RepositoryValues = _NO_VALUES) -> bool | None:
        """Return whether files of the repository match: all, none, or it depends on the file."""
        return self._truth((name, None, None, values), _NOTHING_FOUND)

    def file(
        self,
        *,
        repository: str,
        path: str,
        language: str,
        values: RepositoryValues = _NO_VALUES,
        found: MatchedTerms = _NOTHING_FOUND,
    ) -> bool | None:
        """Return whether a file matches; `values` are those of its repository.

        `found` says which literals, patterns, `sym:` and `type:` filters are true of the file.
        The answer is None only if it depends on one that is not in `found`, or on values that are
        not known.
        """
        return self._truth((repository, path, language, values), found)


def _always(_facts: _Facts, _found: MatchedTerms) -> bool:
    return True


def _compiled(node: Node, query: Query) -> _Truth:
    """Return the truth of a node by Kleene's logic.

    A part that is unknown matters only if no other part decides, so cheap parts come first.
    """
    match node:
        case Not(term=term):
            return _negation(_compiled(term, query))
        case And(terms=terms) | Or(terms=terms):
            parts = [_compiled(term, query) for term in sorted(terms, key=_cost)]
            return _first(parts, decides=isinstance(node, Or))
        case Word():  # a predicate has none
            return _always
        case Filter(name=name) if name in _MATCHERS:
            return _of_values(node)
        case Filter(name=name) if name not in _BY_CONTENT:
            return _of_name(node, query)
    return lambda _, found: found.get(node)


def _cost(node: Node) -> int:
    """Return the highest cost of the names that a node looks at."""
    return max(
        (
            _COSTS[leaf.name]
            for leaf in leaves(node)
            if isinstance(leaf, Filter) and leaf.name in _COSTS
        ),
        default=-1,
    )


def _of_name(term: Filter, query: Query) -> _Truth:
    place = _PLACES[term.name]
    test = text_matcher(
        term.value, term.match, ignore_case=query.ignores_case(term), column=term.column
    )

    def truth(facts: _Facts, _: MatchedTerms) -> bool | None:
        fact = facts[place]
        return test(fact) if isinstance(fact, str) else None

    return truth


def _of_values(term: Filter) -> _Truth:
    """Return the truth of a filter of values: a repository without it is decided as a whole."""
    wants_none = term.match is Match.SUBSTRING and term.value.lower() == NO_OWNER
    test = _MATCHERS[term.name](term.value, term.match, column=term.column)

    def truth(facts: _Facts, _found: MatchedTerms) -> bool | None:
        _, path, _, of_repository = facts
        values = of_repository.get(term.name)
        if values is None:
            return None
        names = values.names if path is None else values.of(path)
        if names is None:
            return None
        holds = not names if wants_none else any(map(test, names))
        if path is None and holds is not wants_none:  # one of its files may be owned, or not
            return None
        return holds

    return truth


def _negation(inner: _Truth) -> _Truth:
    def truth(facts: _Facts, found: MatchedTerms) -> bool | None:
        value = inner(facts, found)
        return None if value is None else not value

    return truth


def _first(parts: Sequence[_Truth], *, decides: bool) -> _Truth:
    def truth(facts: _Facts, found: MatchedTerms) -> bool | None:
        result: bool | None = not decides
        for part in parts:
            value = part(facts, found)
            if value is decides:
                return decides
            if value is None:
                result = None
        return result

    return truth
