"""Records of a search's answer."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated

from central.owners.ownership import OWNERS
from central.repositories.visibility import (
    MISSING_MORE,
    AnsweringProject,
    MissingProject,
    RepositorySnapshot,
    answering_projects,
    listed_missing,
)
from central.search.confidence import Confidence
from central.search.exact.matching import MatchedLine
from central.search.facets import Facets
from central.search.ranking.explanation import Explanation


@dataclass(frozen=True, slots=True)
class ResultSpan:
    """A further hit in the file of a result."""

    start_line: int
    end_line: int
    name: str
    container: str
    chunk_type: str
    score: float


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
    spans: Annotated[
        list[ResultSpan], "With group_by=file: further hits in the file, best first"
    ] = field(default_factory=list)
    context: Annotated[
        list[ContextLine],
        "Of an exact search with expand: the lines around `lines`, each once, ascending",
    ] = field(default_factory=list)
    generated: Annotated[
        bool, "Whether the file is generated; only exact searches find those, behind all others"
    ] = False
    note: Annotated[
        str, "Of a frame of a stack trace: why this line is shown and not the frame's, or empty"
    ] = ""
    owners: Annotated[list[str] | None, OWNERS] = None


class ReadAs(StrEnum):
    """What a query is, if it is not read by the query language."""

    STACK_TRACE = "stack_trace"
    PLACE = "place"
    ERROR_MESSAGE = "error_message"


@dataclass(frozen=True, slots=True)
class Reading:
    """How a pasted query was read."""

    read_as: Annotated[ReadAs, tuple(ReadAs)]
    text: Annotated[str, "The same, as a sentence"]
    query: Annotated[str, "Finds these results and all others, by the query language; or empty"] = (
        ""
    )
    parts: Annotated[
        list[str], "Of an error message: the parts that were not filled in and stand in the results"
    ] = field(default_factory=list)
    frames: Annotated[int, "Of a stack trace: its frames, each once"] = 0
    elsewhere: Annotated[int, "Of these, how many are in no indexed repository"] = 0


@dataclass(frozen=True, slots=True)
class Instead:
    """The answer by words to a query whose quoted text stands nowhere: none of it has the text."""

    query: Annotated[str, "The words, or the parts of the text that were found"]
    results: list[Result]
    confidence: Annotated[Confidence | None, tuple(Confidence)]
    match: float | None


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
    missing_more: Annotated[int, MISSING_MORE]


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
    match: Annotated[
        float | None,
        "Estimated probability, 0.0-1.0, that the first ten hits hold a right answer, comparable "
        "across answers",
    ]
    hint: Annotated[str | None, "Why it is empty or weak, or a better query"] = None
    total: Annotated[Total | None, "Of an exact search"] = None
    reading: Annotated[
        Reading | None, "If the query is a pasted stack trace, place or error message"
    ] = None
    instead: Annotated[
        Instead | None, "Only if there are no results, because a quoted text stands nowhere"
    ] = None
    facets: Annotated[Facets | None, "With facets, on the first page"] = None


def missing_projects(
    scope: list[RepositorySnapshot], unknown: list[str], lacks: Mapping[int, str]
) -> list[MissingProject]:
    """Return every project that the answer may cover incompletely, with the reason.

    `lacks`: reasons of the search by repository's id. Only a lack of the whole index is worse.
    """
    missing = [
        repository.missing(reason)
        for repository in scope
        if (reason := _reason(repository, lacks.get(repository.id, "")))
    ]
    missing += [MissingProject(name, "unknown_project") for name in unknown]
    return sorted(missing, key=lambda item: item.project)


def _reason(repository: RepositorySnapshot, partial_reason: str) -> str:
    reason = repository.incomplete_reason
    is_whole = repository.generation == 0 or reason == "failed"
    return reason if is_whole else partial_reason or reason


def search_receipt(
    scope: list[RepositorySnapshot], missing: list[MissingProject], *, took_ms: float
) -> Receipt:
    """Return the receipt of a search in `scope`; it is complete if nothing is missing."""
    listed, more = listed_missing(missing)
    return Receipt(not missing, took_ms, answering_projects(scope), listed, more)
