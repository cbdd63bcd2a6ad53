"""The commands of `codesearch`, which are imported when they are used."""

from importlib import import_module

import pytest
from typer.main import get_command, get_group

from aeterna_code_search.cli import app


def commands_of(module: str) -> set[str]:
    """The names of the commands that a module of aeterna_code_search.cli.commands adds."""
    application = app._application()
    application.callback()(lambda: None)
    application.add_typer(import_module(f"aeterna_code_search.cli.commands.{module}").commands)
    return set(get_group(application).commands)


@pytest.mark.parametrize("module", sorted(set(app._COMMANDS.values())))
def test_each_command_of_a_module_is_listed(module: str) -> None:
    listed = {name for name, one in app._COMMANDS.items() if one == module}
    assert commands_of(module) == listed


def test_each_limit_may_be_written_as_k() -> None:
    pending = [get_command(app.codesearch_application())]
    limits = []
    while pending:
        command = pending.pop()
        commands = getattr(command, "commands", {})
        pending += [commands.get(name) for name in commands]
        limits += [one.opts for one in command.params if {"--limit", "-k"} & set(one.opts)]
    assert len(limits) > 10
    assert all({"--limit", "-k"} <= set(names) for names in limits)


def test_a_listed_command_is_found_by_its_name_and_others_are_not() -> None:
    group = get_command(app.codesearch_application())
    assert {name: command.name for name, command in group.commands.items()} == {  # type: ignore[attr-defined]
        name: name
        for name in group.commands  # type: ignore[attr-defined]
    }
    assert group.commands.get("serch") is None  # type: ignore[attr-defined]
