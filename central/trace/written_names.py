"""Where the names of a file's references and definitions stand in its text. Pure.

Positions come from the rows of the index. One that does not have its name there has no place.
"""

from collections.abc import Container, Iterable, Sequence
from typing import Final, Protocol, TypeVar

HEAD_LINES: Final = 8  # of a definition, in which its name stands
_HEAD_CHARACTERS: Final = 2_000
_LOOKS: Final = 10  # at occurrences of the name in them


class WrittenReference(Protocol):
    """A reference; `line` counts from 1, `column` characters from 0."""

    @property
    def name(self) -> str: ...
    @property
    def line(self) -> int: ...
    @property
    def column(self) -> int: ...


class Defined(Protocol):
    """A definition; lines count from 1."""

    @property
    def name(self) -> str: ...
    @property
    def start_line(self) -> int: ...
    @property
    def end_line(self) -> int: ...


_Used = TypeVar("_Used", bound=WrittenReference)
_Defined = TypeVar("_Defined", bound=Defined)


def written_names(
    text: str, references: Iterable[_Used], definitions: Iterable[_Defined]
) -> tuple[dict[int, _Used], dict[int, _Defined]]:
    """Return references and definitions by where their names begin, one for each place.

    A place is a reference's before it is a definition's. Of definitions in one another that have
    one name, as a class and its constructor, the inner one's is found first.
    """
    starts = line_starts(text)
    used: dict[int, _Used] = {}
    for reference in references:
        start = _position(text, starts, reference)
        if start is not None:
            used.setdefault(start, reference)
    taken = set(used)
    defined: dict[int, _Defined] = {}
    for definition in sorted(
        definitions, key=lambda candidate: (-candidate.start_line, -candidate.end_line)
    ):
        start = _name_position(text, starts, definition, taken)
        if start is not None:
            taken.add(start)
            defined[start] = definition
    return used, defined


def line_starts(text: str) -> list[int]:
    """Return the position of each line's first character."""
    starts = [0]
    end = text.find("\n")
    while end >= 0:
        starts.append(end + 1)
        end = text.find("\n", end + 1)
    return starts


def _position(text: str, starts: Sequence[int], reference: WrittenReference) -> int | None:
    name = reference.name
    if not name or "\n" in name or reference.line > len(starts):
        return None
    start = starts[reference.line - 1] + reference.column
    return start if text.startswith(name, start) else None


def _name_position(
    text: str, starts: Sequence[int], definition: Defined, taken: Container[int]
) -> int | None:
    """Return where a definition's name is first; on that line before a parenthesis, if it is."""
    name = definition.name
    if not name or "\n" in name or definition.start_line > len(starts):
        return None
    last = min(definition.end_line, definition.start_line + HEAD_LINES - 1)
    start = starts[definition.start_line - 1]
    end = min(starts[last] if last < len(starts) else len(text), start + _HEAD_CHARACTERS)
    first: int | None = None
    at = start - 1
    for _ in range(_LOOKS):
        at = text.find(name, at + 1, end)
        if at < 0:
            break
        behind = at + len(name)
        if at in taken or _is_part(text, at - 1, at) or _is_part(text, behind, behind - 1):
            continue
        if first is not None and "\n" in text[first:at]:
            break
        if text.startswith("(", behind):
            return at
        first = at if first is None else first
    return first


def _is_part(text: str, outer: int, inner: int) -> bool:
    """Whether the character beside a name continues it."""
    return 0 <= outer < len(text) and _is_word(text[outer]) and _is_word(text[inner])


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"
