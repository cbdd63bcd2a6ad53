"""The grammar of a query and the tree that is made of it."""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, Final

from lark import Lark, Token, Transformer
from lark.lexer import Lexer as LarkLexer

from central.query.groups import read_lexemes
from central.query.lexemes import Kind, Lexeme
from central.query.syntax import NOTHING, Node, Not, Query, conjunction, disjunction

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
