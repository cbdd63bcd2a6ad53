"""The ecosystems of a file's lines: in a document, each example has that of its language."""

from bisect import bisect_right
from collections.abc import Callable, Iterable
from itertools import islice

from indexer.ecosystems.workspace import ecosystem_of
from indexer.languages import LANGUAGES_BY_NAME
from indexer.languages.embedded import FILE_REGIONS, Region
from indexer.records.manifests import Ecosystem


def ecosystem_by_line(language: str, content: str) -> Callable[[int], Ecosystem]:
    """Return the ecosystem of the code at a line, from 1, of a file."""
    starts, ecosystems = [0], [ecosystem_of(language) or Ecosystem.NONE]
    source = b""
    line, at = 1, 0
    known = LANGUAGES_BY_NAME.get(language)
    regions: Iterable[Region] = ()
    if known and known.host and known.host.are_examples:
        source = content.encode()
        regions = islice(known.host.regions(source), FILE_REGIONS)
    for region in regions:
        line += source.count(b"\n", at, region.start)
        at = region.start
        starts.append(line)
        ecosystems.append(ecosystem_of(region.language) or Ecosystem.NONE)
    return lambda line: ecosystems[bisect_right(starts, line) - 1]
