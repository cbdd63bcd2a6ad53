"""The syntax tree of a query; `str` of a node is its text, from which the parser makes it again.

A tree is in one form: no `And` holds an `And`, no `Or` an `Or`, each has two terms or more (an
empty query is `And(())`). Columns are for messages and do not count when nodes are compared.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from central.query.escapes import (
    MINUS,
    SMALL_OPERATORS,
    TERM_REGEX,
    escape_glob,
    escape_word,
    quote,
    slash,
    write_value,
)
from central.query.filters import CASE, CONTENT, FilterName, Match
from central.query.patterns import has_upper_case


class Case(StrEnum):
    """Whether upper and lower case differ; `AUTO`: where a term has an upper-case letter."""

    YES = "yes"
    NO = "no"
    AUTO = "auto"


def _column() -> int:
    return field(default=1, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Word:
    """A word of the semantic query: it restricts nothing, unless it is negated."""

    text: str
    column: int = _column()

    def __str__(self) -> str:
        return escape_word(self.text)


@dataclass(frozen=True, slots=True)
class Literal:
    """Text that the content of a file must hold."""

    text: str
    column: int = _column()

    def __str__(self) -> str:
        return quote(self.text)


@dataclass(frozen=True, slots=True)
class Regex:
    """A pattern of RE2 that must match in the content of a file."""

    pattern: str
    column: int = _column()

    def __str__(self) -> str:
        written = slash(self.pattern)
        return written if TERM_REGEX.fullmatch(written) else f"{CONTENT}:{written}"


@dataclass(frozen=True, slots=True)
class Structural:
    """A pattern of syntax trees, for ast-grep; only the mode `structural` makes it."""

    pattern: str
    column: int = _column()

    def __str__(self) -> str:
        return self.pattern


@dataclass(frozen=True, slots=True)
class Filter:
    """A condition on a repository, a path, a language, an owner, a symbol or a kind of result."""

    name: FilterName
    value: str
    match: Match = Match.SUBSTRING
    column: int = _column()

    def __str__(self) -> str:
        if self.match is Match.REGEX:
            return f"{self.name}:{slash(self.value)}"
        if self.match is Match.GLOB:
            return f"{self.name}:{escape_glob(self.value)}"
        return f"{self.name}:{write_value(self.value)}"


@dataclass(frozen=True, slots=True)
class Not:
    """What must not be so."""

    term: "Node"

    def __str__(self) -> str:
        if isinstance(self.term, And | Or | Not):
            return f"-({self.term})"
        written = f"-{self.term}"
        return written if MINUS.match(written) else f"NOT {self.term}"


@dataclass(frozen=True, slots=True)
class And:
    """All of the terms."""

    terms: "tuple[Node, ...]"

    def __str__(self) -> str:
        around = zip((None, *self.terms), self.terms, (*self.terms[1:], None), strict=False)
        return " ".join(_beside(before, term, after) for before, term, after in around)


@dataclass(frozen=True, slots=True)
class Or:
    """At least one of the terms."""

    terms: "tuple[Node, ...]"

    def __str__(self) -> str:
        return " OR ".join(map(_alternative, self.terms))


Node = Word | Literal | Regex | Structural | Filter | Not | And | Or
ContentTerm = Literal | Regex | Structural
NOTHING: Final = And(())
_WITHOUT_CASE: Final = frozenset({FilterName.REPO, FilterName.OWNER, FilterName.REV})


@dataclass(frozen=True, slots=True)
class Query:
    """A query as written. What it requires and what it asks for are derived from the tree."""

    root: Node = NOTHING
    case: Case = Case.AUTO

    def __str__(self) -> str:
        case = [] if self.case is Case.AUTO else [f"{CASE}:{self.case}"]
        root = [] if self.root == NOTHING else [str(self.root)]
        return " ".join([*case, *root])

    @property
    def words(self) -> str:
        """The semantic query: all words that are not negated, in order."""
        return " ".join(_words(self.root))

    @property
    def predicate(self) -> Node | None:
        """What a result must fulfil, without words; None if nothing is required."""
        return _restriction(self.root, negated=False)

    @property
    def terms(self) -> tuple[Filter | ContentTerm, ...]:
        """The filters, literals and patterns of the predicate, each once, in order."""
        return tuple(dict.fromkeys(leaves(self.predicate)))

    @property
    def content_terms(self) -> tuple[ContentTerm, ...]:
        """What must be searched for in the content of files."""
        return tuple(term for term in self.terms if not isinstance(term, Filter))

    @property
    def is_exact(self) -> bool:
        """Whether literals or patterns are asked for, and no words."""
        return not self.words and bool(self.content_terms)

    @property
    def filters_only(self) -> bool:
        """Whether there are filters, and neither words nor anything to find in content."""
        return not self.words and bool(self.terms) and not self.content_terms

    def ignores_case(self, term: Filter | Literal | Regex) -> bool:
        """Return whether upper and lower case are the same for a term.

        They are in `repo:` and `owner:`; `rev:` has its own rule, whatever `case:` is.
        """
        if isinstance(term, Filter) and term.name in _WITHOUT_CASE:
            return True
        if self.case is not Case.AUTO:
            return self.case is Case.NO
        match term:
            case Regex(pattern=pattern) | Filter(value=pattern, match=Match.REGEX):
                return not has_upper_case(pattern)
            case Literal(text=text) | Filter(value=text):
                return text == text.lower()


def leaves(node: Node | None) -> Iterator[Filter | ContentTerm]:
    """Yield the filters, literals and patterns of a tree, in order."""
    match node:
        case And(terms=terms) | Or(terms=terms):
            for term in terms:
                yield from leaves(term)
        case Not(term=term):
            yield from leaves(term)
        case Filter() | Literal() | Regex() | Structural():
            yield node


def conjunction(terms: Iterable[Node]) -> Node:
    """Return all of the terms as one node: without an `And` inside, without one around a term."""
    return _joined(And, terms)


def conjuncts(node: Node | None) -> tuple[Node, ...]:
    """Return the terms that must all be true; none of None."""
    if node is None:
        return ()
    return node.terms if isinstance(node, And) else (node,)


def disjunction(terms: Iterable[Node]) -> Node:
    """Return one of the terms as a node: without an `Or` inside, without one around a term."""
    return _joined(Or, terms)


def _joined(kind: type[And] | type[Or], terms: Iterable[Node]) -> Node:
    flat: list[Node] = []
    for term in terms:
        flat.extend(term.terms if isinstance(term, And | Or) and type(term) is kind else (term,))
    return flat[0] if len(flat) == 1 else kind(tuple(flat))


def _words(node: Node) -> Iterator[str]:
    match node:
        case Word(text=text):
            yield text
        case And(terms=terms) | Or(terms=terms):
            for term in terms:
                yield from _words(term)


def _restriction(node: Node, *, negated: bool) -> Node | None:
    """Return the node without words, which are true; inside of a negation they are literals."""
    match node:
        case Word(text=text, column=column):
            return Literal(text, column) if negated else None
        case Not(term=Not(term=term)):
            return _restriction(term, negated=True)
        case Not(term=term):
            inner = _restriction(term, negated=True)
            return None if inner is None else Not(inner)
        case And(terms=terms):
            kept = [
                restriction
                for term in terms
                if (restriction := _restriction(term, negated=negated))
            ]
            return conjunction(dict.fromkeys(kept)) if kept else None
        case Or(terms=terms):
            either = [_restriction(term, negated=negated) for term in terms]
            return (
                None
                if None in either
                else disjunction(
                    dict.fromkeys(restriction for restriction in either if restriction)
                )
            )
    return node


def _beside(before: Node | None, term: Node, after: Node | None) -> str:
    """Write a term of an `And`; a small operator that would be read there is escaped."""
    if isinstance(term, Or):
        return f"({term})"
    if isinstance(term, Word) and term.text in SMALL_OPERATORS:
        is_between = not isinstance(before, Word | None) and not isinstance(after, Word | None)
        if is_between or isinstance(after, Filter):
            return f"\\{term.text}"
    return str(term)


def _alternative(term: Node) -> str:
    """Write a term of an `Or`: words at the end of others do not meet the words of the next."""
    if not isinstance(term, And):
        return str(term)
    meets = isinstance(term.terms[0], Word) or isinstance(term.terms[-1], Word)
    return f"({term})" if meets and _restricts(term) else str(term)


def _restricts(node: Node) -> bool:
    """Return whether there is more than words."""
    if isinstance(node, And | Or):
        return any(map(_restricts, node.terms))
    return not isinstance(node, Word)
