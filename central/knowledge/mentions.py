"""Where a file's comments, docstrings or Markdown text name a decision record. Pure."""

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from central.ast_grep import LANGUAGES
from central.knowledge.identifiers import document_key

# What a file must hold to be looked at, as a regular expression of PostgreSQL.
NAMES_A_RECORD: Final = r"\mADR[-_ ]?[0-9]"
MARKDOWN: Final = "markdown"

_RECORD: Final = re.compile(
    r"(?P<implements>\bimplements[ \t]+(?:the[ \t]+)?)?\bADR[-_ ]?(?P<number>\d{1,6})\b",
    re.IGNORECASE,
)
_PROSE: Final = ("comment", "docstring")
_STRINGS: Final = frozenset({"string", "string_content", "string_start", "string_end"})
_MAX_MENTIONS: Final = 200  # of a file


class Mention(NamedTuple):
    """`line` is 1-based, `key` the record's (identifiers.document_key)."""

    line: int
    key: str
    type: str


def find_mentions(text: str, language: str) -> list[Mention]:
    """Mentions in prose, the first 200; a name in code or in an ordinary string is none."""
    found = list(_matches(text))
    if not found:
        return []
    if language not in (*LANGUAGES, MARKDOWN, ""):
        return []  # which of its text is comment is not known
    if language in LANGUAGES:
        is_prose = _prose_of(text, language)
        found = [(start, mention) for start, mention in found if is_prose(start)]
    return [mention for _, mention in found]


def _matches(text: str) -> Iterator[tuple[int, Mention]]:
    for count, match in enumerate(_RECORD.finditer(text)):
        if count == _MAX_MENTIONS:
            return
        start = match.start("number")
        kind = "implements" if match["implements"] else "mentions"
        line = text.count("\n", 0, start) + 1
        yield start, Mention(line, document_key(f"adr-{match['number']}"), kind)


def _prose_of(text: str, language: str) -> Any:
    """Whether a position is in a comment or a docstring, by the grammar."""
    from ast_grep_py import SgRoot

    root = SgRoot(text, language).root()

    def is_prose(position: int) -> bool:
        node = _deepest(root, position)
        while node is not None:
            if any(word in node.kind() for word in _PROSE):
                return True
            if node.kind() in _STRINGS:
                parent = node.parent()
                if parent is not None and parent.kind() == "expression_statement":
                    return True
            node = node.parent()
        return False

    return is_prose


def _deepest(root: Any, position: int) -> Any:
    node = root
    while True:
        inner = next(
            (
                child
                for child in node.children()
                if child.range().start.index <= position < child.range().end.index
            ),
            None,
        )
        if inner is None:
            return node
        node = inner
