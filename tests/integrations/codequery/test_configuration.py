"""The user's own settings, which no checkout can bring."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from aeterna_code_search.integrations.codequery import codequery
from aeterna_code_search.integrations.codequery.configuration import Configuration
from aeterna_code_search.integrations.codequery.errors import CodeQueryError
from tests.integrations.codequery.conftest import Ask
from tests.integrations.codequery.openai_server import Server

AS_SPECIFIED = """
[codequery]
enabled = false
cache_path = "${HOME}/.forge/codequery/stores.json"
default_vector_store_name = ""
default_concurrent_limit = 5
default_timeout_ms = 60000
include_results = false

[codequery.discovery]
respect_gitignore = true
skip_dirs = [".git", "node_modules", "target", "dist", "build"]
exclude_extensions = [".md", ".png", ".jpg", ".zip", ".exe"]

[codequery.retry]
max_attempts = 3
backoff_ms = [200, 500, 1000]
jitter_ms = 50

[another]
section = "is ignored"
"""


@pytest.fixture
def settings(tmp_path: Path) -> Path:
    return tmp_path / "own/settings.toml"


def load(settings: Path, text: str, directory: Path | None = None) -> Configuration:
    settings.parent.mkdir(exist_ok=True)
    settings.write_text(text)
    environ = {"HOME": "/home/somebody", "CODESEARCH_CONFIG": str(settings)}
    here = settings.parent.parent / "project"
    here.mkdir(exist_ok=True)
    return Configuration.load(environ, directory or here)


def test_the_specification_s_file_says_the_defaults(settings: Path) -> None:
    told, default = load(settings, AS_SPECIFIED), load(settings, "")
    assert told.cache_path == Path("/home/somebody/.forge/codequery/stores.json")
    assert told.discovery.skip_dirs == (".git", "node_modules", "target", "dist", "build")
    assert told.discovery.exclude_extensions == (".md", ".png", ".jpg", ".zip", ".exe")
    assert set(told.discovery.skip_dirs) < set(default.discovery.skip_dirs)
    assert set(told.discovery.exclude_extensions) < set(default.discovery.exclude_extensions)
    for name in ("enabled", "cache_path", "default_vector_store_name", "default_concurrent_limit",
                 "default_timeout_ms", "include_results", "retry"):  # fmt: skip
        assert getattr(told, name) == getattr(default, name)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[codequery]\nenable = true", "unknown setting enable"),
        ("[codequery]\nenabled = 1", "enabled must be true or false"),
        ("[codequery]\ndefault_concurrent_limit = 21", "from 1 to 20"),
        ("[codequery]\ndefault_concurrent_limit = true", "from 1 to 20"),
        ("[codequery]\ndefault_timeout_ms = 0", "from 1 to 3,600,000"),
        ('[codequery]\ncache_path = "stores.json"', "must be an absolute path"),
        ("[codequery.discovery]\nskip = []", "unknown setting skip"),
        ('[codequery.discovery]\nskip_dirs = "a"', "skip_dirs must be a list of strings"),
        ("[codequery.retry]\nbackoff_ms = []", "backoff_ms must be a list of whole numbers"),
        ("[codequery.retry]\nbackoff_ms = [-1]", "backoff_ms must be a list of whole numbers"),
        ("[codequery.retry]\nmax_attempts = 0", "from 1 to 10"),
        ("codequery = 3", "must be a table"),
        ("[codequery", "is not valid TOML"),
        ("\ufeff\x00", "is not valid TOML"),
        ("a = " + "[" * 30_000, "is not valid TOML"),
        ("#" * 70_000, "has more than 65,536 bytes"),
    ],
)
def test_a_wrong_file_is_refused_by_name(settings: Path, text: str, complaint: str) -> None:
    with pytest.raises(CodeQueryError) as refused:
        load(settings, text)
    assert complaint in refused.value.message
    assert str(settings) in refused.value.message


def test_it_is_off_by_default_and_says_where_to_switch_it_on(
    environ: Mapping[str, str], checkout: Path, server: Server
) -> None:
    Path(environ["CODESEARCH_CONFIG"]).write_text("[codequery]\ndefault_timeout_ms = 1000\n")
    answer = codequery(query="x", environ=environ, directory=checkout)
    assert answer["error"]["code"] == "disabled"
    assert environ["CODESEARCH_CONFIG"] in answer["error"]["message"]
    assert server.requests == []


def test_the_usual_places_are_looked_at_in_turn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home, project = tmp_path / "home", tmp_path / "project"
    project.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / "config"))
    environ = {"HOME": str(home)}
    forge, own = home / ".forge/config.toml", home / "config/codesearch/config.toml"
    for place in (forge, own):
        place.parent.mkdir(parents=True)
    assert Configuration.load(environ, project).source == own
    forge.write_text("[codequery]\nenabled = true\n")
    assert Configuration.load(environ, project).source == forge
    assert Configuration.load(environ, project).enabled
    own.write_text("[chunkhound]\n")  # without our section
    assert Configuration.load(environ, project).enabled
    own.write_text("[codequery]\n")
    assert not Configuration.load(environ, project).enabled
    assert Configuration.load(environ, home).source == own  # home is the user's own


def test_nothing_in_a_checkout_switches_it_on(
    ask: Ask, environ: Mapping[str, str], checkout: Path, server: Server
) -> None:
    (checkout / ".git").mkdir()
    switch = "[codequery]\nenabled = true\n"
    for name in (
        "config.toml", ".codesearch.toml", "codesearch.toml", ".forge/config.toml",
        ".config/codesearch/config.toml", "pyproject.toml", "sub/settings.toml",
    ):  # fmt: skip
        (checkout / name).parent.mkdir(parents=True, exist_ok=True)
        (checkout / name).write_text(switch)
    (checkout / ".env").write_text("OPENAI_BASE_URL=http://127.0.0.1:9/v1\n")
    without = {name: value for name, value in environ.items() if name != "CODESEARCH_CONFIG"}
    assert ask(environ=without)["error"]["code"] == "disabled"
    for named in ("config.toml", str(checkout / "config.toml"), "../project/config.toml"):
        for directory in (checkout, checkout / "sub"):
            answer = ask(environ={**environ, "CODESEARCH_CONFIG": named}, directory=directory)
            assert answer["error"]["code"] == "configuration"
    link = checkout.parent / "link.toml"
    link.symlink_to(checkout / "config.toml")
    answer = ask(environ={**environ, "CODESEARCH_CONFIG": str(link)})
    assert "is in the checkout" in answer["error"]["message"]
    assert server.requests == []


def test_a_checkout_that_is_made_home_switches_nothing_on(
    environ: Mapping[str, str], checkout: Path, server: Server
) -> None:
    """As a file for direnv may do."""
    (checkout / ".git").mkdir()
    (checkout / ".forge").mkdir()
    (checkout / ".forge/config.toml").write_text("[codequery]\nenabled = true\n")
    hostile = {name: value for name, value in environ.items() if name != "CODESEARCH_CONFIG"}
    hostile["HOME"] = str(checkout)
    answer = codequery(query="x", environ=hostile, directory=checkout / "src")
    assert "is in the checkout" in answer["error"]["message"]
    assert server.requests == []
