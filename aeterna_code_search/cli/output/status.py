"""The index status of each repository: a table on a terminal, columns in a pipe."""

from collections import Counter
from collections.abc import Mapping
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
_PLAIN_COLUMNS: Final = ("project", "state", "last_indexed_commit", "indexed_at", *_COUNTS, "error")


def format_plain(answer: Mapping[str, Any]) -> str:
    """Format a line for each repository, columns separated by tabs; `-` if empty."""
    rows = [
        [escape_line(str(_or_dash(project[key]))) for key in _PLAIN_COLUMNS]
        for project in answer["projects"]
    ]
    return "".join("\t".join(row) + "\n" for row in rows)


def render(console: Console, answer: Mapping[str, Any]) -> str:
    """Render a table."""
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
    return console.render(table) if answer["projects"] else ""


def text_only(answer: Mapping[str, Any]) -> str:
    """Return a sentence that names the languages of which only text is indexed; "" for none."""
    names = {
        name
        for project in answer["projects"]
        for name in project.get("languages_without_symbols", ())
    }
    if not names:
        return ""
    return escape_line(f"Text only, no definitions or callers: {', '.join(sorted(names))}.")


def generated_files(answer: Mapping[str, Any]) -> str:
    """Return a sentence that counts the generated files; "" for none."""
    count = sum(project.get("generated", 0) for project in answer["projects"])
    return f"{pluralize(count, 'generated file')}: symbols and references only." if count else ""


def partly_parsed_files(answer: Mapping[str, Any]) -> str:
    """Return a sentence that counts the files that are understood in part; "" for none."""
    count = sum(project.get("partly_parsed", 0) for project in answer["projects"])
    return f"{pluralize(count, 'file')} could be parsed only in part." if count else ""


def resolved_by(answer: Mapping[str, Any]) -> str:
    """Return a sentence that says by what files are resolved; "" if all are by rules."""
    files = Counter[str]()
    for project in answer["projects"]:
        files.update(project.get("resolved_by", {}))
    if files.keys() <= {"rules"}:
        return ""
    named = ", ".join(f"{count:,} by {name}" for name, count in files.most_common())
    return escape_line(f"Files whose references are bound: {named}.")


def unread_manifests(answer: Mapping[str, Any]) -> str:
    """Return a sentence that counts the manifests that are not read whole; "" for none."""
    problems = Counter[str]()
    for project in answer["projects"]:
        problems.update(project.get("unread_manifests", {}).values())
    if not problems:
        return ""
    named = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in problems.items())
    return escape_line(f"Manifests that could not be read whole: {named}.")


def older_extractor(answer: Mapping[str, Any]) -> str:
    """Return a sentence that counts what an older extractor has read; "" for none."""
    parts = Counter[str]()
    for project in answer["projects"]:
        parts.update(project.get("older_extractor", ()))
    count = sum(bool(project.get("older_extractor")) for project in answer["projects"])
    if not count:
        return ""
    named = ", ".join(f"{number:,} {name}" for name, number in sorted(parts.items()))
    whose = pluralize(count, "repository", "repositories")
    return escape_line(f"Read by an older version until the next run: {whose} ({named}).")


def skipped_files(answer: Mapping[str, Any]) -> str:
    """Return a sentence that counts the skipped files by reason; "" for none."""
    count = sum(project.get("skipped", 0) for project in answer["projects"])
    reasons = Counter[str]()
    for project in answer["projects"]:
        reasons.update(project.get("skipped_reasons") or {})
    by_reason = sorted(reasons.items(), key=lambda item: (-item[1], item[0]))
    named = ", ".join(f"{number:,} {name.replace('_', ' ')}" for name, number in by_reason)
    if not count:
        return ""
    return escape_line(f"{pluralize(count, 'skipped file')}{f' ({named})' if named else ''}.")


def policies_not_run(answer: Mapping[str, Any]) -> str:
    """Return a sentence that names the policies that are not run somewhere; "" for none."""
    ids = {name for project in answer["projects"] for name in project.get("policies_not_run", ())}
    if not ids:
        return ""
    return escape_line(f"Not run: {', '.join(sorted(ids))}; `codesearch graph show ID` says why.")


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
