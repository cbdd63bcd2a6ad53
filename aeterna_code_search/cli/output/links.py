"""The links of a trace: a table on a terminal, one link per line in a pipe."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from aeterna_code_search.cli.output.answers import print_answer
from aeterna_code_search.client.console import Console, print_stderr
from aeterna_code_search.client.receipt import receipt_notes
from aeterna_code_search.client.text import location_link, owners_of, path_of, short_commit
from indexer.output.terminal import escape_line, pluralize

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

CONFIDENCE_STYLES: Final = {"high": "green", "medium": "yellow", "low": "red"}

MAX_DEFINITIONS: Final = 10  # that are listed although they have no links
CHOOSE_ONE: Final = "give a qualified name, or --project, --file and --line, to trace one"

Link = Mapping[str, Any]


def print_links(
    environ: Mapping[str, str], answer: Mapping[str, Any], what: str, *, json: bool
) -> None:
    """Print links as a table, or as lines beside the definitions; `what` as for `render`."""

    def text(console: Console, answer: Mapping[str, Any]) -> str:
        if console.is_terminal:
            return render(console, answer, what)
        print_stderr(*_defined_at(answer["definitions"]))
        return format_plain(answer[what])

    print_answer(environ, answer, text, json=json, notes=receipt_notes(answer))


def _defined_at(definitions: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for definition in definitions[:MAX_DEFINITIONS]:
        yield f"Defined at {definition_line(definition)}"
    if more := definitions[MAX_DEFINITIONS:]:
        yield f"{pluralize(len(more), 'more definition')}: {CHOOSE_ONE}."


def format_plain(links: Sequence[Link]) -> str:
    """Format `project/path:line: caller -> callee at project/path:line (confidence)` lines."""
    return "".join(f"{_line(link)}\n" for link in links)


def position_line(name: Mapping[str, Any]) -> str:
    """Describe the name at a position, and the commit that it is read from."""
    place = f"{path_of(name)}:{name['line']}:{name['column'] + 1}"
    commit = short_commit(name["commit"])
    return f"At {place} of {commit}: {escape_line(name['name'])} ({escape_line(name['use'])})."


def _why(definition: Mapping[str, Any]) -> str:
    pinned = definition["pinned_version"]
    parts = (definition["confidence"], definition["rule"], pinned and f"pinned {pinned}")
    return escape_line(", ".join(filter(None, parts)))


def render_definitions(console: Console, answer: Mapping[str, Any]) -> str:
    """Render the definitions that a name may mean, each with the evidence.

    A pipe gets `project/path:line: signature (confidence, rule)` lines.
    """
    definitions = answer["definitions"]
    if not console.is_terminal:
        return "".join(
            f"{definition_line(definition)} ({_why(definition)})\n" for definition in definitions
        )
    from rich.text import Text

    parts: list[Text] = []
    for definition in definitions:
        style = CONFIDENCE_STYLES.get(definition["confidence"], "")
        why = Text(f"  {_why(definition)}", style=style)
        why.append(f"  {escape_line(definition['evidence'])}", style="dim")
        parts += [*_heading(definition), why, Text()]
    return console.render(*parts)


def definition_line(definition: Mapping[str, Any]) -> str:
    """Format `project/path:line: signature`."""
    text = definition["signature"] or f"{definition['kind']} {definition['qualified_name']}"
    location = f"{path_of(definition)}:{definition['line']}"
    return (
        f"{location}: {escape_line(text)}{_generated(definition)}{definition_missing(definition)}"
    )


def _generated(link: Mapping[str, Any]) -> str:
    """Return a note if the file of a definition or of an end of a link is generated."""
    return " (generated)" if link.get("generated") else ""


def definition_missing(definition: Mapping[str, Any]) -> str:
    """Return a note if the work tree no longer has the definition."""
    return " (removed)" if definition.get("gone") else ""


def render(console: Console, answer: Mapping[str, Any], what: str) -> str:
    """Render each definition with its links below; `what` is callers, callees or references.

    Of many definitions, those without links are only counted.
    """
    from rich.text import Text

    parts: list[Text | Table] = []
    omitted = 0
    for number, definition in enumerate(answer["definitions"]):
        links = [link for link in answer[what] if link["target"] == number]
        if not links and len(answer["definitions"]) > MAX_DEFINITIONS:
            omitted += 1
            continue
        parts += [*_heading(definition), Text()]
        if links:
            parts += [_table(links, what, width=console.width), Text()]
    if omitted:
        more = pluralize(omitted, "more definition")
        parts.append(Text(f"{more} without {what} in this answer: {CHOOSE_ONE}.", style="dim"))
    return console.render(*parts)


def _heading(definition: Mapping[str, Any]) -> list["Text"]:
    from rich.text import Text

    heading = location_link(definition, definition["line"])
    heading.append(f"  {escape_line(definition['kind'])} ")
    heading.append(escape_line(definition["qualified_name"]), style="bold")
    package = " ".join(filter(None, (definition.get("package"), definition.get("version"))))
    if package:
        heading.append(f"  {escape_line(package)}", style="dim")
    if definition.get("local"):
        heading.append("  not committed", style="yellow")
    heading.append(_generated(definition), style="yellow")
    heading.append(definition_missing(definition), style="red")
    return [heading, Text(f"  {escape_line(definition['signature'])}", style="dim")]


def _table(links: Sequence[Link], what: str, *, width: int) -> "Table":
    from rich.table import Table
    from rich.text import Text

    locations = [location_link(link, link["line"]) for link in links]
    table = Table(box=None, padding=(0, 2, 0, 2), show_edge=False)
    longest = max(location.cell_len for location in locations)
    table.add_column("at", min_width=min(longest, width * 2 // 3), overflow="fold")
    table.add_column(pluralize(len(links), what.removesuffix("s")), overflow="fold")
    for location, link in zip(locations, links, strict=True):
        end = link["callee" if what == "callees" else "caller"]
        text = Text("  " * (link["depth"] - 1))
        text.append(escape_line(end["qualified_name"]), style="bold")
        text.append(_generated(end), style="yellow")
        text.append(
            f"  {escape_line(link['confidence'])}",
            style=CONFIDENCE_STYLES.get(link["confidence"], ""),
        )
        if kind := _kind(link):
            text.append(f"  {kind}")
        if link.get("local"):
            text.append("  not committed", style="yellow")
        text.append(f"{owners_of(link)}  {escape_line(link['evidence'])}", style="dim")
        if version := _version(link):
            text.append(f"  {version}", style="magenta")
        table.add_row(location, text)
    return table


def _line(link: Link) -> str:
    caller, callee = (
        f"{escape_line(link[end]['qualified_name'])}{_generated(link[end])}"
        for end in ("caller", "callee")
    )
    details = ", ".join(
        filter(None, (link["confidence"], link["rule"], _kind(link), _version(link)))
    )
    at = f"{path_of(link['callee'])}:{link['callee']['line']}"
    return f"{path_of(link)}:{link['line']}: {caller} -> {callee} at {at} ({escape_line(details)})"


def _kind(link: Link) -> str:
    """The kind of reference, unless it is a call."""
    return "" if link["kind"] == "call" else escape_line(link["kind"])


def _version(link: Link) -> str:
    """The version of the callee's package that the caller's repository requires."""
    if pinned := link["pinned_version"]:
        older = f", older than {link['indexed_version']}" if link["lags"] else ""
        return escape_line(f"pinned {pinned}{older}")
    required = link["required_version"]
    return escape_line(f"requires {required}") if required else ""
