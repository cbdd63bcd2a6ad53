"""Code inside of other files: where it is, and a text of it alone at the file's own offsets.

A host format has a rule that gives the regions of its files that are code. For each of their
languages the file is masked: what is not code becomes spaces, so that an offset in the masked text
is the offset in the file. Rules are linear and never raise.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from indexer.languages.rewrites import spaces

FILE_REGIONS: Final = 20_000  # of code inside of a file that is no code
# The version of all host formats, whose rules share code. Raise if one gives other regions.
HOSTS_VERSION: Final = 3


@dataclass(frozen=True, slots=True)
class Region:
    """Bytes `start` to `end` of a file, half-open, with the name of their language.

    `text` is parsed in their place if it is not empty. It is as long, has the file's line feeds at
    their places, and may have more.
    """

    start: int
    end: int
    language: str
    text: bytes = b""


@dataclass(frozen=True, slots=True)
class HostFormat:
    """A format of files that hold code. `regions` come in order and do not overlap.

    `only_regions`: the rest of the file is data, of which no chunks are made. `are_examples`: they
    are of a text and define nothing; their uses alone are read.
    """

    regions: Callable[[bytes], Iterable[Region]]
    languages: tuple[str, ...]  # that regions may have
    only_regions: bool = False
    are_examples: bool = False


def mask(source: bytes, regions: Iterable[Region]) -> bytes:
    """Return the text of the regions, at their offsets, and spaces and line feeds elsewhere."""
    parts = []
    end = 0
    for region in regions:
        parts.append(spaces(source[end : region.start]))
        parts.append(region.text or source[region.start : region.end])
        end = region.end
    return b"".join([*parts, spaces(source[end:])])
