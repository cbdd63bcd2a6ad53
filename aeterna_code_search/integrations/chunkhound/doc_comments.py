"""Comments that document the content of a chunk: those before a definition, and docstrings.

In this service's index such a comment is a part of the chunk that it documents.
"""

import ast
import textwrap
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from indexer.languages import Language
from indexer.syntax.parser import ParsedFile, parse

_PYTHON: Final = "python"
_Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


class DocComment(NamedTuple):
    """First and last line, 1-based and inclusive; `name` "" means the whole chunk."""

    first: int
    last: int
    name: str


def doc_comments(language: str, code: str) -> list[DocComment]:
    """Return the comments that document `code` or a definition in it, in order.

    `code` is a chunk: a method keeps the indentation of its file. Invalid code has no comments.
    """
    comments = list(_docstrings(code)) if language == _PYTHON else []
    language_support = _languages().get(language)
    if language_support is not None and language_support.grammar is not None:
        parsed = parse(language_support, code.encode())
        if isinstance(parsed, ParsedFile):
            comments += _before_definitions(parsed)
            comments += _at_the_beginning(parsed, code)
    by_lines = {comment[:2]: comment for comment in reversed(comments)}
    return sorted(by_lines.values())


def _before_definitions(parsed: ParsedFile) -> Iterator[DocComment]:
    for definition in parsed.definitions:
        line = definition.start_line
        comment = list[int]()
        leading = parsed.leading_comments
        while (last := line - 1) in leading and leading[last] < line:
            line = leading[last]
            comment += [
                number for number in range(line, last + 1) if number in parsed.comment_lines
            ]
        if comment:
            yield DocComment(min(comment), max(comment), definition.name)


def _at_the_beginning(parsed: ParsedFile, code: str) -> Iterator[DocComment]:
    """Find a comment at the beginning, also before code that is not a definition."""
    comment = list[int]()
    for number, line in enumerate(code.split("\n"), start=1):
        if number in parsed.comment_lines:
            comment.append(number)
        elif line.strip() or comment:
            break
    if comment:
        yield DocComment(comment[0], comment[-1], "")


def _docstrings(code: str) -> Iterator[DocComment]:
    try:
        module = ast.parse(textwrap.dedent(code))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(module):
        if not isinstance(node, _Documented):
            continue
        match node.body[:1]:
            case [ast.Expr(value=ast.Constant(value=str())) as text]:
                name = "" if isinstance(node, ast.Module) else node.name
                yield DocComment(text.lineno, text.end_lineno or text.lineno, name)


@cache
def _languages() -> dict[str, Language]:
    from indexer.languages.registry import SUFFIXES

    return {language.name: language for language in SUFFIXES.values()}
