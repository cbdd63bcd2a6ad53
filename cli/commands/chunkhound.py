"""`chunkhound`: the index as ChunkHound's users know it."""

import typer

from cli.commands import chunkhound_export

commands = typer.Typer()
_chunkhound = typer.Typer(no_args_is_help=True)
commands.add_typer(_chunkhound, name="chunkhound", help="Files of ChunkHound.")
_chunkhound.callback()(lambda: None)  # so that its only command keeps its name
_chunkhound.add_typer(chunkhound_export.commands)
