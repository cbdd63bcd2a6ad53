"""Times, commits and locations as commands print them."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from indexer.output.commits import SHORT_COMMIT
from indexer.output.terminal import escape_line, pluralize

if TYPE_CHECKING:
    from rich.style import Style
    from rich.text import Text

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


def branches_of(result: Mapping[str, Any]) -> str:
    """Format the branches that have a result, where branches were asked for."""
    names = ", ".join(result.get("branches") or ())
    return escape_line(f"  on {names}") if names else ""


def owners_of(result: Mapping[str, Any]) -> str:
    """Format the owners of a row's file; "" if it has none, or they are not known."""
    return escape_line("".join(f"  {owner}" for owner in result.get("owners") or ()))


def location_link(result: Mapping[str, Any], line: int) -> "Text":
    """Format `project/path:line`, with a hyperlink if the service knows the page."""
    from rich.text import Text

    style = page_link(result.get("url"))
    return Text(f"{path_of(result)}:{line}", style=style, overflow="fold")


def page_link(url: object) -> "Style":
    """Return the style of what leads to a page, with a hyperlink if there is an address."""
    from rich.style import Style

    address = str(url or "")
    is_page = (
        address.startswith(("http://", "https://")) and address.isascii() and address.isprintable()
    )
    return Style(color="cyan", link=address if is_page else None)
