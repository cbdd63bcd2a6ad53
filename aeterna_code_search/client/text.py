"""Times, commits and locations as commands print them."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from indexer.output.terminal import escape_line, pluralize

if TYPE_CHECKING:
    from rich.text import Text


SHORT_COMMIT: Final = 10
_UNITS: Final = (("day", 86_400), ("hour", 3_600), ("minute", 60))


def age(moment: str | None, now: datetime | None = None) -> str:
    """Format an RFC 3339 time as `3 minutes ago`."""
    if moment is None:
        return "never"
    seconds = ((now or datetime.now(UTC)) - datetime.fromisoformat(moment)).total_seconds()
    for unit, size in _UNITS:
        if seconds >= size:
            return f"{pluralize(int(seconds // size), unit)} ago"
    return "just now"


def short_commit(commit: str | None) -> str:
    """Shorten a commit hash."""
    return (commit or "-")[:SHORT_COMMIT]


def path_of(result: Mapping[str, Any]) -> str:
    """Format `project/path` of a result, a definition or a link."""
    return escape_line(f"{result['project']}/{result['file']}")


def owners_of(result: Mapping[str, Any]) -> str:
    """Format the owners of a row's file; "" if it has none, or they are not known."""
    return escape_line("".join(f"  {owner}" for owner in result.get("owners") or ()))


def location_link(result: Mapping[str, Any], line: int) -> "Text":
    """Format `project/path:line`, with a hyperlink if the service knows the page."""
    from rich.style import Style
    from rich.text import Text

    url = str(result.get("url") or "")
    is_page = url.startswith(("http://", "https://")) and url.isascii() and url.isprintable()
    style = Style(color="cyan", link=url if is_page else None)
    return Text(f"{path_of(result)}:{line}", style=style, overflow="fold")
