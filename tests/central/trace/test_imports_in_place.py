"""Modules that an expression imports where it uses them."""

from collections.abc import Callable

from tests.central.trace.corpus import repository


def test_lua_calls_a_function_of_a_module_that_it_requires_in_place(
    callers: Callable[..., list[str]],
) -> None:
    repository(
        "l",
        {
            "src/acme/text.lua": "local M = {}\nfunction M.pad(s) end\nreturn M\n",
            "src/acme/other.lua": "local M = {}\nfunction M.pad(s) end\nreturn M\n",
            "src/main.lua": """
                require('acme.text').pad('y')
                local function run() return require "acme/text".pad('z') end
                require('acme.other').pad('y')
                require(name).pad('y')
            """,
        },
    )
    assert callers("pad", file="src/acme/text.lua") == [
        "l/src/main.lua:2 <module> high",
        "l/src/main.lua:3 run high",
    ]
    assert callers("pad", file="src/acme/other.lua") == ["l/src/main.lua:4 <module> high"]
