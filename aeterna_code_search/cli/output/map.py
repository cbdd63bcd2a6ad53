"""What repositories use of one another, and who uses what: a link or a definition on each line."""

from collections.abc import Iterator, Mapping
from typing import Any

from aeterna_code_search.client.text import owners_of
from indexer.output.terminal import escape_line, pluralize

Answer = Mapping[str, Any]


def map_lines(answer: Answer) -> Iterator[str]:
    """Yield the links, the cycles, and how many links are not shown."""
    for link in answer["links"]:
        calls = f"{pluralize(link['calls'], 'call')}"
        ends = f"{link['source']} -> {link['target']}"
        versions = "".join(f"; {version_asked(version)}" for version in link["versions"])
        yield escape_line(f"{ends}: {calls}, {pluralize(link['imports'], 'import')}{versions}")
    for cycle in answer["cycles"]:
        yield escape_line(f"cycle: {', '.join(cycle)}")
    if more := answer["links_more"]:
        yield f"{pluralize(more, 'more link')}: raise --limit, or name a repository."


def version_asked(version: Answer) -> str:
    """Format how a package is asked for: `lib 1.5 of 2.0 (lags)`."""
    asked = version["pinned"] or version["required"] or "any version"
    indexed = f" of {version['indexed']}" if version["indexed"] else ""
    return f"{version['package']} {asked}{indexed}{' (lags)' * bool(version['lags'])}"


def unused_lines(answer: Answer) -> Iterator[str]:
    """Yield the definitions with their doubts, and how to go on."""
    for definition in answer["definitions"]:
        place = f"{definition['project']}/{definition['file']}:{definition['line']}"
        doubts = ", ".join(_doubt(doubt) for doubt in definition["doubts"]) or "no doubts"
        yield escape_line(
            f"{place}: {definition['kind']} {definition['qualified_name']} ({doubts})"
        )
    if cursor := answer["next_cursor"]:
        yield f"More: --cursor {cursor}"


def _doubt(doubt: Answer) -> str:
    count = f" {doubt['count']}" if doubt["count"] else ""
    return f"{doubt['code']}{count}{' ' + doubt['place'] if doubt['place'] else ''}"


def consumer_lines(answer: Answer) -> Iterator[str]:
    """Yield each consumer with the definitions that it uses, then what is not known."""
    project = answer["project"]
    for consumer in answer["consumers"]:
        uses = f"{pluralize(consumer['calls'], 'call')}, {pluralize(consumer['imports'], 'import')}"
        versions = "".join(f"; {version_asked(version)}" for version in consumer["versions"])
        yield escape_line(f"{consumer['id']}: {uses}{versions}") + owners_of(consumer)
        for used in consumer["definitions"]:
            yield escape_line(f"  {project}/{used['file']}:{used['line']}: {_used(used)}")
        if more := consumer["definitions_more"]:
            yield f"  and {pluralize(more, 'more definition')}"
    if more := answer["consumers_more"]:
        yield f"{pluralize(more, 'more consumer')}: raise --limit."
    inside = answer["inside"]
    if inside["calls"] or inside["imports"]:
        uses = f"{pluralize(inside['calls'], 'call')}, {pluralize(inside['imports'], 'import')}"
        yield escape_line(f"{project} itself: {uses}")
    if unresolved := answer["unresolved"]:
        yield f"unresolved: {pluralize(unresolved, 'reference')} by these names"
    if unknown := answer["unknown"]:
        yield escape_line(f"not in the index: {', '.join(unknown)}")


def most_called_lines(answer: Answer) -> Iterator[str]:
    """Yield a line for each definition."""
    for row in answer["definitions"]:
        place = f"{row['project']}/{row['file']}:{row['line']}: {row['name']}"
        users = ", ".join(f"{user['project']} {user['calls']}" for user in row["users"])
        counts = f"{pluralize(row['projects'], 'repository', 'repositories')}, "
        yield escape_line(f"{place}: {counts}{pluralize(row['calls'], 'call')}; {users}")
    if more := answer["definitions_more"]:
        yield f"{pluralize(more, 'more definition')}: raise --limit, or name a repository."


def _used(used: Answer) -> str:
    counts = [pluralize(used["calls"], "call")] if used["calls"] else []
    if used["imports"]:
        counts.append(pluralize(used["imports"], "import"))
    return f"{used['name']} ({', '.join(counts)})"
