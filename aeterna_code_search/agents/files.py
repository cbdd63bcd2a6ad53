"""The tools that find text exactly, read and list files and their commits, and the text form."""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Final

from pydantic import Field

from aeterna_code_search.agents.backend import (
    FILE_NOT_FOUND,
    INVALID,
    REPOSITORY_NOT_FOUND,
    ErrorHints,
    FileBackend,
    ToolError,
)
from aeterna_code_search.agents.registry import ToolRegistry
from aeterna_code_search.agents.requests import MaxTokens, Query, SearchCursor
from aeterna_code_search.agents.results import Reply, with_hint
from aeterna_code_search.agents.text import heading, joined, owners, printable, search_text
from aeterna_code_search.agents.truncation import (
    DEFAULT_TOKENS,
    Answer,
    Budget,
    first_rows,
    largest,
    truncate_search,
)
from aeterna_code_search.contract.files import ContentRequest, HistoryRequest, ListRequest
from indexer.limits import RESULTS
from indexer.output.commits import SHORT_COMMIT, commit_marks
from indexer.output.terminal import escape_lines, pluralize

_NEXT: Final = {
    FILE_NOT_FOUND: "code_list_files lists the files.",
    REPOSITORY_NOT_FOUND: "code_index_status lists the projects.",
}
_ONE_LITERAL: Final = (
    "All of the query but its filters was one literal, quotes and slashes included: terms stand "
    "without other words."
)
_BODY_CHARACTERS: Final = 300  # on one line; structured content has all of it
_Request = Callable[[Mapping[str, Any]], Awaitable[dict[str, Any]]]
_OF_MODES: Final = ", or give the mode regex."  # advice for searches that have a mode
# What docs/reference/query.md says of terms; the service reads them, and reports errors.
_NAMES: Final = "repo|r|rev|file|f|path|lang|language|l|sym|symbol|type|owner|case|content"
_QUOTED: Final = r'"(?:[^"\\]|\\.)+"|/(?![\s*])(?:[^/\\]|\\.)+/'
_EXACT: Final = re.compile(rf"-?(?:(?:{_NAMES}):)?(?:{_QUOTED})(?=[\s)]|$)")
_FILTER: Final = re.compile(rf"-?(?:{_NAMES}):(?!:|//)[^\s\"()]+")
_OTHER: Final = re.compile(r"-?\(|\)|(?:OR|AND|NOT)(?=[\s(]|$)|-\w\S+")
_SPACE: Final = re.compile(r"\s*")


def add_file_tools(
    tools: ToolRegistry, backend: Callable[[], FileBackend], hints: ErrorHints
) -> None:
    """Register the four tools; each call gets its own backend, with the caller's credential."""
    files = _FileTools(backend, hints)
    tools.add(files.code_grep, title="Find text")
    own = ("workspace",)
    tools.add(files.code_read_file, title="Read lines", request=ContentRequest, without=own)
    tools.add(files.code_list_files, title="List files", request=ListRequest, without=own)
    tools.add(files.code_history, title="List commits", request=HistoryRequest, without=own)


@dataclass(frozen=True, slots=True)
class _FileTools:
    """The tools over a backend; their docstrings are the descriptions that agents read."""

    _backend: Callable[[], FileBackend]
    _hints: ErrorHints

    async def code_grep(
        self,
        query: Annotated[Query, Field(description='Text, or terms: "text" /regex/ -file:test')],
        limit: Annotated[int, Field(ge=1, le=RESULTS, description="Files at most")] = 20,
        cursor: SearchCursor = None,
        max_tokens: MaxTokens = DEFAULT_TOKENS,
    ) -> Reply:
        """Find the lines that hold a text, in all indexed repositories. Use it instead of grep.

        Plain text is one literal, with filters (repo: rev: file: lang: case:yes) beside it. Quoted
        text, /regex/ (RE2) and filters alone are terms, which a file must all fulfil. Examples:
        query="def verify_token( lang:python"; query='"retry" /class .*Error/ -file:test'.
        """
        body: dict[str, Any] = {"query": query, "limit": limit}
        if cursor is not None:
            body["cursor"] = cursor
        if not is_query_language(query):
            body["mode"] = "literal"
        answer = await self._backend().search(body)
        if answer.get("total") is None and answer["results"]:
            raise ToolError(
                "Only quoted text, /patterns/ and filters are found exactly. Put quotes around "
                "each text, or use code_search for words.",
                code=INVALID,
                status=400,
            )
        answer = with_hint(answer, self._hints)
        answer["hint"] = answer["hint"] and answer["hint"].replace(_OF_MODES, ".")
        if "mode" in body and not answer["results"] and _has_terms(query):
            answer["hint"] = f"{_ONE_LITERAL} {answer['hint'] or ''}".strip()
        return Reply(answer, search_text, truncate_search, max_tokens)

    async def code_read_file(self, max_tokens: MaxTokens = DEFAULT_TOKENS, **request: Any) -> Reply:
        """Read numbered lines of a file at the indexed commit of any repository.

        Use it after a search, for code that is not in your checkout. Example:
        project="auth-service", path="acme_auth/tokens.py", start_line=60, end_line=95.
        """
        answer = await self._answer(self._backend().read_file, request)
        return Reply(answer, content_text, truncate_content, max_tokens)

    async def code_list_files(
        self, max_tokens: MaxTokens = DEFAULT_TOKENS, **request: Any
    ) -> Reply:
        """List a directory of a repository, or with glob the paths below it that match.

        Directories come first, with file counts. Example:
        project="auth-service", glob="test_*.py".
        """
        answer = await self._answer(self._backend().list_files, request)
        return Reply(answer, list_text, truncate_list, max_tokens)

    async def code_history(self, max_tokens: MaxTokens = DEFAULT_TOKENS, **request: Any) -> Reply:
        """Tell when and why a file, symbol or directory changed: its commits, newest first.

        Example: project="auth-service", path="app.py".
        """
        answer = await self._answer(self._backend().history, request)
        return Reply(answer, history_text, truncate_history, max_tokens)

    async def _answer(self, request: _Request, parameters: dict[str, Any]) -> dict[str, Any]:
        """Return the backend's answer; an error says which tool has the names."""
        try:
            return await request(parameters)
        except ToolError as error:
            if error.code not in _NEXT:
                raise
            message = f"{error.message} {_NEXT[error.code]}"
            raise ToolError(
                message, code=error.code, status=error.status, near=error.near
            ) from error


def _has_terms(query: str) -> bool:
    """Return whether a query may have been meant as terms: it has a quote or a slash."""
    return '"' in query or "/" in query


def is_query_language(text: str) -> bool:
    """Return whether `text` is quoted text, /patterns/ and filters, without plain words."""
    at, has_term = 0, False
    while (at := _end(_SPACE, text, at)) < len(text):
        term = max(_end(_EXACT, text, at), _end(_FILTER, text, at))
        end = max(term, _end(_OTHER, text, at))
        if end == at:
            return False
        has_term = has_term or term > at
        at = end
    return has_term


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at


Row = Mapping[str, Any]


def content_text(answer: Row) -> str:
    """Format the lines of a file with their numbers."""
    answer = printable(answer)
    place = f"{answer['project']}/{answer['path']}"
    if answer["content"] is None:
        return joined([f"{place}  {answer['size']:,} bytes, no content"], answer)
    if not answer["total_lines"]:
        return joined([f"{place}  empty"], answer)
    lines = f"{answer['start_line']}-{answer['end_line']} of {answer['total_lines']} lines"
    language = f"  {answer['language']}" if answer["language"] else ""
    language += _encoding(answer)
    language += "  generated" if answer.get("generated") else ""
    language += owners(answer)
    numbered = enumerate(escape_lines(answer["content"]), answer["start_line"])
    content = [f"    {line}: {text}".rstrip() for line, text in numbered]
    return joined(["\n".join([f"{place}:{lines}{language}", *content])], answer)


def list_text(answer: Row) -> str:
    """Format a line for each entry: a directory with its number of files, a file with its size."""
    answer = printable(answer)
    nouns = ("match", "matches") if answer["glob"] else ("entry", "entries")
    found = pluralize(answer["count"], *nouns)
    what = f" of {answer['glob']}" if answer["glob"] else ""
    head = f"{found}{what} in {answer['project']}/{answer['path']}"
    return joined(["\n".join([head, *map(_entry, answer["entries"])])], answer)


def _entry(row: Row) -> str:
    if row["files"] is not None:
        return f"    {row['path']}/  {pluralize(row['files'], 'file')}"
    language = f"  {row['language']}" if row["language"] else ""
    skipped = f"  no content: {row['skipped']}" if row["skipped"] else ""
    language += _encoding(row)
    language += "  generated" if row.get("generated") else ""
    return f"    {row['path']}  {pluralize(row['size'], 'byte')}{language}{skipped}"


def _encoding(row: Row) -> str:
    return f"  {row['encoding']}" if row.get("encoding") else ""


def history_text(answer: Row) -> str:
    """Format each commit with its subject, and the beginning of what its message says beside it."""
    answer = printable(answer)
    of = "/".join(filter(None, (answer["project"], answer["path"])))
    since = f"Commits are stored since {answer['since'][:10]}." if answer["commits"] else ""
    rows = [_commit(answer, commit) for commit in answer["commits"]]
    return joined(["\n".join([heading(answer, "commits", f"of {of}"), *rows]), since], answer)


def _commit(answer: Row, commit: Row) -> str:
    marks = "; ".join(commit_marks(answer, commit))
    head = f"{commit['commit'][:SHORT_COMMIT]}  {commit['committed_at'][:10]}  {marks}".rstrip()
    body = commit["body"]
    cut = "…" if len(body) > _BODY_CHARACTERS else ""
    told = f"\n    {body[:_BODY_CHARACTERS]}{cut}" if body else ""
    return f"{head}\n    {commit['subject']}{told}"


truncate_history: Final = first_rows(
    "commits", advice="ask for fewer with limit and follow next_cursor"
)
truncate_list: Final = first_rows(
    "entries",
    advice="name a directory or a glob, or ask for fewer with limit and follow next_cursor",
)


def truncate_content(answer: Answer, budget: Budget) -> Answer:
    """Keep the first lines that fit; if not even one does, its beginning."""
    if answer["content"] is None or budget.holds(answer):
        return answer
    lines = answer["content"].removesuffix("\n").split("\n")

    count = largest(len(lines), lambda count: budget.holds(_first_lines(answer, lines, count)))
    if count:
        return _first_lines(answer, lines, count)
    line = lines[0]
    characters = largest(len(line), lambda count: budget.holds(_beginning(answer, line, count)))
    return _beginning(answer, line, characters)


def _first_lines(answer: Answer, lines: Sequence[str], count: int) -> Answer:
    content = "".join(f"{line}\n" for line in lines[:count])
    return _cut(answer, content, answer["start_line"] + count - 1, "The answer ends after it")


def _beginning(answer: Answer, line: str, characters: int) -> Answer:
    first = answer["start_line"]
    return _cut(answer, line[:characters], first, "It is longer than the answer")


def _cut(answer: Answer, content: str, last: int, why: str) -> Answer:
    following = f": go on with start_line={last + 1}" if last < answer["total_lines"] else ""
    hint = f"Line {last}: {why}, because of max_tokens{following}."
    return {**answer, "content": content, "end_line": last, "truncated": True, "hint": hint}
