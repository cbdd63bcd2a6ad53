"""Records of a search's answer, and their construction from scored hits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated

from central.repositories.visibility import AnsweringProject, MissingProject, RepositorySnapshot
from central.search.confidence import Confidence
from central.search.exact.matching import MatchedLine
from central.search.query import SearchRequest
from central.search.query_preparation import PreparedQuery
from central.search.ranking.scoring import Explanation, ScoredHit
from central.search.rows import DisplayedText
from indexer.records.files import Span, line_span, split_lines


@dataclass(frozen=True, slots=True)
class ContextLine:
    """A line near one that matches; `truncated`: it is longer than the text."""

    line: int
    text: str
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class Result:
    """A hit."""

    project: str
    commit: str
    file: str
    start_line: int
    end_line: int
    ranges: Annotated[
        list[list[int]], "First and last line of each piece of it that was found, ascending"
    ]
    language: str
    chunk_type: str
    name: Annotated[str, "What is defined; empty where nothing is"]
    container: Annotated[str, "The enclosing class, dotted when nested"]
    score: Annotated[float, "0.0-1.0, comparable within the answer"]
    similarity: Annotated[
        float | None, "Cosine of the embeddings, 0.0-1.0, comparable across answers"
    ]
    content: str
    content_start_line: int
    truncated: Annotated[bool, "Whether content or context was cut at max_content"]
    matched: Annotated[
        list[str], "Of several queries those that found it; of one, its words that occur in it"
    ]
    url: Annotated[str | None, "Its lines at the forge or, where that is unknown, here"]
    why: Annotated[Explanation | None, "Only with explain"]
    lines: Annotated[
        list[MatchedLine], "Of an exact search: lines with matches, the first of the file"
    ] = field(default_factory=list)
    matches: Annotated[int | None, "Of an exact search: how many the file has"] = None
    context: Annotated[
        list[ContextLine],
        "Of an exact search with expand: the lines around `lines`, each once, ascending",
    ] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Total:
    """What an exact search found on all pages."""

    matches: int
    files: int
    at_least: Annotated[bool, "Whether there may be more: the search stopped counting"]


@dataclass(frozen=True, slots=True)
class Receipt:
    """What was searched and what was not."""

    complete: Annotated[bool, "Whether nothing is missing"]
    took_ms: float
    projects: list[AnsweringProject]
    missing: list[MissingProject]


@dataclass(frozen=True, slots=True)
class StreamEnd:
    """The last line of a stream; `hint` explains why there is no other."""

    receipt: Receipt
    hint: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """A page of results."""

    query: str
    queries: list[str]
    count: int
    results: list[Result]
    next_cursor: str | None
    receipt: Receipt
    confidence: Annotated[Confidence | None, tuple(Confidence)]
    hint: Annotated[str | None, "Why the answer is empty or has no good match"] = None
    total: Annotated[Total | None, "Of an exact search"] = None


def missing_projects(
    scope: list[RepositorySnapshot], unknown: list[str], lacks: Mapping[int, str]
) -> list[MissingProject]:
    """Return every project that the answer may cover incompletely, with the reason.

    `lacks`: reasons of the search by repository's id. Only a lack of the whole index is worse.
    """
    missing = [
        MissingProject(repository.name, reason)
        for repository in scope
        if (reason := _reason(repository, lacks.get(repository.id, "")))
    ]
    missing += [MissingProject(name, "unknown_project") for name in unknown]
    return sorted(missing, key=lambda item: item.project)


def clip_content(
    hit: ScoredHit, shown: DisplayedText, *, expand: int, max_content: int
) -> tuple[str, int, bool]:
    """Return content, its first line, and whether it was cut at `max_content` characters.

    Content that is too long begins at the signature, after comments, and ends with a whole line
    unless its first is too long.
    """
    text, first = shown.text, hit.row.start_line
    if expand or hit.pieces:
        first = max(1, hit.span.start - expand)
        text = line_span(split_lines(shown.content), Span(first, hit.span.end + expand))
    if len(text) <= max_content:
        return text, first, False
    if not expand and first < shown.first_line <= hit.span.end:
        lines = split_lines(text)
        text = line_span(lines, Span(shown.first_line - first + 1, len(lines)))
        first = shown.first_line
    if len(text) > max_content:
        whole_lines = text.rfind("\n", 0, max_content + 1)
        text = text[: whole_lines if whole_lines > 0 else max_content]
    return text, first, True


def build_results(
    hits: Sequence[ScoredHit],
    *,
    request: SearchRequest,
    queries: Sequence[PreparedQuery],
    repositories: Mapping[int, RepositorySnapshot],
    texts: Mapping[int, DisplayedText],
    cosines: Mapping[int, float],
) -> list[Result]:
    """Build the results of a page; hits whose chunk no longer exists are omitted.

    `cosines`: similarities of the hits that the dense lists lack.
    """
    results = []
    for hit in hits:
        row = hit.row
        if row.id not in texts:
            continue
        repository = repositories[row.repository]
        cosine = cosines.get(row.id, hit.cosine)
        content, first_line, truncated = clip_content(
            hit, texts[row.id], expand=request.expand, max_content=request.max_content
        )
        pieces = hit.pieces or (row,)
        terms = b"".join(piece.term_ids for piece in pieces)
        matched = [request.queries[index] for index in hit.queries]
        results.append(
            Result(
                project=repository.name,
                commit=repository.commit,
                file=row.path,
                start_line=hit.span.start,
                end_line=hit.span.end,
                ranges=[[piece.start_line, piece.end_line] for piece in pieces],
                language=row.language,
                chunk_type=row.type,
                name=row.name,
                container=row.container,
                score=round(hit.score, 4),
                similarity=None if cosine is None else round(max(0.0, min(1.0, cosine)), 4),
                content=content,
                content_start_line=first_line,
                truncated=truncated,
                matched=matched if len(queries) > 1 else queries[0].matched_words(terms),
                url=repository.url(row.path, hit.span.start, hit.span.end),
                why=hit.explanation,
            )
        )
    return results


def _reason(repository: RepositorySnapshot, lack: str) -> str:
    reason = repository.incomplete_reason
    return reason if reason in {"failed", "never_indexed"} else lack or reason
