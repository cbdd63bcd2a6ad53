"""Which packages may provide a module that no manifest declares."""

import pytest

from central.trace.resolve.modules import MAX_PROVIDERS, undeclared
from central.trace.resolve.sql import FileContext, ModuleRow

HERE = FileContext(1, 10, "pypi")


def row(distribution: str, repository: int = 2, ecosystem: str = "pypi") -> ModuleRow:
    return ModuleRow(repository, repository * 10, distribution, ecosystem, public=True)


@pytest.mark.parametrize(
    ("path", "rows", "expected"),
    [
        ("yarl.URL", [row("yarl"), row("fork", 3)], {"yarl", "fork"}),
        ("yarl.URL", [row("yarl"), row("web")], {"yarl"}),
        ("yarl.URL", [row("yarl"), row("", 3), row("yarl-js", 4, "npm")], {"yarl"}),
        ("yarl.URL", [row("yarl"), row("app", HERE.repository)], set()),
        ("/yarl.URL", [row("yarl")], set()),
        ("json.loads", [row("json")], set()),
    ],
)
def test_providers_are_those_of_other_repositories(
    path: str, rows: list[ModuleRow], expected: set[str]
) -> None:
    assert undeclared(HERE, path, {"yarl": rows}, {"web"}) == expected


@pytest.mark.parametrize(
    ("count", "found"), [(MAX_PROVIDERS, MAX_PROVIDERS), (MAX_PROVIDERS + 1, 0)]
)
def test_a_name_of_too_many_providers_is_no_evidence(count: int, found: int) -> None:
    rows = [row(f"p{number}", number + 2) for number in range(count)]
    assert len(undeclared(HERE, "utils.run", {"utils": rows}, set())) == found
