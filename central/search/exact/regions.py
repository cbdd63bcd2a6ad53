"""The lines of files to which `type:` and `chunk_type` restrict an exact search."""

from collections import deque
from collections.abc import Collection, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Final

from central.corpus.models import Chunk, File, Symbol
from central.db import fetch_rows, id_array, sql_with
from central.search.exact.files import EXACT_READ_BYTES, CandidateFile
from central.search.exact.matching import Lines, clipped
from central.search.exact.text_pattern import Span

DEFINITIONS: Final = "symbol"  # the lines on which definitions begin; else a type of chunks
_AHEAD: Final = 256  # files whose lines are read at once, if they are small

_sql = sql_with(file=File, chunk=Chunk, symbol=Symbol)
_CHUNKS = _sql("""SELECT f.id, c.start_line, c.end_line
    FROM {file} f LEFT JOIN {chunk} c ON c.file_id = f.id AND c.type = %s::text
    WHERE f.id = ANY(%s::bigint[]) ORDER BY f.id, c.start_line""")
_DEFINITIONS = _sql("""SELECT DISTINCT f.id, s.start_line, s.start_line
    FROM {file} f LEFT JOIN {symbol} s ON s.file_id = f.id
    WHERE f.id = ANY(%s::bigint[]) ORDER BY f.id, s.start_line""")


class Regions:
    """First and last lines of the regions of one type; read for some files at a time."""

    def __init__(self, kind: str, files: Sequence[CandidateFile]) -> None:
        """Take the files in the order in which they are asked for."""
        self.of_definitions = kind == DEFINITIONS
        self._kind = kind
        self._files = deque(files)
        self._read: dict[int, list[tuple[int, int]] | None] = {}

    def lines(self, file: CandidateFile) -> list[tuple[int, int]] | None:
        """Return first and last lines of the file's regions, ascending; None if it is gone."""
        while file.id not in self._read:
            ids = list(self._next()) or [file.id]  # asked for once more
            self._read = dict.fromkeys(ids)
            rows = (
                fetch_rows(_DEFINITIONS, [id_array(ids)])
                if self.of_definitions
                else fetch_rows(_CHUNKS, [self._kind, id_array(ids)])
            )
            for file_id, found in groupby(rows, key=itemgetter(0)):
                self._read[file_id] = [
                    (first, last) for _, first, last in found if first is not None
                ]
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


def lines_within(lines: Collection[int], regions: Sequence[tuple[int, int]]) -> set[int]:
    """Return those of the lines that are in a region."""
    spans = ((line, line + 1) for line in sorted(lines))
    return {line for line, _ in clipped(spans, [(first, last + 1) for first, last in regions])}
