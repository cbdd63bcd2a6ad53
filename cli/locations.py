"""Where something stands: `project/path:line`, on a terminal a link to it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from indexer.output.terminal import one_line

if TYPE_CHECKING:
    from rich.text import Text


def path_of(one: Mapping[str, Any]) -> str:
    """`project/path` of a result, a definition or a link."""
    return one_line(f"{one['project']}/{one['file']}")


def linked(one: Mapping[str, Any], line: int) -> "Text":
    """`project/path:line`, a link where the service knows the page."""
    from rich.style import Style
    from rich.text import Text

    url = str(one.get("url") or "")
    is_page = url.startswith(("http://", "https://")) and url.isascii() and url.isprintable()
    style = Style(color="cyan", link=url if is_page else None)
    return Text(f"{path_of(one)}:{line}", style=style, overflow="fold")
