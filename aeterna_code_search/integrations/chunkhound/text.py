"""Answers as text, in the layout of the original tool, for agents."""

import re
from collections.abc import Iterator

from aeterna_code_search.integrations.chunkhound.records import (
    IndexStatus,
    SearchAnswer,
    SearchResult,
)
from indexer.output.terminal import escape_line, escape_lines


def search_text(answer: SearchAnswer) -> str:
    """Format the results of one query."""
    query = answer.queries[0]
    if not answer.results:
        return f"No results found for: {query}"
    return "\n".join(_listed(f"Found {answer.count} results for: {query}", answer))


def batch_text(answer: SearchAnswer) -> str:
    """Format the results of several queries."""
    if not answer.results:
        return f"No results found for: {', '.join(answer.queries)}"
    heading = f"Found {answer.count} results for {len(answer.queries)} queries"
    return "\n".join(_listed(heading, answer))


def status_text(status: IndexStatus) -> str:
    """Format the size of an index."""
    languages = ", ".join(f"{escape_line(name)}: {n}" for name, n in status.languages.items())
    lines = [
        f"Project indexed: {status.project}",
        f"Database: {status.database}",
        f"Files: {status.files}",
        f"Chunks: {status.chunks}",
        "" if status.embeddings is None else f"Embeddings: {status.embeddings}",
        f"Languages: {languages or 'none'}",
    ]
    return "\n".join(filter(None, lines))


def _listed(heading: str, answer: SearchAnswer) -> Iterator[str]:
    yield heading
    for number, result in enumerate(answer.results, start=1):
        yield ""
        yield from _entry(number, result)


def _entry(number: int, result: SearchResult) -> Iterator[str]:
    """Format a result; its text cannot control a terminal, and names stay on one line."""
    lines = f"{result.content_start_line or '?'}-{result.content_end_line or '?'}"
    heading = f"[{result.chunk_type}] {result.name} ({result.language})"
    yield f"{number}. {escape_line(heading)}"
    yield f"   File: {escape_line(result.file)}:{lines}"
    yield f"   Score: {result.score}"
    code = escape_lines(result.content)
    fence = _fence(code)
    yield f"   {fence}"
    yield from code
    yield f"   {fence}"


def _fence(code: list[str]) -> str:
    """Return a fence that is longer than any in the code, so that the code cannot close it."""
    runs = (len(run) for line in code for run in re.findall("`{3,}", line))
    return "`" * max(3, 1 + max(runs, default=0))
