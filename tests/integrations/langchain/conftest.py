"""One embedded service with one indexed checkout, and tools that are closed in the end."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from aeterna_code_search.integrations.langchain import (
    CodebaseSearchTool,
    CodebaseSearchToolConfig,
    Config,
    RagConfig,
    ToolsConfig,
)
from scripts.local_git import commit_all, new_repository
from scripts.local_service import Service, running_service, temporary_workspace
from tests.cli.command import codesearch
from tests.e2e.conftest import prepared_data_directory, write_files

MakeTool = Callable[..., CodebaseSearchTool]

LONG = "\n".join(f"    total = total + invoice_rows[{n}].amount * {n}" for n in range(40))
FILES = {
    "auth/login.py": '''"""Who a user is."""


def authenticate_user(username, password):
    """Check a user's password and begin a session."""
    user = find_user(username)
    if user is None or not verify_password(user, password):
        raise PermissionError("wrong user name or password")
    return start_session(user)


def logout_user(session):
    """End the session of a user."""
    session.ended = True
    session.save()
''',
    "maths.py": '''def add(a, b):
    """Add two numbers."""
    return a + b


def fibonacci(n):
    """The n-th Fibonacci number."""
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)
''',
    "invoices.py": f'''def sum_invoice(invoice_rows):
    """The total amount of an invoice."""
    total = 0
{LONG}
    return total
''',
}


@pytest.fixture(scope="session")
def service() -> Iterator[Service]:
    """A service of this machine that runs: share it."""
    with prepared_data_directory() as directory, running_service(directory) as running:
        yield running


@pytest.fixture(scope="session")
def checkout(service: Service) -> Iterator[Path]:
    """A repository that `codesearch index` has indexed: read it, no more."""
    with temporary_workspace("aeterna-langchain-") as directory:
        root = new_repository(directory / "shop")
        write_files(root, FILES)
        commit_all(root, "First commit")
        done = codesearch(
            "index", directory=root, environ={"AETERNA_DATA_DIR": str(service.data_dir)}
        )
        assert done.returncode == 0, done.stderr
        yield root


@pytest.fixture(autouse=True)
def environment(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the product's and LangSmith's variables only the data directory is set."""
    for name in os.environ:
        if name.startswith(("AETERNA_", "LANGSMITH_", "LANGCHAIN_", "GITHUB_", "ACTIONS_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("LANGSMITH_TRACING", "false")
    monkeypatch.setenv("AETERNA_DATA_DIR", str(service.data_dir))


def configured(*, rag: bool = True, enabled: bool = True, **settings: Any) -> Config:
    """What a `config.yaml` with these values says."""
    search = CodebaseSearchToolConfig(enabled=enabled, **settings)
    return Config(rag=RagConfig(enabled=rag), tools=ToolsConfig(codebase_search=search))


@pytest.fixture
def make_tool(checkout: Path) -> Iterator[MakeTool]:
    """Makes a tool that is switched on and searches the checkout, unless it is told otherwise."""
    tools = []

    def make(
        directory: Path | None = None, projects: list[str] | None = None, **settings: Any
    ) -> CodebaseSearchTool:
        tool = CodebaseSearchTool(
            configured(**settings), directory=directory or checkout, projects=projects
        )
        tools.append(tool)
        return tool

    yield make
    for tool in tools:
        tool.close()
