"""One record makes the API's serializer, a tool's arguments and a command's options."""

import asyncio
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import pytest
import typer
from mcp.server import MCPServer
from mcp.types import CallToolResult
from rest_framework.exceptions import ValidationError
from typer.testing import CliRunner

from aeterna_code_search.agents.registry import ToolRegistry
from aeterna_code_search.agents.results import success
from aeterna_code_search.cli.commands.options import asks
from aeterna_code_search.contract.notes import REQUIRED, argument
from central.http.requests import request_serializer
from indexer.exits import Exit


class Colour(StrEnum):
    """A colour."""

    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True, slots=True)
class Place:
    """Where something is."""

    file: str = argument(REQUIRED, tool="Of it", cli="Its file", chars=9)


@dataclass(frozen=True, slots=True)
class Request:
    """`GET /things`."""

    place: Place
    limit: int = argument(
        5,
        "At most",
        tool="Things",
        tool_default=3,
        cli="Things",
        option="--limit -k",
        low=1,
        high=9,
    )
    colour: Colour = argument(Colour.RED, tool="", cli="Which")  # noqa: RUF009 (a field)
    names: tuple[str, ...] = argument(
        (), tool="Several", cli="A name", option="--name N", chars=4, most=3
    )
    origin: str = argument("", tool="Whence", name="from", chars=20)
    hidden: bool = argument(False, "Of the API alone")


def test_the_api_reads_a_request_into_its_record() -> None:
    read = request_serializer(Request)().read
    given = {"org_id": "acme", "file": "a.py", "names": ["b", "a", "b"], "from": "x"}
    asked = read({**given, "colour": "blue", "hidden": True})
    assert asked == Request(Place("a.py"), 5, Colour.BLUE, ("b", "a"), "x", True)
    assert read({"org_id": "acme", "file": "a.py"}) == Request(Place("a.py"))


@pytest.mark.parametrize(
    "wrong",
    [{"limit": 0}, {"limit": 10}, {"colour": "green"}, {"names": ["a"] * 4}, {"names": ["abcde"]},
     {"file": ""}, {"file": "a" * 10}, {"limit": "5"}, {"origin": "x"}],
)  # fmt: skip
def test_what_is_outside_of_the_limits_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        request_serializer(Request)().read({"org_id": "acme", "file": "a.py", **wrong})


def test_a_tool_has_the_fields_with_its_own_words_and_defaults() -> None:
    asked: dict[str, Any] = {}

    async def things(deep: bool = False, **request: Any) -> CallToolResult:
        """List things."""
        asked.update(request, deep=deep)
        return success("done", None)

    server: MCPServer[None] = MCPServer("things", log_level="ERROR")
    ToolRegistry(server, words={}).add(things, title="Things", request=Request)
    (tool,) = asyncio.run(server.list_tools())
    members = tool.input_schema["properties"]
    assert [*members] == [
        "file",
        "limit",
        "colour",
        "names",
        "from",
        "workspace",
        "deep",
        "structured",
    ]
    assert members["limit"] == {
        "default": 3, "description": "Things", "maximum": 9, "minimum": 1, "title": "Limit",
        "type": "integer",
    }  # fmt: skip
    assert members["colour"]["enum"] == ["red", "blue"]
    assert tool.input_schema["required"] == ["file"]
    given = {"file": "a.py", "from": "x", "workspace": "acme", "deep": True}
    asyncio.run(server.call_tool("things", given))
    assert asked == {
        "file": "a.py", "limit": 3, "colour": "red", "from": "x", "org_id": "acme", "deep": True,
    }  # fmt: skip


def test_a_command_has_the_options_and_asks_for_what_is_chosen() -> None:
    asked: dict[str, Any] = {}
    commands = typer.Typer()

    @commands.command("things")
    @asks(Request, without=("file",))
    def things(word: str, *, deep: bool = False, **request: Any) -> Exit:
        asked.update(request, word=word, deep=deep)
        return Exit.OK

    run = CliRunner().invoke
    assert run(commands, ["w", "--colour", "blue", "-k", "9", "--name", "a", "--name", "b"])
    assert asked == {"word": "w", "deep": False, "limit": 9, "colour": "blue", "names": ["a", "b"]}
    assert run(commands, ["w", "--limit", "10"]).exit_code == Exit.USAGE
