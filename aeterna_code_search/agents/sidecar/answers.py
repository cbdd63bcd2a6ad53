"""Models of the answers that another server gives, which may be of another version.

They have the members of the API's answers, which may have more.
"""

from typing import Any

from pydantic import BaseModel, ConfigDict


class AnswerModel(BaseModel):
    """A JSON object; it may have more members than the model."""

    model_config = ConfigDict(extra="allow")


class Truncated(AnswerModel):
    """Counts of the rows that were left out, and advice."""

    counts: dict[str, int]
    advice: str


class AnsweringProject(AnswerModel):
    """A project of the answer."""

    project: str
    commit: str
    indexed_at: str | None


class MissingProject(AnswerModel):
    """A project that may have missing results."""

    project: str
    reason: str
    since: str | None = None


class Effect(AnswerModel):
    """The effect of a ranking rule on a result's score."""

    rule: str
    adds: float
    times: float


class Explanation(AnswerModel):
    """The explanation of a result's rank."""

    semantic_rank: int | None
    lexical_rank: int | None
    rules: list[Effect]


class MatchedLine(AnswerModel):
    """A line with matches of an exact search; `ranges` are [start, end) in `text`."""

    line: int
    text: str
    ranges: list[list[int]]
    column: int
    truncated: bool
    defines: bool


class ResultSpan(AnswerModel):
    """A further hit in the file of a result."""

    start_line: int
    end_line: int
    name: str
    container: str
    chunk_type: str
    score: float


class ContextLine(AnswerModel):
    """A line near one that matches."""

    line: int
    text: str
    truncated: bool


class Result(AnswerModel):
    """A hit. Lines are 1-based and inclusive."""

    project: str
    commit: str
    file: str
    start_line: int
    end_line: int
    ranges: list[list[int]] = []
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
    why: Explanation | None = None
    lines: list[MatchedLine] = []
    matches: int | None = None
    spans: list[ResultSpan] = []
    context: list[ContextLine] = []
    generated: bool = False
    note: str = ""
    owners: list[str] | None = None


class Reading(AnswerModel):
    """How a pasted query was read."""

    read_as: str
    text: str
    query: str
    parts: list[str]
    frames: int
    elsewhere: int


class Instead(AnswerModel):
    """The answer by words to a query whose quoted text stands nowhere."""

    query: str
    results: list[Result]
    confidence: str | None
    match: float | None


class Total(AnswerModel):
    """What an exact search found on all pages."""

    matches: int
    files: int
    at_least: bool


class SearchReceipt(AnswerModel):
    """The searched projects, and those with missing results."""

    complete: bool
    took_ms: float | None
    projects: list[AnsweringProject]
    missing: list[MissingProject]
    missing_more: int = 0


class SearchAnswer(AnswerModel):
    """A page of results, best first."""

    query: str
    queries: list[str]
    count: int
    results: list[Result]
    next_cursor: str | None
    receipt: SearchReceipt
    confidence: str | None = None
    match: float | None = None
    hint: str | None
    total: Total | None = None
    reading: Reading | None = None
    instead: Instead | None = None
    left_out: Truncated | None = None


class Run(AnswerModel):
    """A run that has not ended."""

    id: str
    state: str
    progress: dict[str, Any]


class ProjectStatus(AnswerModel):
    """One project's index."""

    project: str
    default_branch: str
    last_indexed_commit: str | None
    indexed_at: str | None
    generation: int
    state: str
    mode: str | None
    reason: str | None
    vectors: str | None = None
    reindex_requested_at: str | None = None
    lacking_since: str | None = None
    indexed_by: str | None = None
    files: int
    skipped: int
    skipped_reasons: dict[str, int] | None = None
    partly_parsed: int = 0
    unread_manifests: dict[str, str] = {}
    older_extractor: list[str] = []
    generated: int = 0
    chunks: int
    symbols: int
    references: int
    disk_bytes: int = 0
    languages: dict[str, int]
    resolved_by: dict[str, int] = {}
    languages_without_symbols: list[str] = []
    embedder: str | None
    policies_not_run: list[str] = []
    error: str | None
    run: Run | None


class StatusAnswer(AnswerModel):
    """The index of every visible project."""

    org_id: str
    last_updated: str | None
    total_chunks: int
    projects: list[ProjectStatus]
    left_out: Truncated | None = None
