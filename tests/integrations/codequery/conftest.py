"""A server, a home with settings that switch CodeQuery on, and a small checkout."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from aeterna_code_search.integrations.codequery import codequery
from tests.integrations.codequery.openai_server import KEY, Server, openai_server

SETTINGS = """[codequery]
enabled = true

[codequery.retry]
backoff_ms = [2, 5, 10]
jitter_ms = 1
"""
Ask = Callable[..., dict[str, Any]]


@pytest.fixture(autouse=True)
def is_asked_often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether a file has been read is asked after a short while: the stand-in is quick."""
    reindex = "aeterna_code_search.integrations.codequery.reindex"
    monkeypatch.setattr(f"{reindex}._FIRST_POLL_SECONDS", 0.002)


@pytest.fixture
def server() -> Iterator[Server]:
    with openai_server() as server:
        yield server


@pytest.fixture
def environ(server: Server, tmp_path: Path) -> Mapping[str, str]:
    """A user's who has switched it on."""
    home = tmp_path / "home"
    home.mkdir()
    settings = tmp_path / "settings.toml"
    settings.write_text(SETTINGS)
    return {
        "HOME": str(home),
        "CODESEARCH_CONFIG": str(settings),
        "OPENAI_API_KEY": KEY,
        "OPENAI_BASE_URL": server.url,
    }


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    (root / "src/tokens.py").write_text("def verify_token(token): return token == 1\n")
    (root / "src/login.go").write_text("package main\nfunc HandleLogin() {}\n")
    return root


@pytest.fixture
def ask(environ: Mapping[str, str], checkout: Path) -> Ask:
    """CodeQuery, in the checkout and of that user."""

    def asked(query: str = "verify_token", **parameters: Any) -> dict[str, Any]:
        parameters = {"environ": environ, "directory": checkout, **parameters}
        return codequery({"query": query}, **parameters)

    return asked
