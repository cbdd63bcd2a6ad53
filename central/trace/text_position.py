"""A position in the stored text of a file, checked and converted to characters."""

import re
from typing import Final, NamedTuple

from aeterna_code_search.contract.trace import Encoding, FilePosition
from central.corpus.files import why_skipped
from central.corpus.models import File
from central.db import fetch_rows, sql_with
from central.errors import InvalidError, NotFoundError
from central.repositories.visibility import RepositorySnapshot
from central.trace.request_scope import TraceScope, file_not_found

_CODECS: Final = {
    Encoding.UTF_8: ("utf-8", 1),
    Encoding.UTF_16: ("utf-16-le", 2),
    Encoding.UTF_32: ("utf-32-le", 4),
}
_WORD: Final = re.compile(r"[\w$]+")
_FILE: Final = sql_with(file=File)("""SELECT f.id, f.content, f.skipped FROM {file} f
    WHERE f.repository_id = %s::bigint AND f.repository_id = ANY(%s::bigint[])
        AND f.path = %s::text""")


class TextPosition(NamedTuple):
    """A character of a file's text: `line` is its line, which begins at `start` of `text`."""

    repository: RepositorySnapshot
    asked: FilePosition
    file: int
    text: str
    start: int
    line: str
    character: int

    def word(self) -> tuple[str, int]:
        """Return the word that the character is in, and where it begins; "" between words."""
        for found in _WORD.finditer(self.line):
            if found.start() <= self.character < found.end():
                return found[0], found.start()
        return "", self.character

    def column(self, character: int) -> int:
        """Return where a character of the line is, in the encoding that was asked for."""
        codec, unit = _CODECS[self.asked.encoding]
        return len(self.line[:character].encode(codec)) // unit


def text_position(scope: TraceScope, position: FilePosition) -> TextPosition:
    """Read the file. Raises NotFoundError unless it is indexed, InvalidError for what it lacks."""
    repository = scope.named(position.project)
    path = "" if "\0" in position.file else position.file
    rows = fetch_rows(_FILE, [repository.id, scope.resolver.repositories, path])
    if not rows:
        raise file_not_found()
    file, text, skipped = rows[0]
    if skipped:
        raise NotFoundError(
            f"{why_skipped(skipped)} So the index knows no name in it; ask about another file.",
            code="reference_not_found",
        )
    lines = text.split("\n")
    total = len(lines) - (lines[-1] == "")
    if not 1 <= position.line <= total:
        raise _invalid("line", f"The indexed file has {total:,} lines; line is behind the last.")
    line = lines[position.line - 1]
    start = sum(len(definition) + 1 for definition in lines[: position.line - 1])
    character = _character(line, position)
    return TextPosition(repository, position, file, text, start, line, character)


def _character(line: str, position: FilePosition) -> int:
    codec, unit = _CODECS[position.encoding]
    data = line.encode(codec)
    end = position.column * unit
    if end > len(data):
        raise _invalid(
            "column",
            f"Line {position.line} has a length of {len(data) // unit:,} in {position.encoding}; "
            "column is behind its end.",
        )
    try:
        return len(data[:end].decode(codec))
    except UnicodeDecodeError:
        raise _invalid(
            "column",
            f"Column {position.column} is inside of a character in {position.encoding}. Give the "
            "column where one begins, or the encoding in which you count.",
        ) from None


def _invalid(field: str, message: str) -> InvalidError:
    return InvalidError(message, errors={field: [message]})
