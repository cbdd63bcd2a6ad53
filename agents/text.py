"""The compact text form of answers, which an agent reads cheaply: one line says where and what.

What repositories contain cannot pass for what the service says: names and paths stay on their
line, and contents are indented.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from indexer.output.terminal import escape_line, escape_lines

Row = Mapping[str, Any]

_CONTENTS: Final = ("content", "text")  # the members that may have several lines

_COMMIT_CHARACTERS: Final = 10
_MISSING: Final = {
    "never_indexed": "never indexed",
    "failed": "its last indexing failed",
    "behind": "indexed at an older commit",
    "paused": "indexing is paused",
    "embedder_unavailable": "found by words only: its embedding service is unavailable",
    "unknown_project": "no such visible project",
    "too_many_hits": "too many hits: narrow the filters",
    "local_index_unavailable": "its uncommitted work: the index of the work tree does not answer",
    "base_commit_not_in_clone": "links to other projects: the commit that is indexed is not in "
    "this clone; fetch it",
    "links_on_edited_lines": "links to other projects on lines that are edited but not committed",
    "not_linked_yet": "its newest code is not linked yet: ask again in some seconds",
    "policies_not_checked_yet": "policies are being checked on its code: ask again in some seconds",
    "commits_unknown": "the sidecar does not say which commits answered",
}


def search_text(answer: Row) -> str:
    """Where each hit is, what it is, and its snippet."""
    answer = printable(answer)
    head = _head(answer["count"], "result", f"for {answer['query']}")
    return joined([head, *(_result(row) for row in answer["results"])], answer)


def code_text(answer: Row) -> str:
    """The same for `search_code`."""
    answer = printable(answer)
    parts = [f"{number(answer['totalResults'], 'result')} in {answer['searchTimeMs']} ms"]
    for row in answer["results"]:
        place = f"{row['project']}/{row['path']}".lstrip("/")
        head = f"{place}:{row['startLine']}-{row['endLine']}  {row['score']:.2f}"
        cut = "\n… (cut; code_search with expand shows more)" if row["truncated"] else ""
        parts.append(f"{head}\n{indented(row['text'])}{cut}".rstrip())
    if not answer["complete"]:
        parts.append("Incomplete: some projects are missing or behind; see code_index_status.")
    return joined(parts, answer)


def links_text(answer: Row, what: str) -> str:
    """The definitions, numbered, then who calls them or whom they call, and how that is known."""
    answer = printable(answer)
    definitions = answer["definitions"]
    parts = [_head(answer["count"], what.removesuffix("s"), f"of {answer['symbol']}")]
    parts.append(
        "\n".join(f"[{index}] {_definition(row)}" for index, row in enumerate(definitions))
    )
    is_many = len(definitions) > 1
    parts.append("\n".join(_link(row, what, is_many=is_many) for row in answer[what]))
    return joined(parts, answer)


def graph_text(answer: Row) -> str:
    """The nodes by their distance from the symbol, then who uses whom."""
    answer = printable(answer)
    nodes, edges = answer["nodes"], answer["edges"]
    names = {node["id"]: node["qualified_name"] for node in nodes}
    head = f"{number(len(nodes), 'node')} and {number(len(edges), 'edge')}"
    parts = [f"{head} around {answer['symbol']}"]
    parts.append("\n".join(_node(node) for node in nodes))
    parts.append("\n".join(_edge(edge, names) for edge in edges))
    if answer["truncated"]:
        parts.append(f"The graph goes on: it was cut at {answer['truncated_reason']}.")
    return joined(parts, answer)


def status_text(answer: Row) -> str:
    """A line for each project."""
    answer = printable(answer)
    head = f"{number(len(answer['projects']), 'project')} of {answer['org_id']}"
    rows = "\n".join(_status(row) for row in answer["projects"])
    head = f"{head}, {number(answer['total_chunks'], 'chunk')}"
    return joined([head, rows, _local(answer).strip()], answer)


def receipt_text(
    receipt: Row, shown: Iterable[str], *, nothing: str = "No project was searched."
) -> str:
    """Which commits answered (those of the projects `shown`) and what is missing and why.

    `nothing` is said where no commit answered.
    """
    projects = {row["project"]: row["commit"] for row in receipt["projects"]}
    named = [name for name in dict.fromkeys(shown) if name in projects]
    commits = [f"{name}@{projects[name][:_COMMIT_CHARACTERS]}" for name in named]
    others = len(projects) - len(named)
    if others:
        commits.append(f"{others} more" if named else number(others, "project"))
    answered = f"Answered by {', '.join(commits)}." if commits else nothing
    lines = [f"{answered}{_local(receipt)}"]
    missing = [
        f"{row['project'] or 'every project'} ({_MISSING.get(row['reason'], row['reason'])})"
        for row in receipt["missing"]
    ]
    if missing:
        lines.append(f"Incomplete: {', '.join(missing)}.")
    if receipt.get("cut"):
        lines.append(f"Limits that were met: {', '.join(receipt['cut'])}.")
    if receipt["complete"] and commits:
        lines[0] = f"Complete. {lines[0]}"
    return "\n".join([*lines, *_unresolved(receipt)])


def printable(value: Any) -> Any:
    """`value` with each text on one line, whatever a repository has in it, but for contents."""
    if isinstance(value, str):
        return escape_line(value)
    if isinstance(value, list):
        return [printable(one) for one in value]
    if isinstance(value, Mapping):
        return {name: one if name in _CONTENTS else printable(one) for name, one in value.items()}
    return value


def indented(content: str) -> str:
    """Content of several lines, none of which begins at the margin."""
    return "\n".join(f"    {line}" if line else "" for line in escape_lines(content.rstrip()))


def joined(parts: list[str], answer: Row) -> str:
    """An answer's parts, the remarks on it, and its receipt."""
    parts = [*parts, *remarks(answer)]
    if "receipt" in answer:
        parts.append(receipt_text(answer["receipt"], _shown(answer)))
    return "\n\n".join(part for part in parts if part)


def remarks(answer: Row) -> list[str]:
    """Why an answer is empty, what of it did not fit, and where it goes on."""
    found = []
    if answer.get("hint"):
        found.append(answer["hint"])
    if answer.get("left_out"):
        counts = ", ".join(f"{n} of {name}" for name, n in answer["left_out"]["counts"].items())
        found.append(f"Left out: {counts}. {answer['left_out']['advice']}")
    if answer.get("next_cursor"):
        found.append(f"More: cursor={answer['next_cursor']}")
    return found


def _shown(answer: Row) -> Iterable[str]:
    for name in ("results", "definitions", "callers", "callees", "nodes"):
        for row in answer.get(name, ()):
            yield row["project"]


def _head(count: int, noun: str, of: str) -> str:
    return f"{number(count, noun)} {of}" if count else f"No {noun}s {of}"


def number(count: int, noun: str) -> str:
    """Such as "2 results"."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _place(row: Row, lines: str) -> str:
    prefix = f"{row['project']}/" if row["project"] else ""
    state = (
        " (uncommitted)" if row.get("local") else " (no longer there)" if row.get("gone") else ""
    )
    return f"{prefix}{row['file']}:{lines}{state}"


def _result(row: Row) -> str:
    name = ".".join(part for part in (row["container"], row["name"]) if part)
    what = f"{row['chunk_type']} {name}".strip()
    lines = f"{row['start_line']}-{row['end_line']}"
    head = f"{_place(row, lines)}  {what}  {row['score']:.2f}"
    cut = "\n… (cut; expand shows all of it)" if row["truncated"] and row["content"] else ""
    return f"{head}\n{indented(row['content'])}{cut}".rstrip()


def _definition(row: Row) -> str:
    package = " ".join(part for part in (row["package"], row["version"]) if part)
    of = f"  ({package})" if package else ""
    where = f"{_place(row, row['line'])}  {row['kind']} {row['qualified_name']}{of}"
    return f"{where}\n    {row['signature']}".rstrip()


def _link(row: Row, what: str, *, is_many: bool) -> str:
    near, far = ("callee", "caller") if what == "callers" else ("caller", "callee")
    target = f" [{row['target']}]" if is_many else ""
    through = f" through {row[near]['qualified_name']}, depth {row['depth']}"
    pinned = row["pinned_version"]
    version = f"  pins {pinned}{', older than indexed' if row['lags'] else ''}" if pinned else ""
    defined = "" if what == "callers" else f"  at {_place(row[far], row[far]['line'])}"
    return (
        f"{_place(row, row['line'])}  {row[far]['qualified_name']}{target}{defined}"
        f"{through if row['depth'] > 1 else ''}  {row['confidence']}, {row['rule']}{version}"
        f"\n    {row['evidence']}"
    ).rstrip()


def _node(row: Row) -> str:
    return f"{row['distance']}  {_place(row, row['line'])}  {row['kind']} {row['qualified_name']}"


def _edge(row: Row, names: Mapping[str, str]) -> str:
    caller, callee = (names.get(row[end], row[end]) for end in ("caller", "callee"))
    often = f" at {row['count']} places" if row["count"] > 1 else ""
    return f"{_place(row, row['line'])}  {caller} → {callee}  {row['confidence']}{often}"


def _status(row: Row) -> str:
    commit = (row["last_indexed_commit"] or "")[:_COMMIT_CHARACTERS]
    at = f"@{commit} {row['default_branch']}, indexed {row['indexed_at']}" if commit else ""
    sizes = ", ".join(f"{row[name]} {name}" for name in ("files", "chunks", "symbols"))
    error = f"\n    {row['error']}" if row["error"] else ""
    return f"{row['project']}{at}: {row['state']}; {sizes}{error}"


def _local(answer: Row) -> str:
    local = answer.get("local")
    if not local:
        return ""
    return f" Uncommitted work of {local['project']} is in front, as of {local['indexed_at']}."


def _unresolved(receipt: Row) -> list[str]:
    unresolved = receipt.get("unresolved") or {"count": 0}
    if not unresolved["count"]:
        return []
    count = f"{unresolved['count']}{'+' if unresolved['more'] else ''}"
    sites = [f"{row['name']} at {_place(row, row['line'])}" for row in unresolved["sample"][:3]]
    return [f"References of which only the name is known: {count} ({', '.join(sites)} …)."]
