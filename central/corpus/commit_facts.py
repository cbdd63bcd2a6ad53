"""What answers say of stored commits beside their own rows."""

from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

from central.corpus.models import Commit
from central.db import fetch_rows_planned_each_time, id_array, sql_with
from indexer.records.history import Unread

NO_COMMITS: Final = (
    "No commit of this repository is stored yet. They come with the next run of an indexer of this "
    "version, unless its .codesearch.toml or this service sends none."
)
_BRINGS_THEM: Final = "`codesearch index --history` in a checkout sends those that it has"
_UNREAD: Final[Mapping[str, str]] = {
    Unread.BINARY: "of a binary file",
    Unread.LARGE: "of a change too large to be stored",
    Unread.WITHHELD: "of a path whose lines are withheld or were purged",
    Unread.ABSENT: f"of commits that came from a clone without them; {_BRINGS_THEM}",
    Unread.OFF: "of commits that came without their lines, which the repository or this service "
    f"had switched off; once they are on, {_BRINGS_THEM}",
    Unread.UNKNOWN: f"of commits that came without their lines; {_BRINGS_THEM}",
}
_sql = sql_with(commit=Commit)
_SINCE: Final = _sql("SELECT min(committed_at) FROM {commit} WHERE repository_id = %s::bigint")
_REVERTING: Final = _sql("""SELECT repository_id, sha, reverts FROM {commit}
    WHERE repository_id = ANY(%s::bigint[]) AND reverts <> '{}' AND reverts && %s::varchar[]
    ORDER BY committed_at, id""")


def why_unread(reason: str) -> str:
    """Return, in words, of what lines are not stored."""
    return _UNREAD.get(reason, _UNREAD[Unread.UNKNOWN])


def time_text(seconds: int) -> str:
    """Return a time of seconds since 1970 by RFC 3339."""
    return datetime.fromtimestamp(seconds, UTC).isoformat().replace("+00:00", "Z")


def stored_since(repository_id: int) -> str | None:
    """Return when the oldest stored commit was committed; None: none is stored."""
    [(seconds,)] = fetch_rows_planned_each_time(_SINCE, [repository_id])
    return None if seconds is None else time_text(seconds)


def reverting_commits(
    repository_ids: Collection[int], shas: Sequence[str]
) -> dict[tuple[int, str], list[str]]:
    """Return the commits that take each of some back, by its repository and id; oldest first."""
    found: dict[tuple[int, str], list[str]] = {}
    asked = [id_array(repository_ids), list(shas)]
    for repository, sha, reverts in fetch_rows_planned_each_time(_REVERTING, asked) if shas else ():
        for other in reverts:
            found.setdefault((repository, other), []).append(sha)
    return found
