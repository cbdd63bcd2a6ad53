"""What a query asks of commits: which ones, and of whom. Pure."""

from dataclasses import dataclass
from typing import Final, TypeGuard

from central.query.dates import read_date
from central.query.errors import QueryError
from central.query.filters import COMMIT_FILTERS, FilterName
from central.query.syntax import (
    And,
    Case,
    Filter,
    Literal,
    Node,
    Not,
    Or,
    Query,
    Word,
    conjunction,
    conjuncts,
    disjunction,
    leaves,
)
from indexer.records.history import LAST_SECOND

COMMIT: Final = "commit"
DIFF: Final = "diff"


@dataclass(frozen=True, slots=True)
class CommitQuestion:
    """A search of commits, or of what they changed (`is_diff`).

    Only those committed at `after` or later, and before `before`; seconds since 1970. Each of
    `authors` is a part of the author's address, or all of it, and of `other_authors` is not.
    """

    is_diff: bool
    after: int = 0
    before: int = LAST_SECOND + 1
    authors: tuple[str, ...] = ()
    other_authors: tuple[str, ...] = ()


def commit_question(kind: str, query: Query, *, now: float) -> tuple[CommitQuestion, Query]:
    """Return what is asked of commits, and the query without it.

    Raises QueryError for `sym:`, and for dates and authors in an OR.
    """
    terms = conjuncts(query.root)
    after, before, authors, others = 0, LAST_SECOND + 1, [], []
    kept: list[Node] = []
    for term in terms:
        if isinstance(term, Not) and is_commit_filter(term.term):
            if term.term.name is not FilterName.AUTHOR:
                opposite = "before" if term.term.name is FilterName.AFTER else "after"
                raise QueryError(f"write {opposite}: instead.", column=term.term.column)
            others.append(term.term.value.lower())
        elif not is_commit_filter(term):
            kept.append(term)
        elif term.name is FilterName.AUTHOR:
            authors.append(term.value.lower())
        elif term.name is FilterName.AFTER:
            after = max(after, read_date(term.value, now) or 0)
        else:
            before = max(0, min(before, read_date(term.value, now) or 0))
    rest = Query(conjunction(kept), query.case)
    _check_rest(kind, rest)
    question = CommitQuestion(kind == DIFF, after, before, tuple(authors), tuple(others))
    return question, rest


def _check_rest(kind: str, query: Query) -> None:
    for term in leaves(query.root):
        if is_commit_filter(term):
            raise QueryError(
                f"`{term.name}:` stands beside the other terms: not in a group or an OR.",
                column=term.column,
            )
        if isinstance(term, Filter) and term.name is FilterName.SYM:
            raise QueryError(
                f"definitions of commits are not known. Leave sym: out with type:{kind}, or write "
                "the name in quotes.",
                column=term.column,
            )


def is_commit_filter(term: Node) -> TypeGuard[Filter]:
    """Return whether a term is a filter of commits."""
    return isinstance(term, Filter) and term.name in COMMIT_FILTERS


def words_as_texts(query: Query) -> Query:
    """Return the query with its words as texts, in any case unless `case:yes` is given."""
    return Query(_as_texts(query.root, query.case), query.case)


def _as_texts(node: Node, case: Case) -> Node:
    match node:
        case Word(text=text, column=column):
            return Literal(text if case is Case.YES else text.lower(), column)
        case And(terms=terms):
            return conjunction(_as_texts(term, case) for term in terms)
        case Or(terms=terms):
            return disjunction(_as_texts(term, case) for term in terms)
        case Not(term=term):
            return Not(_as_texts(term, case))
    return node
