"""What the integration needs is imported where it is used, and named where it is absent."""

import subprocess
import sys

import pytest

from aeterna_code_search.integrations.chunkhound import code

OPTIONAL = ("duckdb", "openai", "yaml")
MODULES = ("aeterna_code_search.cli.app", "aeterna_code_search.cli.commands.chunkhound")
OURS = (
    "aeterna_code_search.integrations.chunkhound.code",
    "aeterna_code_search.integrations.chunkhound.mcp_tools",
)


@pytest.mark.parametrize("modules", [MODULES, OURS])
def test_importing_it_imports_no_optional_dependency(modules: tuple[str, ...]) -> None:
    program = f"import sys, {', '.join(modules)}; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert not set(OPTIONAL).intersection(done.stdout.split())


def test_the_commands_need_no_module_of_the_integration() -> None:
    program = f"import sys, {', '.join(MODULES)}; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert "integrations" not in done.stdout


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize(("module", "name"), [("duckdb", "duckdb"), ("yaml", "PyYAML")])
def test_an_absent_dependency_says_what_to_install(
    module: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    assert code.search(query="query") == (
        f"Error: {name} is not installed: pip install 'aeterna-code-search[chunkhound]'"
    )
