"""`cat` and `ls`: files of any repository, as they are in the index."""

import re
import sys
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from aeterna_code_search.cli.commands.options import (
    Json,
    Ref,
    Repository,
    asks,
    examples,
    project_and_path,
)
from aeterna_code_search.cli.context import CommandContext
from aeterna_code_search.contract.files import ListRequest
from indexer.exits import Exit

if TYPE_CHECKING:
    from aeterna_code_search.client.api import ServiceApi

commands = typer.Typer()

_LINES: Final = re.compile(r"(\d{1,8})?(-)?(\d{1,8})?")
_PAGE: Final = 1_000


def line_range(text: str | None) -> tuple[int, int | None]:
    """Return the first and the last line of `A-B`, `A-`, `-B` or `A`; None: the end.

    Raises typer.BadParameter for any other text.
    """
    found = _LINES.fullmatch(text or "-")
    if found is None or not (text is None or found[1] or found[3]):
        raise typer.BadParameter("write 60-95, 60-, -95 or 60")
    first = int(found[1] or 1)
    last = int(found[3]) if found[3] else None if found[2] else first
    if first < 1 or (last is not None and last < first):
        raise typer.BadParameter("the last line is before the first, or lines begin with 0")
    return first, last


@commands.command(
    "cat",
    epilog=examples(
        "codesearch cat auth-service acme_auth/tokens.py",
        "codesearch cat auth-service acme_auth/tokens.py --lines 60-95",
        "codesearch cat auth-service acme_auth/tokens.py --ref release/1",
        "codesearch cat auth-service acme_auth/tokens.py --json | jq -r .content",
    ),
)
def cat(
    ctx: typer.Context,
    project: Repository,
    path: Annotated[
        str | None, typer.Argument(metavar="PATH", help="File, from the repository's root")
    ] = None,
    lines: Annotated[
        str | None,
        typer.Option(metavar="A-B", help="Only these lines; also A-, -B or A"),
    ] = None,
    ref: Ref = "",
    raw: Annotated[
        bool, typer.Option("--raw", help="Exactly as indexed, with control characters")
    ] = False,
    json: Json = False,
) -> Exit:
    """Print a file of a repository, as it is in the index.

    Control characters are shown as �, and lines end with a newline alone; --raw writes the exact
    text to a pipe or a file.
    """
    if raw and sys.stdout.isatty():
        raise typer.BadParameter("not to a terminal: redirect it to a file", param_hint="--raw")
    first, last = line_range(lines)
    project, path = project_and_path(project, path)
    if not path:
        raise typer.BadParameter("which file? `codesearch ls PROJECT` lists them")
    with ctx.obj.service_api() as api:
        answer = read_content(api, project, path, first, last, ref=ref)
        if answer is None:
            return _print_directory_error(project, path)
    return _print_content(ctx.obj, answer, json=json, raw=raw)


def read_content(
    api: "ServiceApi", project: str, path: str, first: int, last: int | None, *, ref: str = ""
) -> dict[str, Any] | None:
    """Return the lines of as many answers as they need; None if the path is a directory."""
    from indexer.errors import CentralRefusedError

    parameters: dict[str, Any] = {"project": project, "path": path, "start_line": first}
    if last:
        parameters["end_line"] = last
    on_branch = {"ref": ref} if ref else {}
    parameters |= on_branch
    try:
        answer = api.read_file(parameters)
    except CentralRefusedError as error:
        if error.code == "file_not_found" and _is_directory(
            api, {"project": project, "path": path, **on_branch}
        ):
            return None
        raise
    parts = [answer["content"] or ""]
    while answer["truncated"] and parts[-1].endswith("\n"):
        page = api.read_file({**parameters, "start_line": answer["end_line"] + 1})
        parts.append(page["content"] or "")
        answer = {**page, "start_line": answer["start_line"]}
    return answer if answer["content"] is None else {**answer, "content": "".join(parts)}


def _is_directory(api: "ServiceApi", place: dict[str, Any]) -> bool:
    from indexer.errors import CentralRefusedError

    try:
        return bool(api.list_files({**place, "limit": 1})["entries"])
    except CentralRefusedError:
        return False


def _print_directory_error(project: str, path: str) -> Exit:
    from aeterna_code_search.client.console import print_stderr
    from indexer.output.terminal import escape_line

    where = escape_line(f"codesearch ls {project} {path}")
    print_stderr(f"error: {escape_line(path)} is a directory: type `{where}`.")
    return Exit.USAGE


def _print_content(
    context: CommandContext, answer: dict[str, Any], *, json: bool, raw: bool
) -> Exit:
    from aeterna_code_search.cli.output import files
    from aeterna_code_search.client import receipt
    from aeterna_code_search.client.console import Console, print_stderr, print_stdout

    console = Console.of(context.environ)
    if json:
        print_stdout(console.as_json(answer))
    elif answer["content"] is None:
        print_stderr(f"error: {receipt.in_options(answer['hint'])}")
        return Exit.NOTHING_FOUND
    elif raw:
        print_stdout(answer["content"])
    elif console.is_terminal:
        print_stdout(files.render_content(console, answer))
    else:
        print_stdout(files.format_content(answer["content"]))
    if not json:
        print_stderr(receipt.indexed_line(answer["receipt"]))
        print_stderr(files.owners_line(answer))
        print_stderr(receipt.in_options(answer["hint"] or ""))
    return Exit.OK


@commands.command(
    "ls",
    epilog=examples(
        "codesearch ls auth-service",
        "codesearch ls auth-service acme_auth",
        "codesearch ls auth-service --glob 'test_*.py'",
    ),
)
@asks(ListRequest)
def ls(
    ctx: typer.Context,
    project: Repository = "",
    path: Annotated[
        str | None, typer.Argument(metavar="[PATH]", help="Directory; default: the root")
    ] = None,
    *,
    json: Json = False,
    **request: Any,
) -> Exit:
    """List a directory of a repository, or the paths in it that match.

    In a pipe each is a path from the repository's root; that of a directory ends with a slash.
    """
    from aeterna_code_search.cli.output import files
    from aeterna_code_search.cli.output.answers import print_answer
    from aeterna_code_search.client import receipt
    from aeterna_code_search.client.console import print_stderr

    project, path = project_and_path(project, path)
    if not project:
        raise typer.BadParameter("which repository? `codesearch status` lists them")
    parameters = {"project": project, "path": path, **request, "limit": _PAGE}
    with ctx.obj.service_api() as api:
        answer = _all_pages(api, {name: value for name, value in parameters.items() if value})
    print_answer(
        ctx.obj.environ,
        answer,
        files.render_list,
        json=json,
        notes=[receipt.indexed_line(answer["receipt"])],
    )
    if answer["entries"]:
        return Exit.OK
    print_stderr(receipt.in_options(answer["hint"] or ""))
    return Exit.NOTHING_FOUND if answer["receipt"]["projects"] else Exit.NOT_INDEXED


def _all_pages(api: "ServiceApi", parameters: dict[str, Any]) -> dict[str, Any]:
    """Return the first answer with the entries of all pages."""
    first = page = api.list_files(parameters)
    entries = list(first["entries"])
    while page["next_cursor"]:
        page = api.list_files({**parameters, "cursor": page["next_cursor"]})
        entries += page["entries"]
    hint = None if entries else page["hint"]
    return {**first, "entries": entries, "count": len(entries), "next_cursor": None, "hint": hint}
