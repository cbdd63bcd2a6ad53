"""Edits of Codex's TOML: comments, order and foreign tables stay."""

import tomllib

import pytest

from aeterna_code_search.cli.agent_config.toml_file import TomlFile

PATH = ("mcp_servers", "codesearch")
ENTRY = {"command": "codesearch", "args": ["mcp"], "env_vars": ["AETERNA_URL"]}
MINE = """\
# what I use
model = "gpt"   # the best

[mcp_servers.docs] # foreign
command = "docs"

[projects."/src/billing"]
trust_level = "trusted"
"""


@pytest.mark.parametrize("text", ["", MINE, "[mcp_servers]\n", 'mcp_servers.docs.command = "a"\n'])
def test_a_table_is_added_and_removed_and_the_rest_stays(text: str) -> None:
    changed = TomlFile(text).with_member(PATH, ENTRY)
    before = tomllib.loads(text)
    servers = {**before.get("mcp_servers", {}), "codesearch": ENTRY}
    assert tomllib.loads(changed) == {**before, "mcp_servers": servers}
    assert [line for line in text.splitlines() if line not in changed] == []
    removed = tomllib.loads(TomlFile(changed).without_member(PATH))
    assert removed.get("mcp_servers", {}) == before.get("mcp_servers", {})


def test_a_new_table_is_written_as_the_guide_shows_it() -> None:
    assert TomlFile("").with_member(PATH, ENTRY) == (
        "[mcp_servers.codesearch]\n"
        'command = "codesearch"\nargs = ["mcp"]\nenv_vars = ["AETERNA_URL"]\n'
    )


@pytest.mark.parametrize(
    ("text", "says"), [("[a", "end of file"), ("a = 1\na = 2\n", "already"), ("a =", "Unexpected")]
)
def test_what_cannot_be_understood_is_refused(text: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        TomlFile(text)


def test_a_value_on_the_way_that_is_no_table_is_refused() -> None:
    with pytest.raises(ValueError, match="mcp_servers is not a table"):
        TomlFile("mcp_servers = 1\n").with_member(PATH, ENTRY)
