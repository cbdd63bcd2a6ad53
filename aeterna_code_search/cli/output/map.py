"""What repositories use of one another, a link on each line."""

from collections.abc import Iterator, Mapping
from typing import Any

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
