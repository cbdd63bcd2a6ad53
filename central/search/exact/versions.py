"""Versions of a file on several branches: those that show the same lines are one hit."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from central.search.exact.hits import FileHit
from central.search.exact.matching import Lines


def merged(hits: Iterable[FileHit]) -> Iterator[FileHit]:
    """Yield each hit once; those of one path follow one another."""
    held: list[tuple[object, FileHit]] = []
    for hit in hits:
        if held and _path(held[0][1]) != _path(hit):
            yield from (other for _, other in held)
            held = []
        shown = _lines(hit)
        for at, (lines, other) in enumerate(held):
            if lines == shown:
                held[at] = lines, replace(other, versions=(*other.versions, hit.file.id))
                break
        else:
            held.append((shown, hit))
    yield from (other for _, other in held)


def _path(hit: FileHit) -> object:
    return hit.file.repository, hit.file.path


def _lines(hit: FileHit) -> object:
    """Return the lines that match, without their numbers."""
    if not hit.spans:
        return ()
    lines = Lines(hit.content)
    numbers = {number for span in hit.spans for number in lines.touched(span)}
    return tuple(lines.text(number) for number in sorted(numbers))
