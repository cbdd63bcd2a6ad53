"""Tuples as written: the part of a value that a name in a pattern takes, `a, (b, *c) = …`."""

from collections.abc import Sequence
from functools import lru_cache

from indexer.syntax.expressions import read_arguments

_BRACKETS = {"(": ")", "[": "]"}


def places_in(pattern: str, end: int) -> tuple[str, ...]:
    """Return the places, outermost first, of the name that begins at a position of a pattern."""
    is_wrapped = pattern[:1] in _BRACKETS and read_arguments(pattern, 0)[1] in {-1, len(pattern)}
    places = [0]
    for sign in pattern[is_wrapped:end]:
        if sign in _BRACKETS:
            places.append(0)
        elif sign in _BRACKETS.values() and len(places) > 1:
            places.pop()
        elif sign == ",":
            places[-1] += 1
    return tuple(map(str, places))


def take_apart(
    pattern: str, value: str, places: Sequence[str]
) -> tuple[str, tuple[str, ...]] | None:
    """Return what a name at these places takes of a written value, and the places left in that.

    For `*c` it is a list. None if the name takes nothing that is written.
    """
    for number, place in enumerate(places):
        names, items, index = _items(pattern), _items(value), int(place)
        starred = next((at for at, name in enumerate(names) if name[:1] == "*"), len(names))
        if not items:
            return (value, tuple(places[number:])) if index < starred else None
        after = len(names) - 1 - starred
        if index == starred:
            return f"[{', '.join(items[starred : len(items) - after])}]", ()
        index = index if index < starred else index - len(names)
        if not -len(items) <= index < len(items) or int(place) >= len(names):
            return None
        pattern, value = names[int(place)], items[index]
    return value, ()


@lru_cache(maxsize=16)  # for the names of one pattern
def _items(text: str) -> list[str]:
    """Return the items of a tuple or list with commas; none of any other text."""
    text = text.strip()
    if text[:1] in _BRACKETS:
        items, end = read_arguments(text, 0)
        if end == len(text):
            return [part.strip() for part in items]
    items, _ = read_arguments(f"({text})", 0)
    return [part.strip() for part in items] if len(items) > 1 or text.endswith(",") else []
