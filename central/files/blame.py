"""Which commit made each line of an indexed file."""

import time
from collections.abc import Collection, Mapping, Sequence
from typing import Final, NamedTuple

from aeterna_code_search.contract.files import BlameRequest
from central.corpus import line_history
from central.corpus.branches.of_project import require_default_branch
from central.corpus.commit_facts import NO_COMMITS, stored_since, time_text, why_unread
from central.corpus.files import file_not_found
from central.corpus.line_history import LINE_HISTORY_SECONDS, BlamedRange, Unknown
from central.corpus.line_records import StoredChanges, commit_graph, lines_of_diffs
from central.corpus.models import Commit, File
from central.db import fetch_rows, one_moment, sql_with
from central.errors import InvalidError
from central.files.answers import Blame, BlamedLines, UnattributedLines, files_receipt
from central.repositories.visibility import (
    RepositorySnapshot,
    forge_commit_url,
    repository_snapshot,
)
from central.tenancy.credentials import Credential

BLAMED_LINES: Final = 5_000  # of an answer
_sql = sql_with(commit=Commit)
_COMMITS: Final = _sql("""SELECT sha, subject, committed_at, author, merge FROM {commit}
    WHERE repository_id = %s::bigint AND sha = ANY(%s::text[])""")
_WHY: Final[Mapping[str, str]] = {
    Unknown.NOT_STORED: "older than the commits that are stored",
    Unknown.MANY_PATHS: "of a commit that changed more paths than are stored",
    Unknown.MERGE: "of a merge that may have renamed the file",
    Unknown.INCONSISTENT: "where the stored commits do not fit the file",
    Unknown.LIMIT: "beyond the time that an answer may take: ask for fewer",
}


class _Told(NamedTuple):
    """What a commit says of its lines."""

    subject: str
    committed_at: int
    author: str
    merge: str


def read_blame(*, credential: Credential, request: BlameRequest) -> Blame:
    """Return the commits of the lines that are asked for, at most BLAMED_LINES.

    Lines whose commit the stored ones do not tell are `unknown`, with the reason. Raises
    NotFoundError for an unknown project or file, and InvalidError for a line behind the last.
    """
    started = time.perf_counter()
    require_default_branch(credential, project=request.project, ref=request.ref, what="Blame")
    with one_moment():
        repository = repository_snapshot(credential=credential, project=request.project)
        if "\0" in request.path:  # which PostgreSQL refuses
            raise file_not_found(repository.id, "")
        file = File.objects.filter(repository_id=repository.id, path=request.path).first()
        if file is None:
            raise file_not_found(repository.id, request.path)
        lines = lines_of_diffs(file)
        first, last = _asked(request, len(lines))
        found = _blamed(repository, file, lines, (first, min(last, first + BLAMED_LINES - 1)))
        told = _commits(repository.id, {lines.commit for lines in found if lines.commit})
        since = stored_since(repository.id)
    end = found[-1].end_line if found else 0
    unknown = [UnattributedLines(*lines[:2], lines.unknown) for lines in found if lines.unknown]
    return Blame(
        project=repository.name,
        path=file.path,
        commit=repository.commit,
        total_lines=len(lines),
        start_line=first if found else 0,
        end_line=end,
        ranges=[_range(repository, lines, told[lines.commit]) for lines in found if lines.commit],
        unknown=unknown,
        truncated=end < last,
        since=since,
        receipt=files_receipt(repository, started=started),
        hint=_hint(file, unknown, since, following=end + 1 if end < last else 0),
    )


def _asked(request: BlameRequest, total: int) -> tuple[int, int]:
    if request.start_line > max(total, 1):
        message = f"The file has {total:,} lines; start_line is behind the last."
        raise InvalidError(message, errors={"start_line": [message]})
    return request.start_line, min(request.end_line or total, total)


def _blamed(
    repository: RepositorySnapshot, file: File, lines: list[str], asked: tuple[int, int]
) -> list[BlamedRange]:
    if file.skipped or not lines:
        return []
    return line_history.blame(
        commit_graph(repository.id, repository.commit),
        StoredChanges(repository.id),
        path=file.path,
        lines=lines,
        asked=asked,
        seconds=LINE_HISTORY_SECONDS,
    )


def _commits(repository_id: int, shas: Collection[str]) -> dict[str, _Told]:
    rows = fetch_rows(_COMMITS, [repository_id, list(shas)]) if shas else []
    return {sha: _Told(*told) for sha, *told in rows}


def _range(repository: RepositorySnapshot, lines: BlamedRange, told: _Told) -> BlamedLines:
    return BlamedLines(
        start_line=lines.start_line,
        end_line=lines.end_line,
        commit=lines.commit,
        subject=told.subject,
        committed_at=time_text(told.committed_at),
        author=told.author or None,
        merge=told.merge or None,
        url=forge_commit_url(repository.web_url, lines.commit),
    )


def _hint(
    file: File, unknown: Sequence[UnattributedLines], since: str | None, *, following: int
) -> str | None:
    if file.skipped:
        return "The index has no content of this file, so its lines are not known."
    said = []
    if following:
        said.append(f"The answer ends here; ask again with start_line={following}.")
    if since is None:
        said.append(NO_COMMITS)
    elif unknown:
        said.append(f"The commits of some lines are unknown: {why_unknown(unknown)}.")
    return " ".join(said) or None


def why_unknown(unknown: Sequence[UnattributedLines]) -> str:
    """Return the reasons in words, each once."""
    said = (_WHY.get(lines.reason) or why_unread(lines.reason) for lines in unknown)
    return "; ".join(dict.fromkeys(said))
