"""What the base installation has is enough for everything but the integrations themselves.

The modules of their extras come from pyproject.toml; a process in which they cannot be imported
stands for an installation without them.
"""

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from scripts.local_git import commit_all, new_repository
from scripts.local_service import Service, clean_environment, running_service
from tests.e2e.conftest import prepared_data_directory, write_files
from tests.e2e.indexing import index_here

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
DYNAMIC = PROJECT["tool"]["setuptools"]["dynamic"]
EXTRAS: dict[str, dict[str, list[str]]] = DYNAMIC["optional-dependencies"]
CLI = "aeterna_code_search.cli"
PACKAGES = f"{CLI}.main, aeterna_code_search.agents, indexer"
PACKAGES += ", aeterna_code_search.client.target.kept_service"
# What the base has, and loads where it needs it.
NEEDED = {"pathspec"}
PROGRAM = """
import runpy, sys

class Refusing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in REFUSED:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Refusing())
"""


def normalized(requirement: str) -> str:
    """A distribution's name, as PEP 503 has it."""
    name = re.match(r"[A-Za-z0-9._-]+", requirement)
    assert name, requirement
    return re.sub(r"[-_.]+", "-", name[0]).lower()


def required(files: list[str]) -> set[str]:
    lines = [line for file in files for line in (ROOT / file).read_text().splitlines()]
    return {normalized(line) for line in lines if line and not line.startswith(("#", "-"))}


def base() -> set[str]:
    return required(DYNAMIC["dependencies"]["file"])


@cache
def installed() -> Mapping[str, list[str]]:
    """The distributions of each module; they take a fifth of a second to list."""
    return packages_distributions()


def modules(requirements: set[str]) -> set[str]:
    """Top-level modules of installed distributions."""
    found = {
        module
        for module, distributions in installed().items()
        if requirements & {normalized(one) for one in distributions}
    }
    assert found
    return found


def optional() -> set[str]:
    integrations = (one["file"] for name, one in EXTRAS.items() if name != "server")
    return {name for files in integrations for name in required(files)}


def missing_modules() -> set[str]:
    """Modules that only an extra brings."""
    return modules(optional() - base())


def late_modules() -> set[str]:
    """Those that the base has too, but must not load for everyday commands."""
    return modules(optional()) - NEEDED | {"langgraph", "langsmith", "qdrant_client", "grpc"}


def python(
    program: str,
    *arguments: str,
    refused: set[str],
    environ: Mapping[str, str] | None = None,
    directory: Path = ROOT,
) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-c", f"REFUSED = {sorted(refused)!r}\n{PROGRAM}{program}", *arguments],
        env=clean_environment(environ or {}),
        cwd=directory,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_the_lists_are_those_of_the_project() -> None:
    assert missing_modules() >= {"langchain_core"}
    assert late_modules() >= {"duckdb", "langchain_core", "openai", "yaml"}
    assert "duckdb" not in missing_modules()


def test_the_hook_refuses() -> None:
    """Else nothing below could fail."""
    late = sorted(late_modules())
    tried = f"""
for name in {late}:
    try:
        __import__(name)
    except ModuleNotFoundError as error:
        print(error)
"""
    done = python(tried, refused=late_modules())
    assert done.stdout.splitlines() == [f"No module named '{module}'" for module in late]


def test_no_package_loads_a_module_of_an_extra() -> None:
    tried = f"import {PACKAGES}\nprint({late_modules()} & sys.modules.keys())"
    done = python(tried, refused=set())
    assert (done.returncode, done.stdout, done.stderr) == (0, "set()\n", "")


def test_packages_load_without_the_extras() -> None:
    refused = missing_modules() - {"pydantic"}  # which MCP brings, too
    done = python(f"import {PACKAGES}, aeterna_code_search.agents.tools", refused=refused)
    assert (done.returncode, done.stderr) == (0, "")


def run_module(module: str, *arguments: str, **options: Mapping[str, str] | Path) -> str:
    """Standard output of a command that succeeds without any of the modules."""
    program = f"sys.argv[0] = {module!r}\nrunpy.run_module({module!r}, run_name='__main__')"
    done = python(program, *arguments, refused=late_modules(), **options)  # type: ignore[arg-type]
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_codesearch_shows_its_help() -> None:
    assert "search" in run_module(CLI, "--help")


@pytest.mark.parametrize("arguments", [("run", "--help"), ("--help",)])
def test_the_indexer_shows_its_help(arguments: tuple[str, ...]) -> None:
    assert "usage" in run_module("indexer", *arguments).lower()


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with prepared_data_directory() as directory, running_service(directory) as running:
        yield running


def test_codesearch_indexes_and_searches(service: Service, tmp_path: Path) -> None:
    acme = service.organization("acme")
    environ = {
        "AETERNA_URL": service.url,
        "AETERNA_TOKEN": acme.token,
        "AETERNA_ORGANIZATION": "acme",
        "PATH": os.environ["PATH"],
    }
    root = new_repository(tmp_path / "mail")
    write_files(root, {"mail.py": "def deliver_mail(envelope):\n    return envelope\n"})
    commit_all(root, "First commit")
    index_here(acme, root, "mail")
    found = run_module(CLI, "search", "deliver_mail", environ=environ, directory=root)
    assert "mail/mail.py:1: def deliver_mail(envelope):" in found
    status = run_module(CLI, "status", environ=environ, directory=root)
    assert status.startswith("mail\tcurrent")
    run_module("indexer", "run", "--path", str(root), environ=environ, directory=root)


@pytest.mark.parametrize("module", sorted({"langchain_core", "pydantic", "yaml"}))
def test_langchain_names_its_extra(module: str) -> None:
    program = "from aeterna_code_search.integrations.langchain import CodebaseSearchTool"
    done = python(program, refused={module})
    assert done.returncode == 1
    last = done.stderr.strip().splitlines()[-1]
    hint = f"{module} is not installed: pip install 'aeterna-code-search[langchain]'"
    assert last == f"ImportError: {hint}"


def test_langchain_hides_no_mistake_of_its_own() -> None:
    program = "from aeterna_code_search.integrations.langchain import CodebaseSearchTool"
    done = python(program, refused={"aeterna_code_search.client.target.kept_service", "httpx"})
    assert done.stderr.strip().endswith("ModuleNotFoundError: No module named 'httpx'")
