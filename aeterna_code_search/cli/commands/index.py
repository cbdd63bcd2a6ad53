"""`init`, `index` and `watch`: make the index of a repository, and keep it up to date."""

import json as json_
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from aeterna_code_search.cli.commands.options import Project, examples
from aeterna_code_search.cli.context import CommandContext
from indexer.exits import Exit

if TYPE_CHECKING:
    from aeterna_code_search.client.target.target import IndexTarget
    from indexer.pipeline.report import Report

commands = typer.Typer()
Directory = Annotated[Path, typer.Argument(metavar="PATH", help="Directory of the repository")]
Organization = Annotated[str | None, typer.Option(metavar="SLUG")]


@commands.command(
    "init",
    epilog=examples(
        "codesearch init",
        "codesearch init ~/src/billing",
        "codesearch init --url https://codesearch.example.com --organization acme",
        "codesearch init --json",
    ),
)
def init(
    ctx: typer.Context,
    path: Directory = Path(),
    url: Annotated[
        str | None,
        typer.Option(metavar="URL", help="URL of the service; default: an index on this machine"),
    ] = None,
    organization: Organization = None,
    project: Annotated[
        str | None,
        typer.Option("--project", "-p", metavar="NAME", help="Name of the repository in the index"),
    ] = None,
    json: Annotated[
        bool, typer.Option("--json", help="Print the configuration and the report as JSON")
    ] = False,
) -> Exit:
    """Write .codesearch.toml and build the first index.

    The options are written to the file. An existing file is left unchanged.
    """
    context: CommandContext = ctx.obj
    directory = context.directory / path
    root = _prepare(directory)
    from aeterna_code_search.cli.distribution import sharing_warning
    from aeterna_code_search.cli.indexing import index_target
    from aeterna_code_search.client.console import print_stderr, print_stdout
    from aeterna_code_search.client.target.config_file import write_project_file
    from aeterna_code_search.client.target.trusted_servers import trust_server
    from indexer.config.project_file import PROJECT_FILE
    from indexer.errors import ConfigurationError
    from indexer.pipeline.job import ScipRequest
    from indexer.records.runs import Requested

    if not (root / ".git").exists():
        raise ConfigurationError(
            f"{root} is a bare repository without a work tree for {PROJECT_FILE}: "
            "index it with `codesearch index`"
        )
    if warning := sharing_warning():
        print_stderr(warning)
    options = {"url": url, "organization": organization, "project": project}
    settings = {name: value for name, value in options.items() if value}
    with _indexed_target(context.environ, directory, options) as target:
        if url:
            trust_server(target.url, target.data_dir)
        is_new = write_project_file(root, settings)
        report = index_target(
            target, context.environ, directory, Requested.AUTO, plain=json, scip=ScipRequest()
        )
    if json:
        print_stdout(json_.dumps(_as_object(target, root, report, is_new=is_new)) + "\n")
    else:
        print_stdout(_done(target, root, report, is_new=is_new, settings=settings) + "\n")
    return Exit.OK


@commands.command(
    "index",
    epilog=examples(
        "codesearch index", "codesearch index ~/src/billing --full", "codesearch index --json"
    ),
)
def index(
    ctx: typer.Context,
    path: Directory = Path(),
    full: Annotated[
        bool, typer.Option("--full", help="Compare every file, not only those that commits changed")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Process every file, changed or not")
    ] = False,
    history: Annotated[
        bool, typer.Option("--history", help="Send the stored and the newest commits again")
    ] = False,
    organization: Organization = None,
    project: Project = None,
    ref: Annotated[
        str | None,
        typer.Option(
            metavar="BRANCH",
            help="Branch to index at a configured service; default: the current one",
        ),
    ] = None,
    scip: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PATH[:PREFIX]",
            help="SCIP index, or a pattern of several, relative to PATH; may be repeated",
        ),
    ] = None,
    scip_commit: Annotated[
        str,
        typer.Option(metavar="SHA", help="Commit of which the SCIP indexes were made"),
    ] = "",
    json: Annotated[bool, typer.Option("--json", help="Print the report as JSON")] = False,
) -> Exit:
    """Bring the index up to date with the last commit.

    The local index follows the checked-out commit; a service follows a branch. Uncommitted changes
    are not indexed: use `codesearch watch` for them.
    """
    context: CommandContext = ctx.obj
    directory = context.directory / path
    _prepare(directory)
    from aeterna_code_search.cli.indexing import index_target
    from aeterna_code_search.client.console import print_stdout
    from indexer.pipeline.job import scip_request
    from indexer.pipeline.report import as_json, format_text
    from indexer.records.runs import Requested

    request = scip_request(scip or [], scip_commit, context.environ, directory)
    asked = {Requested.FORCE: force, Requested.FULL: full, Requested.HISTORY: history}
    requested = next((mode for mode, is_asked in asked.items() if is_asked), Requested.AUTO)
    settings = {"organization": organization, "project": project}
    with _indexed_target(context.environ, directory, settings) as target:
        report = index_target(
            target,
            context.environ,
            directory,
            requested,
            plain=json,
            ref=ref,
            scip=request,
        )
    print_stdout(f"{json_.dumps(as_json(report)) if json else format_text(report)}\n")
    return Exit.OK


@commands.command("watch", epilog=examples("codesearch watch", "codesearch watch ~/src/billing"))
def watch(
    ctx: typer.Context,
    path: Directory = Path(),
    json: Annotated[
        bool, typer.Option("--json", help="Print each update as a line of JSON")
    ] = False,
) -> Exit:
    """Keep the local index up to date with the work tree, until Ctrl-C.

    Uncommitted changes are included; files that git ignores are not. Uncommitted work stays on this
    machine: `search`, `trace` and `mcp` overlay it on the answers of a configured service.
    """
    from aeterna_code_search.cli.watch.journal import UpdateLog
    from aeterna_code_search.cli.watch.session import watch as keep_watching
    from indexer.output.github import log_to_standard_error

    log_to_standard_error()
    context: CommandContext = ctx.obj
    keep_watching(context.environ, context.directory / path, UpdateLog(as_json=json))


def _prepare(directory: Path) -> Path:
    """Start what an index needs, and return the root of the checkout. Raises GitError."""
    from indexer.pipeline.forkserver import start_forkserver

    start_forkserver()  # while the rest is imported and the service starts
    from aeterna_code_search.cli.indexing import checkout_root
    from indexer.output.github import log_to_standard_error

    log_to_standard_error()
    return checkout_root(directory)


@contextmanager
def _indexed_target(
    environ: Mapping[str, str], directory: Path, settings: Mapping[str, Any]
) -> "Iterator[IndexTarget]":
    from aeterna_code_search.client.target.target import open_target
    from indexer.client.credentials import Purpose

    with open_target(environ, directory, purpose=Purpose.INDEX, **settings) as target:
        yield target


def _as_object(
    target: "IndexTarget", root: Path, report: "Report", *, is_new: bool
) -> dict[str, object]:
    """The report of `index --json` with the target; `url` is null for the local index."""
    from indexer.config.project_file import PROJECT_FILE
    from indexer.pipeline.report import as_json

    return {
        "configuration": str(root / PROJECT_FILE),
        "written": is_new,
        "url": None if target.is_local else target.url,
        "organization": target.organization,
        **as_json(report),
    }


def _done(
    target: "IndexTarget",
    root: Path,
    report: "Report",
    *,
    is_new: bool,
    settings: Mapping[str, str],
) -> str:
    """Format a summary and the next steps."""
    from indexer.config.project_file import PROJECT_FILE
    from indexer.pipeline.report import files_note, skipped_note, summary_line

    where = f"on this machine, in {target.data_dir}" if target.is_local else f"at {target.url}"
    stats = report.stats
    rows = {
        "configuration": f"{root / PROJECT_FILE}: {_configured(is_new, settings)}",
        "project": f"{report.project}, of organisation {target.organization}",
        "index": where,
        "commit": f"{report.commit_sha[:12]}: {summary_line(report)}",
        "files": f"{stats.files_changed:,} indexed{files_note(report)}, "
        f"{stats.files_skipped:,} skipped{skipped_note(report)}",
        "found": f"{stats.chunks:,} chunks, {stats.symbols:,} symbols, "
        f"{stats.references:,} references",
        "time": f"{report.total_seconds:.1f} s",
    }
    if not stats.files_changed and not stats.files_skipped:
        del rows["files"], rows["found"]
    steps = {
        'codesearch search "where is …"': "search it",
        "codesearch watch": "keep it up to date with your edits",
        "codesearch mcp": "let a coding agent search it",
    }
    if is_new:
        steps[f"git add {PROJECT_FILE}"] = "and commit it, so that others index the same files"
    return _columns(rows) + "\n\nNext:\n" + _columns(steps, indent="  ")


def _configured(is_new: bool, settings: Mapping[str, str]) -> str:
    if is_new:
        return "written"
    return "left unchanged; your options are not in it" if settings else "left unchanged"


def _columns(rows: Mapping[str, str], *, indent: str = "") -> str:
    from indexer.output.terminal import escape_line

    width = max(map(len, rows))
    return "\n".join(f"{indent}{name:<{width}}  {escape_line(text)}" for name, text in rows.items())
