"""The predicate of a query against repositories and files; pure, in linear time.

Truth has three values: None is unknown, because it depends on what is not looked at yet.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final, Protocol

from central.query.filters import NO_OWNER, FilterName, Match
from central.query.patterns import owner_matcher, text_matcher
from central.query.syntax import And, ContentTerm, Filter, Node, Not, Or, Query, Word, leaves

Term = Filter | ContentTerm
MatchedTerms = Mapping[Term, bool]


class Owners(Protocol):
    """The owners of a repository's files."""

    @property
    def names(self) -> Collection[str] | None:
        """All that own a file of it, perhaps others too; None if that is not known."""

    def of(self, path: str) -> Collection[str] | None:
        """Return the owners of a file; None if they are not known."""


# Repository, path, language, owners
_Facts = tuple[str | None, str | None, str | None, Owners | None]
_Truth = Callable[[_Facts, MatchedTerms], bool | None]
_PLACES: Final = {FilterName.REPO: 0, FilterName.FILE: 1, FilterName.LANG: 2, FilterName.OWNER: 3}
_COSTS: Final = (1, 2, 0, 3)  # of looking at each; terms of content have none, and come first
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
        self.reads_names = any(map(_is_of_names, leaves(self.predicate)))
        self.reads_owners = any(map(_is_of_owner, leaves(self.predicate)))

    def repository(self, name: str, owners: Owners | None = None) -> bool | None:
        """Return whether files of the repository match: all, none, or it depends on the file."""
        return self._truth((name, None, None, owners), _NOTHING_FOUND)

    def file(
        self,
        *,
        repository: str,
        path: str,
        language: str,
        owners: Owners | None = None,
        found: MatchedTerms = _NOTHING_FOUND,
    ) -> bool | None:
        """Return whether a file matches; `owners` are those of its repository.

        `found` says which literals, patterns, `sym:` and `type:` filters are true of the file.
        The answer is None only if it depends on one that is not in `found`, or on owners that are
        not known.
        """
        return self._truth((repository, path, language, owners), found)


def _is_of_names(term: Node) -> bool:
    """Return whether a term is about the repository, the path, the language or the owners."""
    return isinstance(term, Filter) and term.name in _PLACES


def _is_of_owner(term: Node) -> bool:
    return isinstance(term, Filter) and term.name is FilterName.OWNER


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
        case Filter(name=FilterName.OWNER):
            return _of_owner(node)
        case Filter(name=name) if name in _PLACES:
            return _of_name(node, query)
        case Word():  # a predicate has none
            return _always
    return lambda _, found: found.get(node)


def _cost(node: Node) -> int:
    """Return the highest cost of the names that a node looks at."""
    return max(
        (
            _COSTS[_PLACES[leaf.name]]
            for leaf in leaves(node)
            if isinstance(leaf, Filter) and leaf.name in _PLACES
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


def _of_owner(term: Filter) -> _Truth:
    """Return the truth of `owner:`; a repository without the owner is decided as a whole."""
    wants_none = term.match is Match.SUBSTRING and term.value.lower() == NO_OWNER
    test = owner_matcher(term.value, term.match, column=term.column)

    def truth(facts: _Facts, _found: MatchedTerms) -> bool | None:
        _, path, _, owners = facts
        if owners is None:
            return None
        names = owners.names if path is None else owners.of(path)
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
