"""The index status of each repository: a table on a terminal, columns in a pipe."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from aeterna_code_search.client.console import Console
from aeterna_code_search.client.text import age, short_commit
from indexer.output.terminal import escape_line, pluralize

if TYPE_CHECKING:
    from central.runtime.data_directory import ServerRecord

_STYLES: Final = {
    "current": "green",
    "indexing": "cyan",
    "behind": "yellow",
    "paused": "yellow",
    "failed": "red",
    "never": "dim",
}
_COUNTS: Final = ("files", "chunks", "symbols", "references")
_Projects = Sequence[Mapping[str, Any]]
_PLAIN_COLUMNS: Final = ("project", "state", "last_indexed_commit", "indexed_at", *_COUNTS, "error")


def format_plain(answer: Mapping[str, Any]) -> str:
    """Format a line for each repository and each other branch, as `project@branch`.

    Columns are separated by tabs; `-` if empty.
    """
    rows = [
        [escape_line(str(_or_dash(row.get(key)))) for key in _PLAIN_COLUMNS]
        for project in answer["projects"]
        for row in (project, *_branch_rows(project))
    ]
    return "".join("\t".join(row) + "\n" for row in rows)


def _branch_rows(project: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for branch in project.get("branches", ()):
        name = f"{project['project']}@{branch['ref']}"
        yield {**branch, "project": name, "state": _branch_state(branch)}


def render(console: Console, answer: Mapping[str, Any]) -> str:
    """Render a table, or lines for a pipe."""
    if not console.is_terminal:
        return format_plain(answer)
    from rich.table import Table
    from rich.text import Text

    table = Table("repository", "state", "commit", "indexed", box=None, padding=(0, 2, 0, 0))
    for name in (*_COUNTS, "disk"):
        table.add_column(name, justify="right")
    for project in answer["projects"]:
        table.add_row(
            Text(escape_line(project["project"]), overflow="fold"),
            Text(escape_line(_state(project)), style=_STYLES.get(project["state"], "")),
            Text(short_commit(project["last_indexed_commit"])),
            age(project["indexed_at"]),
            *(f"{project[name]:,}" for name in _COUNTS),
            _disk(project),
        )
        for branch in project.get("branches", ()):
            table.add_row(
                Text(escape_line(f"  {branch['ref']}"), overflow="fold"),
                Text(escape_line(_branch_state(branch)), style=_STYLES.get(branch["trouble"], "")),
                Text(short_commit(branch["last_indexed_commit"])),
                age(branch["indexed_at"]),
                f"{branch['files']:,}",
            )
    return console.render(table) if answer["projects"] else ""


def notes(answer: Mapping[str, Any]) -> Iterator[str]:
    """Yield sentences about the projects together: what is read in part, and by what."""
    projects = answer["projects"]
    if languages := _names(projects, "languages_without_symbols"):
        yield escape_line(f"Text only, no definitions or callers: {languages}.")
    if count := _sum(projects, "generated"):
        yield f"{pluralize(count, 'generated file')}: symbols and references only."
    if count := _sum(projects, "partly_parsed"):
        yield f"{pluralize(count, 'file')} could be parsed only in part."
    files = _counts(project.get("resolved_by", {}) for project in projects)
    if not files.keys() <= {"rules"}:
        named = ", ".join(f"{count:,} by {name}" for name, count in files.most_common())
        yield escape_line(f"Files whose references are bound: {named}.")
    problems = _counts(project.get("unread_manifests", {}).values() for project in projects)
    if problems:
        named = ", ".join(f"{count:,} {_words(name)}" for name, count in problems.items())
        yield escape_line(f"Manifests that could not be read whole: {named}.")
    yield older_extractor(answer)
    yield _skipped_files(projects)
    if ids := _names(projects, "policies_not_run"):
        yield escape_line(f"Not run: {ids}; `codesearch graph show ID` says why.")


def older_extractor(answer: Mapping[str, Any]) -> str:
    """Return a sentence that counts what an older extractor has read; "" for none."""
    lists = [project.get("older_extractor", ()) for project in answer["projects"]]
    count = sum(map(bool, lists))
    if not count:
        return ""
    named = ", ".join(f"{number:,} {name}" for name, number in sorted(_counts(lists).items()))
    whose = pluralize(count, "repository", "repositories")
    return escape_line(f"Read by an older version until the next run: {whose} ({named}).")


def _skipped_files(projects: _Projects) -> str:
    count = _sum(projects, "skipped")
    if not count:
        return ""
    reasons = _counts(project.get("skipped_reasons") or {} for project in projects)
    by_reason = sorted(reasons.items(), key=lambda reason: (-reason[1], reason[0]))
    named = ", ".join(f"{number:,} {_words(name)}" for name, number in by_reason)
    return escape_line(f"{pluralize(count, 'skipped file')}{f' ({named})' if named else ''}.")


def _names(projects: _Projects, key: str) -> str:
    return ", ".join(sorted({name for project in projects for name in project.get(key, ())}))


def _sum(projects: _Projects, key: str) -> int:
    return sum(project.get(key, 0) for project in projects)


def _counts(counted: Iterable[Iterable[str]]) -> Counter[str]:
    """Add up counts by name; a name without a count counts once."""
    counts = Counter[str]()
    for names in counted:
        counts.update(names)
    return counts


def _words(code: str) -> str:
    return code.replace("_", " ")


def local_service(server: "ServerRecord | None") -> str:
    """Return a sentence about the service that a command has started; "" for none."""
    if server is None or server["idle_minutes"] is None:
        return ""
    minutes = server["idle_minutes"]
    end = f"after {pluralize(minutes, 'minute')} without a command" if minutes else "with it"
    return (
        f"Service on this machine: {server['url']}, pid {server['pid']}; it ends {end}, or by "
        "`codesearch stop`."
    )


def _branch_state(branch: Mapping[str, Any]) -> str:
    if branch["reason"]:
        return "not indexed until its next run"
    if branch["error"]:
        return f"{branch['trouble']}: {branch['error']}"
    return branch["trouble"] or "current"


def _state(project: Mapping[str, Any]) -> str:
    """The state, with the error of a failed run."""
    error = project["error"]
    if error:
        return f"{project['state']}: {error}"
    since = project.get("lacking_since")
    return f"{project['state']}, announced {age(since)}" if since else str(project["state"])


def _disk(project: Mapping[str, Any]) -> str:
    """Return an estimate in megabytes; "" from a service of an older version."""
    megabytes = project.get("disk_bytes", 0) / 1_000_000
    return f"{max(megabytes, 0.1):,.1f} MB" if megabytes else ""


def _or_dash(value: Any) -> Any:
    return "-" if value in (None, "") else value
