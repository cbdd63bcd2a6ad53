"""`map`: what the repositories of an organisation use of one another."""

import typer

from aeterna_code_search.cli.commands.map import consumers, most_called, show, unused

commands = typer.Typer()
_map = typer.Typer(no_args_is_help=True)
commands.add_typer(
    _map,
    name="map",
    help="Show what the repositories of an organisation use of one another.",
)
for _module in (show, consumers, most_called, unused):
    _map.add_typer(_module.commands)
