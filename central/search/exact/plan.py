"""What an exact search needs of a query: its trigrams, its patterns, the names that it has."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from central.corpus.trigrams.regex import matches_no_text, required_trigrams
from central.corpus.trigrams.tree import EVERYTHING, Tree, all_of, any_of, bounded, literal_trigrams
from central.query.errors import QueryError
from central.query.evaluate import Evaluator
from central.query.filters import FilterName
from central.query.patterns import with_line_ends
from central.query.syntax import (
    And,
    ContentTerm,
    Filter,
    Literal,
    Node,
    Or,
    Query,
    Regex,
    Structural,
    leaves,
)
from central.search.exact.structural import StructuralMatcher, StructuralPattern
from central.search.exact.text_pattern import TextPattern, finder
from central.search.reading import ReadRequest


@dataclass(frozen=True, slots=True)
class ExactPlan:
    """A query that is read as the steps of a search need it.

    `patterns` are all literals and regular expressions; `shown` are the terms outside of
    negations, whose matches the answer lists, `shown_symbols` those of the `sym:` filters.
    """

    read: ReadRequest
    evaluator: Evaluator
    tree: Tree
    patterns: Mapping[Literal | Regex, TextPattern]
    structural: Mapping[Structural, StructuralPattern]
    symbols: tuple[Filter, ...]
    shown: tuple[ContentTerm, ...]
    shown_symbols: tuple[Filter, ...]

    @property
    def reads_content(self) -> bool:
        """Whether the content of a file decides if it matches."""
        return bool(self.patterns or self.structural)

    def check_structural(self) -> None:
        """Raise InvalidError for a structural pattern that cannot be used."""
        for pattern in self.structural.values():
            StructuralMatcher(pattern).check()

    @property
    def needs_lookup(self) -> bool:
        """Whether a file's names do not decide: content or symbols must be looked at."""
        return self.reads_content or bool(self.symbols)


def exact_plan(read: ReadRequest) -> ExactPlan:
    """Plan the query of a request. Raises QueryError for patterns that RE2 refuses.

    The language of structural patterns is the query's or, if it names none, the request's.
    """
    query = read.query
    patterns = {
        term: _text_pattern(query, term)
        for term in query.content_terms
        if not isinstance(term, Structural)
    }
    positive = tuple(dict.fromkeys(_positive(query.predicate)))
    language = _language(query.predicate) or read.request.language
    return ExactPlan(
        read=read,
        evaluator=Evaluator(query),
        tree=bounded(_tree(query.predicate)),
        patterns=patterns,
        structural={
            term: StructuralPattern(term.pattern, language)
            for term in query.content_terms
            if isinstance(term, Structural)
        },
        symbols=tuple(
            term
            for term in leaves(query.predicate)
            if isinstance(term, Filter) and term.name is FilterName.SYM
        ),
        shown=tuple(term for term in positive if not isinstance(term, Filter)),
        shown_symbols=tuple(
            term for term in positive if isinstance(term, Filter) and term.name is FilterName.SYM
        ),
    )


def _text_pattern(query: Query, term: Literal | Regex) -> TextPattern:
    is_regex = isinstance(term, Regex)
    text = term.pattern if isinstance(term, Regex) else term.text
    pattern = TextPattern(text, is_regex, query.ignores_case(term))
    finder(pattern)  # compiles it
    if is_regex and matches_no_text(text):
        raise QueryError(
            "this regular expression matches places only, no text. Write what stands there, such "
            "as /;$/ or /^import/; file:* lists every file.",
            column=term.column,
        )
    return pattern


def _tree(node: Node | None) -> Tree:
    """Return the trigrams that the content of a matching file has."""
    match node:
        case And(terms=terms):
            return all_of(map(_tree, terms))
        case Or(terms=terms):
            return any_of(map(_tree, terms))
        case Literal(text=text):
            return literal_trigrams(text)
        case Regex(pattern=pattern):
            return required_trigrams(with_line_ends(pattern))
        case Structural(pattern=pattern):
            return all_of(map(literal_trigrams, StructuralPattern(pattern, "").words))
    return EVERYTHING


def _positive(node: Node | None) -> Iterator[ContentTerm | Filter]:
    match node:
        case And(terms=terms) | Or(terms=terms):
            for term in terms:
                yield from _positive(term)
        case Literal() | Regex() | Structural() | Filter():
            yield node


def _language(node: Node | None) -> str:
    """Return the language that the query requires, if it names exactly one."""
    terms = node.terms if isinstance(node, And) else (node,)
    named = {
        term.value for term in terms if isinstance(term, Filter) and term.name is FilterName.LANG
    }
    return named.pop() if len(named) == 1 else ""
