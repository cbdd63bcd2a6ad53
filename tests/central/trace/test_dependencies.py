"""Imports of packages that no manifest of their repository names."""

from collections.abc import Callable

import pytest

from central.trace.resolve.modules import (
    CUT_DEPENDENCIES,
    MAX_DEPENDENCY_LEVELS,
    MAX_PACKAGES,
)
from tests.central.trace.conftest import Ask, Callers
from tests.central.trace.corpus import pyproject, repository

# A name that is no evidence of its package without a manifest.
KIT = {"yarl/__init__.py": "def build(): ...\n"}
MAIN = "from yarl import build\n\nbuild()\n"
LOCK = '[[package]]\nname = "yarl"\nversion = "1.2.0"\n'


def kit(name: str = "yarl", repository_name: str = "kit") -> None:
    repository(repository_name, {"pyproject.toml": pyproject(name, version="1.3.0"), **KIT})


def test_an_undeclared_package_of_a_common_name_is_not_bound(callers: Callers) -> None:
    kit()
    repository("app", {"pyproject.toml": pyproject("app", "other"), "app/main.py": MAIN})
    assert callers("build") == []


@pytest.mark.parametrize(
    "files",
    [
        {"pyproject.toml": pyproject("app"), "uv.lock": LOCK},
        {"pyproject.toml": pyproject("app"), "poetry.lock": LOCK},
        {"pyproject.toml": pyproject("app"), "requirements.txt": "yarl==1.2.0\n"},
        {"pyproject.toml": pyproject("app"), "requirements/dev.txt": "yarl==1.2.0  # via x\n"},
        {"pyproject.toml": pyproject("app"), "requirements-dev.in": "yarl\n"},
        {"pyproject.toml": pyproject("all"), "uv.lock": LOCK, "app/pyproject.toml": pyproject("a")},
    ],
    ids=["uv", "poetry", "requirements", "folder", "in", "workspace"],
)
def test_a_package_that_a_lock_or_requirements_file_has_is_declared(
    files: dict[str, str], callers: Callers
) -> None:
    kit()
    repository("app", {**files, "app/main.py": MAIN})
    assert callers("build") == ["app/app/main.py:3 <module> high"]


def test_a_locked_package_has_its_pinned_version(ask: Ask) -> None:
    kit()
    repository("app", {"pyproject.toml": pyproject("app"), "uv.lock": LOCK, "app/main.py": MAIN})
    (link,) = ask("callers", symbol="build").json()["callers"]
    assert (link["pinned_version"], link["required_version"], link["lags"]) == ("1.2.0", None, True)


def test_what_a_declared_package_requires_is_declared(callers: Callers) -> None:
    kit()
    repository("web", {"pyproject.toml": pyproject("web", "client")})
    repository("client", {"pyproject.toml": pyproject("client", "yarl")})
    repository("app", {"pyproject.toml": pyproject("app", "web"), "app/main.py": MAIN})
    assert callers("build") == ["app/app/main.py:3 <module> high"]


def test_what_a_package_locks_for_itself_does_not_come_along(callers: Callers) -> None:
    kit()
    repository("web", {"pyproject.toml": pyproject("web"), "uv.lock": LOCK})
    repository("app", {"pyproject.toml": pyproject("app", "web"), "app/main.py": MAIN})
    assert callers("build") == []


def test_a_declared_provider_comes_before_one_that_comes_along(callers: Callers) -> None:
    kit()
    kit("fork", "fork")
    repository(
        "app", {"pyproject.toml": pyproject("app", "fork"), "uv.lock": LOCK, "app/main.py": MAIN}
    )
    assert callers("build", project="fork") == ["app/app/main.py:3 <module> high"]
    assert callers("build", project="kit") == []


def test_two_providers_that_come_along_are_a_tie(callers: Callers) -> None:
    kit()
    kit("fork", "fork")
    lock = LOCK + LOCK.replace("yarl", "fork")
    repository("app", {"pyproject.toml": pyproject("app"), "uv.lock": lock, "app/main.py": MAIN})
    assert callers("build", project="kit") == ["app/app/main.py:3 <module> medium"]


@pytest.mark.parametrize(
    ("more", "found", "cut"),
    [(-1, 1, []), (0, 1, [CUT_DEPENDENCIES]), (1, 0, [CUT_DEPENDENCIES])],
)
def test_requirements_are_followed_for_so_many_levels(
    more: int, found: int, cut: list[str], ask: Ask
) -> None:
    kit()
    last = MAX_DEPENDENCY_LEVELS + more
    for number in range(1, last + 1):
        follows = f"p{number + 1}" if number < last else "yarl"
        repository(f"p{number}", {"pyproject.toml": pyproject(f"p{number}", follows)})
    repository("app", {"pyproject.toml": pyproject("app", "p1"), "app/main.py": MAIN})
    answer = ask("callers", symbol="build").json()
    assert (len(answer["callers"]), answer["receipt"]["cut"]) == (found, cut)


@pytest.mark.parametrize(
    ("count", "cut"), [(MAX_PACKAGES, []), (MAX_PACKAGES + 1, [CUT_DEPENDENCIES])]
)
def test_requirements_of_so_many_packages_are_followed(
    count: int, cut: list[str], ask: Ask
) -> None:
    kit()
    names = [f"p{number}" for number in range(count)]
    repository("app", {"pyproject.toml": pyproject("app", *names), "app/main.py": MAIN})
    answer = ask("callers", symbol="build").json()
    assert (answer["callers"], answer["receipt"]["cut"]) == ([], cut)


def test_requirements_in_a_circle_come_to_an_end(callers: Callers) -> None:
    kit()
    repository("one", {"pyproject.toml": pyproject("one", "two")})
    repository("two", {"pyproject.toml": pyproject("two", "one")})
    repository("app", {"pyproject.toml": pyproject("app", "one"), "app/main.py": MAIN})
    assert callers("build") == []


SCRIPT = "# /// script\n# dependencies = [{}]\n# ///\n" + MAIN


def test_a_script_asks_for_what_its_own_comment_says(ask: Ask) -> None:
    kit()
    repository(
        "app",
        {
            "pyproject.toml": pyproject("app", "yarl==1.0"),
            "tools/a.py": SCRIPT.format('"yarl==1.2.0"'),
            "tools/b.py": SCRIPT.format('"other"'),
            "tools/c.py": MAIN,
        },
    )
    links = ask("callers", symbol="build").json()["callers"]
    pinned = {one["file"]: one["pinned_version"] for one in links}
    assert pinned == {"tools/a.py": "1.2.0", "tools/c.py": "1.0"}


@pytest.mark.parametrize("backend", ["hatchling.build", "poetry.core.masonry.api"])
def test_a_project_with_a_capital_packs_the_directory_in_small_letters(
    callers: Callable[..., list[str]], backend: str
) -> None:
    """As these backends look for it, if nothing says which: `Scrapy` is in `scrapy/`."""
    system = f'[build-system]\nbuild-backend = "{backend}"\n[project]\nname = "Spider"\n'
    repository("spider", {"pyproject.toml": system, "spider/item.py": "class Item: ...\n"})
    app = '[project]\nname = "app"\ndependencies = ["spider"]\n'
    used = "from spider.item import Item\nItem()\n"
    repository("app", {"pyproject.toml": app, "app/main.py": used})
    assert callers("Item", project="spider") == ["app/app/main.py:2 <module> high"]
