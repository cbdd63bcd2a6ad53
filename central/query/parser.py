"""From the lexemes of a query to its tree.

Which parentheses group, and which AND, OR and NOT are operators, is decided before the grammar:
the others are words, so that each text fits it.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise
from typing import Any, Final

from lark import Lark, Token, Transformer
from lark.lexer import Lexer as LarkLexer

from central.query.errors import QueryError
from central.query.escapes import SMALL_OPERATORS
from central.query.lexemes import KEYWORDS, Kind, Lexeme, Lexer
from central.query.syntax import (
    NOTHING,
    Case,
    Filter,
    Node,
    Not,
    Query,
    Word,
    conjunction,
    disjunction,
)

QUERY_TERMS: Final = 100  # filters, literals, regular expressions, negated words
QUERY_NESTING: Final = 20
_OPERANDS: Final = frozenset({Kind.WORD, Kind.TERM})
_BEGINS: Final = _OPERANDS | {Kind.OPEN, Kind.MINUS, Kind.NOT}
_ENDS_TERM: Final = frozenset({Kind.TERM, Kind.CLOSE})
_BEGINS_TERM: Final = frozenset({Kind.TERM, Kind.OPEN, Kind.MINUS, Kind.NOT})
_NEGATIONS: Final = frozenset({Kind.MINUS, Kind.NOT})
_UPPER: Final = re.compile(r"[A-Z][A-Z_]+[^\w\s]*")


def read_lexemes(text: str) -> tuple[list[Lexeme], Case]:
    """Return the lexemes of a query, without `case:`, and its value. Raises QueryError."""
    lexer = Lexer(text)
    lexemes = _with_negations(list(lexer), text)
    case = only_case([lexeme for lexeme in lexemes if lexeme.kind is Kind.CASE])
    lexemes = _with_groups(
        [lexeme for lexeme in lexemes if lexeme.kind is not Kind.CASE], lexer.pairs, text
    )
    lexemes = list(_with_small_operators(lexemes, text))
    lexemes = list(_with_operators(list(_glued(lexemes))))
    _check_bounds(lexemes)
    return lexemes, case


def only_case(lexemes: Sequence[Lexeme]) -> Case:
    """Return the value of `case:`. Raises QueryError if there are two."""
    for lexeme, other in pairwise(lexemes):
        if lexeme.case is not other.case:
            raise QueryError(
                f"case:{lexeme.case} is written before. Write case: once, "
                "it is for the whole query.",
                column=other.column,
            )
    return lexemes[0].case if lexemes else Case.AUTO


def _as_word(lexeme: Lexeme, text: str) -> Lexeme:
    """Return a lexeme as the word that it is written as."""
    node = lexeme.node if lexeme.kind in KEYWORDS else None
    return replace(
        lexeme,
        kind=Kind.WORD,
        node=node or Word(text[lexeme.start : lexeme.end], lexeme.column),
    )


def _with_negations(lexemes: Sequence[Lexeme], text: str) -> list[Lexeme]:
    """Make words of each NOT without a term, and of those of SQL: `NOT NULL`."""
    kept: list[Lexeme] = []
    after: Lexeme | None = None
    for lexeme in reversed(lexemes):
        is_word = lexeme.kind is Kind.NOT and not _is_negation(after, text)
        after = _as_word(lexeme, text) if is_word else lexeme
        kept.append(after)
    return kept[::-1]


def _is_negation(after: Lexeme | None, text: str) -> bool:
    if after is None or after.kind not in _BEGINS:
        return False
    return after.kind is not Kind.WORD or not _UPPER.fullmatch(text[after.start : after.end])


def _with_groups(lexemes: Sequence[Lexeme], pairs: dict[int, int], text: str) -> list[Lexeme]:
    """Make words of parentheses without a partner, and of those around words alone."""
    grouping = set(_grouping(lexemes, pairs))
    found: list[Lexeme] = []
    for at, lexeme in enumerate(lexemes):
        before = found[-1] if found else None
        if lexeme.kind in {Kind.OPEN, Kind.CLOSE} and lexeme.start not in grouping:
            if lexeme.kind is Kind.OPEN and lexeme.start not in pairs:
                _check_unclosed(lexemes[at : at + 3])
            if before and before.kind is Kind.MINUS:
                found[-1] = _as_word(before, text)
            found.append(_as_word(lexeme, text))
        elif lexeme.kind is Kind.MINUS and before and _continues_word(before, lexeme):
            found.append(_as_word(lexeme, text))  # `(-x` without an end
        else:
            found.append(lexeme)
    return found


def _continues_word(before: Lexeme, lexeme: Lexeme) -> bool:
    return before.kind is Kind.WORD and _touches(before, lexeme)


def _check_unclosed(lexemes: Sequence[Lexeme]) -> None:
    """Raise QueryError if a parenthesis that has no end is directly before a term or a group."""
    paren, *others = lexemes
    after = [lexeme for lexeme in others if lexeme.kind is not Kind.MINUS]
    if not after or not _touches(paren, others[0]):
        return
    if after[0].kind is Kind.TERM or (after[0].kind is Kind.OPEN and len(after) < len(others)):
        raise QueryError(
            "this parenthesis is not closed. Write ) at the end of the group, or \\( if the "
            "character is meant.",
            column=paren.column,
        )


def _touches(left: Lexeme, right: Lexeme) -> bool:
    return left.end == right.start


def _grouping(lexemes: Sequence[Lexeme], pairs: dict[int, int]) -> Iterator[int]:
    """Yield the positions of the parentheses around terms or negations, and of negated ones."""
    restricting = _running(
        lexeme.kind in _NEGATIONS or lexeme.kind is Kind.TERM for lexeme in lexemes
    )
    operands = _running(lexeme.kind in _OPERANDS or lexeme.kind in KEYWORDS for lexeme in lexemes)
    index = {lexeme.start: at for at, lexeme in enumerate(lexemes)}
    negated_until = -1
    for at, lexeme in enumerate(lexemes):
        if lexeme.kind is not Kind.OPEN or lexeme.start not in pairs:
            continue
        close = pairs[lexeme.start]
        end = index[close]
        if operands[end] == operands[at]:
            continue
        if at and lexemes[at - 1].kind in _NEGATIONS:
            negated_until = max(negated_until, close)
        if restricting[end] > restricting[at] or close <= negated_until:
            yield lexeme.start
            yield close


def _running(flags: Iterator[bool]) -> list[int]:
    """Return how many flags are set before each."""
    counts = [0]
    for flag in flags:
        counts.append(counts[-1] + flag)
    return counts


def _with_small_operators(lexemes: Sequence[Lexeme], text: str) -> Iterator[Lexeme]:
    """Make operators of `or` and `and` between terms that restrict, and of `not` before a filter.

    Other tools read them so, and no question has them there.
    """
    before: Lexeme | None = None
    for lexeme, after in zip(lexemes, [*lexemes[1:], None], strict=False):
        written = text[lexeme.start : lexeme.end]
        small = SMALL_OPERATORS.get(written) if lexeme.kind is Kind.WORD else None
        if small == "NOT":
            is_operator = after is not None and isinstance(after.node, Filter)
        else:
            is_operator = bool(
                before and before.kind in _ENDS_TERM and after and after.kind in _BEGINS_TERM
            )
        before = replace(lexeme, kind=Kind(small)) if small and is_operator else lexeme
        yield before


def _glued(lexemes: Sequence[Lexeme]) -> Iterator[Lexeme]:
    """Join words, and OR and AND, that touch: parts of a word such as `(foo` or `x)`."""
    held: Lexeme | None = None
    for lexeme in lexemes:
        joins = {Kind.WORD, Kind.OR, Kind.AND}
        if held and held.kind in joins and lexeme.kind in joins and _touches(held, lexeme):
            held = _joined(held, lexeme)
            continue
        if held:
            yield held
        held = lexeme
    if held:
        yield held


def _joined(left: Lexeme, right: Lexeme) -> Lexeme:
    texts = "".join(lexeme.node.text for lexeme in (left, right) if isinstance(lexeme.node, Word))
    return Lexeme(Kind.WORD, left.start, right.end, Word(texts, left.column))


def _with_operators(lexemes: Sequence[Lexeme]) -> Iterator[Lexeme]:
    """Make words of each OR and AND without terms on both sides, or between words alone.

    Inside of a negation words restrict, so there they are terms.
    """
    negated: list[bool] = []
    before: Lexeme | None = None
    is_bare = False
    for lexeme, after in zip(lexemes, [*lexemes[1:], None], strict=False):
        if lexeme.kind is Kind.OPEN:
            negated.append(before is not None and before.kind in _NEGATIONS)
        elif lexeme.kind is Kind.CLOSE:
            negated.pop()
        joins = _joins(before, after, words_too=any(negated) or not is_bare)
        is_word = lexeme.kind in {Kind.OR, Kind.AND} and not joins
        is_negated = before is not None and before.kind in _NEGATIONS
        before = replace(lexeme, kind=Kind.WORD) if is_word else lexeme
        is_bare = before.kind is Kind.WORD and not is_negated
        yield before


def _joins(before: Lexeme | None, after: Lexeme | None, *, words_too: bool) -> bool:
    """Return whether an operator may be between two lexemes."""
    if before is None or before.kind not in {*_OPERANDS, Kind.CLOSE} or after is None:
        return False
    return after.kind in _BEGINS and (words_too or after.kind is not Kind.WORD)


def _check_bounds(lexemes: Sequence[Lexeme]) -> None:
    """Raise QueryError if too many terms restrict, or if they are nested too deep."""
    terms, negations = 0, 0
    negated: list[bool] = []
    for lexeme in lexemes:
        if lexeme.kind is Kind.OPEN:
            negated.append(negations > 0)
        elif lexeme.kind is Kind.CLOSE:
            negated.pop()
        elif lexeme.kind is Kind.TERM or (lexeme.kind is Kind.WORD and (negations or any(negated))):
            terms += 1
        negations = negations + 1 if lexeme.kind in _NEGATIONS else 0
        if terms > QUERY_TERMS:
            raise QueryError(f"more than {QUERY_TERMS} terms. Write fewer.", column=lexeme.column)
        if len(negated) + negations > QUERY_NESTING:
            raise QueryError(
                f"more than {QUERY_NESTING} nested groups. Write fewer parentheses.",
                column=lexeme.column,
            )


_GRAMMAR: Final = """
start: disjunction?
disjunction: conjunction (_OR conjunction)*
conjunction: factor (_AND? factor)*
?factor: (_NOT | _MINUS) factor -> negation
    | _OPEN disjunction _CLOSE
    | WORD
    | TERM
%declare _OR _AND _NOT _MINUS _OPEN _CLOSE WORD TERM
"""


class _Lexemes(LarkLexer):
    """What Lark reads: lexemes that are recognised already."""

    def __init__(self, lexer_conf: Any) -> None:  # noqa: ARG002 -- Lark gives its settings
        super().__init__()

    def lex(self, data: Any) -> Iterator[Token]:  # type: ignore[override] # as Lark documents
        """Yield Lark's token of each lexeme; its value is the node."""
        lexemes: Sequence[Lexeme] = data
        for lexeme in lexemes:
            has_node = lexeme.kind in {Kind.WORD, Kind.TERM}
            token = Token(lexeme.kind if has_node else f"_{lexeme.kind}", "")
            token.value = lexeme.node
            yield token


class _TreeBuilder(Transformer[Token, Node]):
    """Nodes of `syntax` for the rules of the grammar; a child is a node, or a token with one."""

    def negation(self, children: list[Any]) -> Node:
        return Not(_node(children[0]))

    def conjunction(self, children: list[Any]) -> Node:
        return conjunction(map(_node, children))

    def disjunction(self, children: list[Any]) -> Node:
        return disjunction(map(_node, children))

    def start(self, children: list[Any]) -> Node:
        return children[0] if children else NOTHING


def _node(child: Any) -> Node:
    node: Node = child.value if isinstance(child, Token) else child
    return node


@cache
def _parser() -> Lark:
    return Lark(_GRAMMAR, parser="lalr", lexer=_Lexemes, transformer=_TreeBuilder())


def parse(text: str) -> Query:
    """Parse a query. Raises QueryError with the column and what to write instead."""
    lexemes, case = read_lexemes(text)
    parsed: Any = _parser()
    root: Node = parsed.parse(lexemes)
    return Query(root, case)
