"""`graph`: decisions, policies and memories, and their links to code."""

import typer

from aeterna_code_search.cli.commands.graph import documents, export, links

commands = typer.Typer()
_graph = typer.Typer(no_args_is_help=True)
commands.add_typer(
    _graph,
    name="graph",
    help="Link decisions, policies and memories to code, and query the links.",
)
for _module in (documents, links, export):
    _graph.add_typer(_module.commands)
