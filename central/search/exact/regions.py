"""The lines of files to which `type:` and `chunk_type` restrict an exact search."""

from collections import deque
from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from typing import Final

from central.corpus.models import Chunk, Symbol
from central.db import fetch_rows, id_array, sql_with
from central.search.exact.files import CandidateFile
from central.search.exact.matching import FileMatches, Find, Lines, Span
from indexer.limits import EXACT_MATCHES_OF_FILE, EXACT_READ_BYTES

DEFINITIONS: Final = "symbol"  # the lines on which definitions begin; else a type of chunks
_AHEAD: Final = 256  # files whose lines are read at once, if they are small

_sql = sql_with(chunk=Chunk, symbol=Symbol)
_CHUNKS = _sql("""SELECT c.file_id, c.start_line, c.end_line FROM {chunk} c
    WHERE c.file_id = ANY(%s::bigint[]) AND c.type = %s::text ORDER BY c.file_id, c.start_line""")
_DEFINITIONS = _sql("""SELECT DISTINCT s.file_id, s.start_line, s.start_line FROM {symbol} s
    WHERE s.file_id = ANY(%s::bigint[]) ORDER BY s.file_id, s.start_line""")


class Regions:
    """First and last lines of the regions of one type; read for some files at a time."""

    def __init__(self, kind: str, files: Sequence[CandidateFile]) -> None:
        """Take the files in the order in which they are asked for."""
        self.of_definitions = kind == DEFINITIONS
        self._kind = kind
        self._files = deque(files)
        self._read: dict[int, list[tuple[int, int]]] = {}

    def lines(self, file: CandidateFile) -> list[tuple[int, int]]:
        """Return first and last lines of the file's regions, ascending."""
        while file.id not in self._read:
            ids = list(self._next())
            self._read = {one: [] for one in ids}
            rows = (
                fetch_rows(_DEFINITIONS, [id_array(ids)])
                if self.of_definitions
                else fetch_rows(_CHUNKS, [id_array(ids), self._kind])
            )
            for one, first, last in rows:
                self._read[one].append((first, last))
        return self._read[file.id]

    def _next(self) -> Iterator[int]:
        """Yield the next files, few if they are large: these may have many regions."""
        size = 0
        for _ in range(min(_AHEAD, len(self._files))):
            file = self._files.popleft()
            size += file.size
            yield file.id
            if size >= EXACT_READ_BYTES:
                return


def line_spans(content: bytes, lines: Sequence[tuple[int, int]]) -> list[Span]:
    """Return the spans of content from the first to the last line of each region."""
    of_file = Lines(content)
    return [
        (of_file.bounds(first)[0], of_file.bounds(min(last, len(of_file)))[1])
        for first, last in lines
        if first <= len(of_file)
    ]


def matches_within(content: bytes, find: Find, regions: Sequence[Span]) -> FileMatches:
    """Return the first EXACT_MATCHES_OF_FILE matches that begin in a region, cut at its end."""
    found = clipped(find(content), regions)
    spans = list(islice(found, EXACT_MATCHES_OF_FILE))
    return FileMatches(spans, len(spans) == EXACT_MATCHES_OF_FILE and next(found, None) is not None)


def clipped(spans: Iterator[Span], regions: Sequence[Span]) -> Iterator[Span]:
    """Yield those of ascending spans that begin in a region, each cut at the region's end."""
    at = 0
    for start, end in spans:
        while at < len(regions) and regions[at][1] <= start:
            at += 1
        if at == len(regions):
            return
        if regions[at][0] <= start:
            yield start, min(end, regions[at][1])


def lines_within(lines: Collection[int], regions: Sequence[tuple[int, int]]) -> set[int]:
    """Return those of the lines that are in a region."""
    spans = ((line, line + 1) for line in sorted(lines))
    return {line for line, _ in clipped(spans, [(first, last + 1) for first, last in regions])}
