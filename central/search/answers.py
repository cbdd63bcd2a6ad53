"""What a search answers, as records; the serializers describe the same for the schema."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from central.repositories.visibility import AnsweringProject, MissingProject, RepositoryInSight
from central.search.query import Mode, SearchRequest, is_narrowed
from central.search.query_preparation import Asked
from central.search.ranking.scoring import Explanation, Found
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
    matched: list[str]  # of several queries, those that found it; of one, its words in the chunk
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


def results_of(
    found: Sequence[Found],
    *,
    request: SearchRequest,
    queries: Sequence[Asked],
    repositories: Mapping[int, RepositoryInSight],
    texts: Mapping[int, ShownText],
    cosines: Mapping[int, float],
) -> list[Result]:
    """Hits as they are shown; one whose chunk is gone by now is left out.

    `cosines` are of those that the lists by similarity did not hold.
    """
    results = []
    for item in found:
        row = item.row
        if row.id not in texts:
            continue
        repository = repositories[row.repository]
        cosine = cosines.get(row.id, item.cosine)
        content, first_line, truncated = shown_content(
            row, texts[row.id], expand=request.expand, max_content=request.max_content
        )
        matched = [request.queries[index] for index in item.queries]
        results.append(
            Result(
                project=repository.name,
                commit=repository.commit,
                file=row.path,
                start_line=row.start_line,
                end_line=row.end_line,
                language=row.language,
                chunk_type=row.type,
                name=row.name,
                container=row.container,
                score=round(item.score, 4),
                similarity=None if cosine is None else round(max(0.0, min(1.0, cosine)), 4),
                content=content,
                content_start_line=first_line,
                truncated=truncated,
                matched=matched if len(queries) > 1 else queries[0].words_in(row.term_ids),
                url=repository.url(row.path, row.start_line, row.end_line),
                why=item.why,
            )
        )
    return results


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
