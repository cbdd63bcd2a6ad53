"""Links on identifiers: definitions lead to their users, references to what they mean.

Positions come from the rows of the index. One that does not have its name there gets no link.
"""

from collections.abc import Callable, Sequence
from typing import Final

from central.corpus.identifiers import StoredDefinition, StoredReference
from central.web.highlighting import CodeLink

_HEAD_LINES: Final = 8  # of a definition, in which its name stands
_HEAD_CHARACTERS: Final = 2_000
_LOOKS: Final = 10  # at occurrences of the name in them


def identifier_links(
    code: str,
    *,
    references: Sequence[StoredReference],
    definitions: Sequence[StoredDefinition],
    reference_url: Callable[[StoredReference], str],
    definition_url: Callable[[StoredDefinition], str],
) -> list[CodeLink]:
    """Return links in order, none of which overlaps another or spans lines."""
    starts = line_starts(code)
    found: dict[int, CodeLink] = {}
    for reference in references:
        start = _position(code, starts, reference)
        if start is not None:
            end = start + len(reference.name)
            found.setdefault(start, CodeLink(start, end, reference_url(reference)))
    for definition in definitions:
        start = _name_position(code, starts, definition, taken=found)
        if start is not None:
            end = start + len(definition.name)
            found[start] = CodeLink(start, end, definition_url(definition))
    return _apart([found[start] for start in sorted(found)])


def line_starts(code: str) -> list[int]:
    """Return the position of each line's first character."""
    starts = [0]
    end = code.find("\n")
    while end >= 0:
        starts.append(end + 1)
        end = code.find("\n", end + 1)
    return starts


def _position(code: str, starts: Sequence[int], reference: StoredReference) -> int | None:
    name = reference.name
    if not name or "\n" in name or reference.line > len(starts):
        return None
    start = starts[reference.line - 1] + reference.column
    return start if code.startswith(name, start) else None


def _name_position(
    code: str, starts: Sequence[int], definition: StoredDefinition, *, taken: dict[int, CodeLink]
) -> int | None:
    """Return where a definition's name stands: before a parenthesis, else where it is first."""
    name = definition.name
    if not name or "\n" in name or definition.start_line > len(starts):
        return None
    last = min(definition.end_line, definition.start_line + _HEAD_LINES - 1)
    start = starts[definition.start_line - 1]
    end = min(starts[last] if last < len(starts) else len(code), start + _HEAD_CHARACTERS)
    first: int | None = None
    at = start - 1
    for _ in range(_LOOKS):
        at = code.find(name, at + 1, end)
        if at < 0:
            break
        behind = at + len(name)
        if at in taken or _is_part(code, at - 1, at) or _is_part(code, behind, behind - 1):
            continue
        if code.startswith("(", behind):
            return at
        first = at if first is None else first
    return first


def _is_part(code: str, outer: int, inner: int) -> bool:
    """Whether the character beside a name continues it."""
    return 0 <= outer < len(code) and _is_word(code[outer]) and _is_word(code[inner])


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_"


def _apart(links: Sequence[CodeLink]) -> list[CodeLink]:
    kept: list[CodeLink] = []
    for link in links:
        if not kept or link.start >= kept[-1].end:
            kept.append(link)
    return kept
