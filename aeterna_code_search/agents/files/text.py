"""The compact text form of lists of files, and of their content."""

from collections.abc import Mapping
from typing import Any

from aeterna_code_search.agents.text import joined, owners, printable
from indexer.output.terminal import escape_lines, pluralize

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
