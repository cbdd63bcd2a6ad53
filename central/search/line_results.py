"""Results of an exact search: a file, its lines that match, and the lines around them."""

from collections.abc import Mapping, Sequence
from typing import Final

from aeterna_code_search.contract.search import ContextLine, MatchedLine, Result, SearchRequest
from central.repositories.visibility import RepositorySnapshot
from central.search.exact.hits import FileHit
from central.search.exact.matching import EXACT_LINE_CHARACTERS, Lines, matched_lines

# By a file's rank: the lowest score, and the share of the path rules.
_SCORES: Final = ((0.5, 0.5), (0.5, 0.0), (0.25, 0.25), (0.0, 0.25))


def exact_result(
    hit: FileHit,
    *,
    request: SearchRequest,
    repository: RepositorySnapshot,
    lines: int,
    owners: list[str] | None = None,
) -> tuple[Result, bool]:
    """Build the result of a file that matches, with at most `lines` of its lines; and if cut.

    Its content is the first block of them with the lines around it; `context` has the lines
    around all of them.
    """
    of_file = Lines(hit.content)
    matched, has_more = matched_lines(of_file, hit.spans, limit=lines, defining=hit.defining)
    block = _first_block(matched, request.expand)
    first, last = (block[0].line, block[-1].line) if block else (1, 1)
    start = max(1, first - request.expand)
    content = of_file.block(start, last + request.expand) if block else ""
    context, is_cut = _context(of_file, matched, request.expand, request.max_content)
    lowest, share = _SCORES[hit.rank]
    result = Result(
        project=repository.name,
        commit=repository.commit,
        file=hit.file.path,
        start_line=first,
        end_line=last,
        ranges=[[first, last]],
        language=hit.file.language,
        chunk_type="",
        name="",
        container="",
        score=round(lowest + share * hit.file.factor, 4),
        similarity=None,
        content=content[: request.max_content],
        content_start_line=start,
        truncated=is_cut or len(content) > request.max_content,
        matched=_matched_texts(matched),
        url=repository.url(hit.file.path, first, last),
        why=None,
        lines=matched,
        matches=len(hit.spans),
        context=context,
        generated=hit.file.generated,
        owners=owners,
    )
    return result, has_more


def _context(
    of_file: Lines, matched: Sequence[MatchedLine], expand: int, most: int
) -> tuple[list[ContextLine], bool]:
    """Return the lines around those that match, with at most `most` characters, and if cut."""
    shown = {line.line for line in matched}
    found: dict[int, ContextLine] = {}
    for line in matched if expand else ():
        first, last = max(1, line.line - expand), min(len(of_file), line.line + expand)
        for number in range(first, last + 1):
            if number in shown:
                continue
            shown.add(number)
            text = of_file.text(number).decode()
            cut = text[:EXACT_LINE_CHARACTERS]
            most -= len(cut) + 1  # its line feed
            if most < 0:
                return _ascending(found), True
            found[number] = ContextLine(number, cut, len(text) > len(cut))
    return _ascending(found), False


def _ascending(lines: Mapping[int, ContextLine]) -> list[ContextLine]:
    return [lines[number] for number in sorted(lines)]


def _matched_texts(lines: Sequence[MatchedLine]) -> list[str]:
    """Return the distinct texts that matched, in order."""
    texts = (line.text[start:end] for line in lines for start, end in line.ranges)
    return list(dict.fromkeys(texts))


def _first_block(lines: Sequence[MatchedLine], expand: int) -> list[MatchedLine]:
    """Return the first lines that follow one another, with no gap between their contexts."""
    block: list[MatchedLine] = []
    for line in lines:
        if block and not 0 < line.line - block[-1].line <= 2 * expand + 1:
            break
        block.append(line)
    return block
