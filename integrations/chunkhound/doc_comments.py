"""The comment that documents a chunk: the comments at its beginning, or its docstring.

In our own index such a comment is a part of what it documents, and no chunk.
"""

import ast
import textwrap
from functools import cache
from typing import Final, NamedTuple

from indexer.languages import Language
from indexer.parsing import Parsed, parse

_PYTHON: Final = "python"
_DOCUMENTED: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


class Lines(NamedTuple):
    """First and last line of a text, 1-based and inclusive."""

    first: int
    last: int


def doc_comment(language: str, code: str) -> Lines | None:
    """Where the comment that documents `code` is; None if it has none, or cannot be parsed.

    `code` is a chunk, so a method has the indentation that it has in its file.
    """
    if language == _PYTHON and (found := _docstring(code)):
        return found
    known = _languages().get(language)
    if known is None or known.grammar is None:
        return None
    parsed = parse(known, code.encode())
    return _leading_comments(parsed, code) if isinstance(parsed, Parsed) else None


def _leading_comments(parsed: Parsed, code: str) -> Lines | None:
    lines = code.split("\n")
    last = 0
    for number, line in enumerate(lines, start=1):
        if number in parsed.comment_lines:
            last = number
        elif line.strip():
            break
    if not last:
        return None
    first = next(number for number in range(1, last + 1) if number in parsed.comment_lines)
    return Lines(first, last)


def _docstring(code: str) -> Lines | None:
    try:
        module = ast.parse(textwrap.dedent(code))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    documented: list[ast.stmt] = [node for node in module.body[:1] if isinstance(node, _DOCUMENTED)]
    for body in [module.body, *(node.body for node in documented if isinstance(node, _DOCUMENTED))]:
        match body[:1]:
            case [ast.Expr(value=ast.Constant(value=str())) as text]:
                return Lines(text.lineno, text.end_lineno or text.lineno)
    return None


@cache
def _languages() -> dict[str, Language]:
    from indexer.languages.registry import SUFFIXES

    return {language.name: language for language in SUFFIXES.values()}
