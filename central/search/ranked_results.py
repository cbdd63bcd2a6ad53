"""A page of a ranked search: what is read of its hits, and the results built from them."""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from aeterna_code_search.contract.search import Result, ResultSpan, SearchRequest
from central.search.branches import NOWHERE, branches_of_hits
from central.search.candidates import Candidate
from central.search.query_preparation import PreparedQuery
from central.search.retrieval import RetrievalPlan, with_similarities
from central.search.rows import DisplayedText, displayed_rows
from central.search.scope import SearchScope
from indexer.records.files import Span, line_span, split_lines

RESULT_SPANS: Final = 5  # beside the best one, where a file is one result
_LINES_BEFORE = 2  # of the first line with a word, where content does not begin at the signature


class Page(NamedTuple):
    """Hits of a page with their texts by chunk's id, and repositories indexed again meanwhile."""

    hits: list[Candidate]
    texts: Mapping[int, DisplayedText]
    reindexed: list[int]


def read_page(
    hits: Sequence[Candidate], request: SearchRequest, plan: RetrievalPlan, scope: SearchScope
) -> Page:
    """Read what a page shows of its hits. Raises StoreError."""
    compared = with_similarities(plan, hits)
    shown = list(dict.fromkeys(hit.repository for hit in hits)) or list(plan.projects)
    texts, generations = displayed_rows(
        chunks=[hit.id for hit in hits],
        repositories=shown,
        with_file=[hit.id for hit in hits if request.expand or hit.pieces],
    )
    searched = scope.searched
    reindexed = [key for key in shown if generations.get(key) != searched[key].generation]
    return Page(compared, texts, reindexed)


def clip_content(
    hit: Candidate,
    shown: DisplayedText,
    *,
    expand: int,
    max_content: int,
    words: Sequence[str] = (),
) -> tuple[str, int, bool]:
    """Return content, its first line, and whether it was cut at `max_content` characters.

    Content that is too long begins at the signature, after comments, and ends with a whole line
    unless its first is too long. If no word would be in it, it begins near the first that is.
    """
    text, first = shown.text, hit.start_line
    if expand or hit.pieces:
        first = max(1, hit.span.start - expand)
        text = line_span(split_lines(shown.content), Span(first, hit.span.end + expand))
    if len(text) <= max_content:
        return text, first, False
    if not expand and first < shown.first_line <= hit.span.end:
        lines = split_lines(text)
        text = line_span(lines, Span(shown.first_line - first + 1, len(lines)))
        first = shown.first_line
    skipped = 0 if expand else _lines_without(words, text, max_content)
    lines = split_lines(text)[skipped:]
    return _whole_lines("".join(lines), max_content), first + skipped, True


def _lines_without(words: Sequence[str], text: str, max_content: int) -> int:
    """Return how many lines to skip so that a word is in the content; 0 if that is not needed."""
    lowered = text.lower()
    places = [place for word in words if (place := lowered.find(word.lower())) >= 0]
    line = lowered.count("\n", 0, min(places)) if places else 0
    is_shown = line <= _whole_lines(text, max_content).count("\n")
    return 0 if is_shown else max(0, line - _LINES_BEFORE)


def _whole_lines(text: str, max_content: int) -> str:
    if len(text) <= max_content:
        return text
    whole_lines = text.rfind("\n", 0, max_content + 1)
    return text[: whole_lines if whole_lines > 0 else max_content]


def build_results(
    page: Page,
    request: SearchRequest,
    queries: Sequence[PreparedQuery],
    scope: SearchScope,
) -> list[Result]:
    """Build the results of a page; hits whose chunk no longer exists are omitted."""
    results = []
    searched, owners = scope.searched, scope.owners
    branches = branches_of_hits(scope.chosen, page.hits) if scope.chosen.shown else {}
    owners.read_ahead(searched[key] for key in {hit.repository for hit in page.hits})
    for hit in page.hits:
        if hit.id not in page.texts:
            continue
        shown = branches.get(hit.id, NOWHERE)
        repository, cosine = shown.repository(searched[hit.repository]), hit.cosine
        pieces = hit.pieces or (hit,)
        words = queries[0].matched_words(b"".join(piece.term_ids for piece in pieces))
        content, first_line, truncated = clip_content(
            hit,
            page.texts[hit.id],
            expand=request.expand,
            max_content=request.max_content,
            words=words if len(queries) == 1 else (),
        )
        results.append(
            Result(
                project=repository.name,
                commit=repository.commit,
                file=hit.path,
                start_line=hit.span.start,
                end_line=hit.span.end,
                ranges=[[piece.start_line, piece.end_line] for piece in pieces],
                language=hit.language,
                chunk_type=hit.type,
                name=hit.name,
                container=hit.container,
                score=round(hit.score, 4),
                similarity=None if cosine is None else round(max(0.0, min(1.0, cosine)), 4),
                content=content,
                content_start_line=first_line,
                truncated=truncated,
                matched=[request.queries[index] for index in hit.queries]
                if len(queries) > 1
                else words,
                url=repository.url(hit.path, hit.span.start, hit.span.end),
                why=hit.explanation,
                spans=[_span(further) for further in hit.further[:RESULT_SPANS]],
                owners=owners.listed(searched[hit.repository], hit.path),
                branches=shown.names,
            )
        )
    return results


def _span(hit: Candidate) -> ResultSpan:
    return ResultSpan(
        start_line=hit.span.start,
        end_line=hit.span.end,
        name=hit.name,
        container=hit.container,
        chunk_type=hit.type,
        score=round(hit.score, 4),
    )
