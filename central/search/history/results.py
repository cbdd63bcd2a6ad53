"""Results of searches of commits: each names the commit, and the merge that brought it."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

from aeterna_code_search.contract.search import Result, ResultCommit, SearchRequest
from central.corpus.commit_facts import reverting_commits, time_text
from central.corpus.models import Commit
from central.db import fetch_rows, id_array, sql_with
from central.repositories.visibility import RepositorySnapshot, forge_commit_url, forge_file_url
from central.search.history.documents import message
from central.search.history.plan import path_language
from central.search.history.scan import CommitHit

_sql = sql_with(commit=Commit)
_COMMITS = _sql("""SELECT c.id, c.repository_id, c.sha, c.authored_at, c.committed_at, c.author,
        c.subject, c.body, c.merge, c.reverts, c.changed, c.terms
    FROM {commit} c WHERE c.id = ANY(%s::bigint[])""")


class CommitRow(NamedTuple):
    """A commit as it is stored."""

    id: int
    repository: int
    sha: str
    authored_at: int
    committed_at: int
    author: str
    subject: str
    body: str
    merge: str
    reverts: list[str]
    changed: int
    terms: bytes


class CommitRows(NamedTuple):
    """Commits of a page by key, and those that take them back by repository and id."""

    rows: Mapping[int, CommitRow]
    reverted: Mapping[tuple[int, str], list[str]]

    def change(self, row: CommitRow, repository: RepositorySnapshot) -> ResultCommit:
        """Return what a result says of its commit."""
        return ResultCommit(
            subject=row.subject,
            author=row.author,
            authored_at=time_text(row.authored_at),
            committed_at=time_text(row.committed_at),
            merge=row.merge or None,
            reverts=row.reverts,
            reverted_by=self.reverted.get((row.repository, row.sha), []),
            changed=row.changed,
            url=forge_commit_url(repository.web_url, row.sha),
        )


def commit_rows(ids: Iterable[int]) -> CommitRows:
    """Read commits by their keys; those that are gone are left out."""
    rows = {row[0]: CommitRow(*row) for row in fetch_rows(_COMMITS, [id_array(ids)])}
    repositories = {row.repository for row in rows.values()}
    return CommitRows(rows, reverting_commits(repositories, [row.sha for row in rows.values()]))


def matched_result(
    hit: CommitHit, rows: CommitRows, repository: RepositorySnapshot, request: SearchRequest
) -> Result | None:
    """Return the result of a text that matches; None if its commit is gone."""
    row = rows.rows.get(hit.place.id)
    if row is None:
        return None
    document = hit.document
    lines = document.shown(hit.spans, request.lines)
    result = _result(
        row,
        rows,
        repository,
        path=document.path,
        content="\n".join(line.text for line in lines) if document.path else _message(row),
        most=request.max_content,
    )
    first = lines[0].line if lines else 1
    last = max((line.line for line in lines), default=1)
    return replace(
        result,
        start_line=first,
        end_line=max(first, last),
        ranges=[[first, max(first, last)]],
        content_start_line=first if document.path else 1,
        lines=lines,
        matches=len(hit.spans),
        matched=list(
            dict.fromkeys(line.text[start:end] for line in lines for start, end in line.ranges)
        ),
    )


def ranked_result(
    row: CommitRow, rows: CommitRows, repository: RepositorySnapshot, request: SearchRequest
) -> Result:
    """Return the result of a commit that resembles the words of a query, without its scores."""
    content = _message(row)
    return _result(row, rows, repository, path="", content=content, most=request.max_content)


def _result(
    row: CommitRow,
    rows: CommitRows,
    repository: RepositorySnapshot,
    *,
    path: str,
    content: str,
    most: int,
) -> Result:
    """Return the result of a whole commit, or of a path; `most` characters of its content."""
    change = rows.change(row, repository)
    at_forge = path and repository.web_url
    return Result(
        project=repository.name,
        commit=row.sha,
        file=path,
        start_line=1,
        end_line=1,
        ranges=[[1, 1]],
        language=path_language(path) if path else "",
        chunk_type="",
        name="",
        container="",
        score=1.0,
        similarity=None,
        content=content[:most],
        content_start_line=1,
        truncated=len(content) > most,
        matched=[],
        url=forge_file_url(repository.web_url, row.sha, path) if at_forge else change.url,
        why=None,
        change=change,
    )


def _message(row: CommitRow) -> str:
    return message(row.subject, row.body).content.decode()
