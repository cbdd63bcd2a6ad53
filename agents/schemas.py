"""Output schemas of the tools."""

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field


def _untitled(schema: dict[str, Any]) -> None:
    """Remove titles: they repeat the names, and each word costs agents tokens."""
    for titled in (schema, *schema.get("properties", {}).values()):
        titled.pop("title", None)


class AnswerModel(BaseModel):
    """A JSON object; it may have more members than the model."""

    model_config = ConfigDict(extra="allow", json_schema_extra=_untitled)


class Truncated(AnswerModel):
    """Counts of the rows that did not fit `max_tokens`, and advice."""

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


class Result(AnswerModel):
    """A hit. Lines are 1-based and inclusive."""

    project: str
    commit: str
    file: str
    start_line: int
    end_line: int
    language: str
    chunk_type: str
    name: str = Field(description="Name of the definition; may be empty")
    container: str
    score: float = Field(description="0.0-1.0, comparable within the answer")
    similarity: float | None
    content: str
    content_start_line: int
    truncated: bool
    matched: list[str]
    url: str | None
    why: Explanation | None = None


class SearchReceipt(AnswerModel):
    """The searched projects, and those with missing results."""

    complete: bool = Field(description="Whether nothing is missing")
    took_ms: float | None
    projects: list[AnsweringProject]
    missing: list[MissingProject]


class SearchAnswer(AnswerModel):
    """A page of results, best first."""

    query: str
    queries: list[str]
    count: int
    results: list[Result]
    next_cursor: str | None
    receipt: SearchReceipt
    hint: str | None = Field(description="Why the answer is empty")
    left_out: Truncated | None = None


class CodeResult(AnswerModel):
    """A hit of `search_code`."""

    path: str
    text: str
    score: float
    startLine: int  # noqa: N815 (spelling of the specification)
    endLine: int  # noqa: N815
    truncated: bool = Field(description="Whether text is not all of these lines")
    project: str
    commit: str


class CodeAnswer(AnswerModel):
    """The answer of `search_code`."""

    results: list[CodeResult]
    totalResults: int  # noqa: N815
    searchTimeMs: float  # noqa: N815
    complete: bool = Field(description="Whether every project was searched in its newest state")
    hint: str | None = Field(description="Why the answer is empty")
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
    reindex_requested_at: str | None = None
    files: int
    skipped: int
    chunks: int
    symbols: int
    references: int
    languages: dict[str, int]
    embedder: str | None
    error: str | None
    run: Run | None


class StatusAnswer(AnswerModel):
    """The index of every visible project."""

    org_id: str
    last_updated: str | None
    total_chunks: int
    projects: list[ProjectStatus]
    left_out: Truncated | None = None


def code_answer(answer: Mapping[str, Any], milliseconds: float) -> dict[str, Any]:
    """Build the answer of `search_code` from a search answer."""
    results = [_result(row) for row in answer["results"]]
    return {
        "results": results,
        "totalResults": len(results),
        "searchTimeMs": milliseconds,
        "complete": answer["receipt"]["complete"],
        "hint": answer["hint"],
    }


def _result(row: Mapping[str, Any]) -> dict[str, Any]:
    result = {
        "path": row["file"],
        "text": row["content"],
        "score": row["score"],
        "startLine": row["start_line"],
        "endLine": row["end_line"],
        "truncated": row["truncated"],
        "project": row["project"],
        "commit": row["commit"],
    }
    return {**result, "local": True} if row.get("local") else result
