"""Records of a search's answer, and their construction from scored hits."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Final

from central.repositories.visibility import AnsweringProject, MissingProject, RepositorySnapshot
from central.search.confidence import Confidence
from central.search.exact.files import path_factor
from central.search.exact.hits import FileHit
from central.search.exact.matching import Lines, MatchedLine, matched_lines
from central.search.query import Mode, SearchRequest, is_narrowed
from central.search.query_preparation import PreparedQuery
from central.search.ranking.scoring import Explanation, ScoredHit
from central.search.rows import DisplayedText
from central.sentences import Sentence
from indexer.records.files import Span, line_span, split_lines


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
    truncated: Annotated[bool, "Whether content was cut at max_content"]
    matched: Annotated[
        list[str], "Of several queries those that found it; of one, its words that occur in it"
    ]
    url: Annotated[str | None, "Its lines at the forge or, where that is unknown, here"]
    why: Annotated[Explanation | None, "Only with explain"]
    lines: Annotated[
        list[MatchedLine], "Of an exact search: lines with matches, the first of the file"
    ] = field(default_factory=list)
    matches: Annotated[int | None, "Of an exact search: how many the file has"] = None


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
    missing += [MissingProject(name, UNKNOWN_PROJECT) for name in unknown]
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


UNKNOWN_PROJECT: Final = "unknown_project"
_NAMED_PROJECTS: Final = 5
NO_GOOD_MATCH = (
    "No good match: these results are only the nearest. Check the spelling, or try other words, a "
    "shorter query or the name of a definition."
)


def hint_for(
    request: SearchRequest,
    *,
    searched: int,
    missing: list[MissingProject],
    is_restricted: bool = False,
) -> str:
    """Explain why an answer is empty, and what to try.

    `is_restricted`: the query has filters, literals or patterns of its own.
    """
    if request.cursor:
        return "There are no more results; the page before was the last."
    if of_scope := _scope_hint(searched=searched, missing=missing):
        return of_scope
    if is_restricted:
        return (
            "No file fulfils the query's filters, quoted texts and patterns together. Leave some "
            "of them out, or search for the words alone."
        )
    if is_narrowed(request):
        return "Nothing passed the filters. Widen or drop them; paths are case-sensitive prefixes."
    if request.mode is Mode.SYMBOL:
        template = "No symbol has such a name. Try a part of the name, or mode=hybrid."
        return Sentence.of("no_such_symbol", template)
    if request.mode is Mode.LEXICAL:
        template = "No chunk holds these words. Try other words, or mode=hybrid."
        return Sentence.of("no_such_words", template)
    return "Nothing in the index resembles the query. Try other words, or an identifier."


def _scope_hint(*, searched: int, missing: list[MissingProject]) -> str:
    """Explain which projects were not searched; "" if all of the requested ones were."""
    unknown = [one.project for one in missing if one.reason == UNKNOWN_PROJECT]
    if unknown:
        return _unknown_hint(unknown, is_all=not searched)
    if searched:
        return ""
    if missing:
        return Sentence.of(
            "none_indexed",
            "None of the requested projects is indexed: see receipt.missing, and run the index "
            "action in their repositories.",
        )
    return Sentence.of(
        "none_in_scope",
        "No project is in the search's scope: the organisation has none that this token sees, "
        "or exclude_projects excludes all of them.",
    )


def _unknown_hint(names: Sequence[str], *, is_all: bool) -> str:
    """Name projects that do not exist, or that the credential does not see."""
    further = len(names) - _NAMED_PROJECTS
    more = f" and {further} more" if further > 0 else ""
    named = ", ".join(names[:_NAMED_PROJECTS]) + more
    if is_all:
        return f"No such project: {named}. Check include_projects."
    return f"No such project: {named}. Nothing was found in the others; check include_projects."


def _reason(repository: RepositorySnapshot, lack: str) -> str:
    reason = repository.incomplete_reason
    return reason if reason in {"failed", "never_indexed"} else lack or reason


def exact_result(
    hit: FileHit, *, request: SearchRequest, repository: RepositorySnapshot, lines: int
) -> Result:
    """Build the result of a file that matches, with at most `lines` of its lines.

    Its content is the first block of them.
    """
    of_file = Lines(hit.content)
    matched = matched_lines(of_file, hit.spans, limit=lines, defining=hit.defining)
    block = _first_block(matched, request.expand)
    first, last = (block[0].line, block[-1].line) if block else (1, 1)
    start = max(1, first - request.expand)
    content = of_file.block(start, last + request.expand) if block else ""
    return Result(
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
        score=round((0.5 if hit.defining else 0.0) + 0.5 * path_factor(hit.file.path), 4),
        similarity=None,
        content=content[: request.max_content],
        content_start_line=start,
        truncated=len(content) > request.max_content,
        matched=_matched_texts(matched),
        url=repository.url(hit.file.path, first, last),
        why=None,
        lines=matched,
        matches=len(hit.spans),
    )


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


def exact_hint(request: SearchRequest, *, searched: int, missing: list[MissingProject]) -> str:
    """Explain why an exact search found nothing, and what to try."""
    is_unknown = any(one.reason == UNKNOWN_PROJECT for one in missing)
    if request.cursor or not searched or is_unknown:
        return hint_for(request, searched=searched, missing=missing)
    if any(one.reason in {"timeout", "too_many_files"} for one in missing):
        return Sentence.of(
            "exact_unread",
            "The search stopped before it had read every file. Add a filter such as repo: or "
            "file:, or a longer literal.",
        )
    return Sentence.of(
        "exact_nothing",
        "No indexed file matches. Upper and lower case differ where the query has an upper-case "
        "letter: case:no ignores case. Without quotes, words are searched by meaning.",
    )
