"""What a search answers, as records; the serializers describe the same for the schema."""

from dataclasses import dataclass, field

from central.repositories.visibility import AnsweringProject, MissingProject, RepositoryInSight
from central.search.filters import is_narrowed
from central.search.query import Mode, SearchRequest
from central.search.rerank import Explanation
from central.search.rows import LiveChunk, ShownText
from indexer.records.files import Span, line_span, split_lines


@dataclass(frozen=True, slots=True)
class Result:
    """A hit. Lines are the chunk's; with `expand`, `content` begins at `content_start_line`."""

    project: str
    commit: str
    file: str
    start_line: int
    end_line: int
    language: str
    chunk_type: str
    name: str
    container: str
    score: float
    similarity: float | None
    content: str
    content_start_line: int
    truncated: bool
    matched: list[str]
    url: str | None
    why: Explanation | None


@dataclass(frozen=True, slots=True)
class Receipt:
    """What was searched and what was not; `complete` exactly when nothing is missing."""

    complete: bool
    took_ms: float
    projects: list[AnsweringProject]
    missing: list[MissingProject]


@dataclass(frozen=True, slots=True)
class Answer:
    """A page of results; `hint` says why there is none."""

    query: str
    queries: list[str]
    count: int
    results: list[Result]
    next_cursor: str | None
    receipt: Receipt
    hint: str | None = field(default=None)


def missing_projects(
    scope: list[RepositoryInSight],
    unknown: list[str],
    without_embedder: set[str],
    *,
    is_cut: bool,
) -> list[MissingProject]:
    """Every project that the answer may lack something of, with the first reason that holds.

    `is_cut`: the search gave up before the store had told all its hits.
    """
    missing = [
        MissingProject(repository.name, reason)
        for repository in scope
        if (reason := _reason(repository, without_embedder) or ("too_many_hits" if is_cut else ""))
    ]
    missing += [MissingProject(name, "unknown_project") for name in unknown]
    return sorted(missing, key=lambda item: item.project)


def shown_content(
    row: LiveChunk, shown: ShownText, *, expand: int, max_content: int
) -> tuple[str, int, bool]:
    """(content, its first line, whether it was cut at `max_content` characters)."""
    text, first = shown.text, row.start_line
    if expand:
        lines = split_lines(shown.content)
        first = max(1, row.start_line - expand)
        text = line_span(lines, Span(first, row.end_line + expand))
    return text[:max_content], first, len(text) > max_content


def hint_for(request: SearchRequest, *, searched: int, missing: list[MissingProject]) -> str:
    """Why an answer is empty, and what to try."""
    if request.cursor:
        return "There are no more results; the page before was the last."
    if not searched and missing:
        return (
            "None of the projects asked for is indexed: see receipt.missing, and run the index "
            "action in their repositories."
        )
    if not searched:
        return (
            "No project is in the search's scope: the organisation has none that this token sees, "
            "or exclude_projects leaves none over."
        )
    if is_narrowed(request):
        return "Nothing passed the filters. Widen or drop them; paths are case-sensitive prefixes."
    if request.mode is Mode.SYMBOL:
        return "No symbol has such a name. Try a part of the name, or mode=hybrid."
    if request.mode is Mode.LEXICAL:
        return "No chunk holds these words. Try other words, or mode=hybrid."
    return "Nothing in the index resembles the query. Try other words, or an identifier."


def _reason(repository: RepositoryInSight, without_embedder: set[str]) -> str:
    lack = repository.lack
    if lack not in {"failed", "never_indexed"} and repository.embedder in without_embedder:
        return "embedder_unavailable"
    return lack
