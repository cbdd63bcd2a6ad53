"""Python finds modules beside a script, and where programs, tests and containers say."""

import pytest

from tests.central.trace.conftest import Callers
from tests.central.trace.corpus import pyproject, repository

HELPERS = "def build(): ...\n"
MAIN = "from helpers import build\n\nbuild()\n"
INSERT = "import sys\nfrom pathlib import Path\nsys.path.insert(0, str(Path(__file__).parent{}))\n"


@pytest.mark.parametrize(
    ("files", "caller"),
    [
        ({"bin/run.py": INSERT.format('.parent / "lib"') + MAIN}, "bin/run.py:6"),
        ({"svc/.env": "PYTHONPATH=../lib\n", "svc/run.py": MAIN}, "svc/run.py:3"),
        ({"Makefile": "run:\n\tPYTHONPATH=lib python a/run.py\n", "a/run.py": MAIN}, "a/run.py:3"),
        (
            {
                "Dockerfile": "WORKDIR /app\nCOPY lib/ /app/x/\nENV PYTHONPATH=/app/x\n",
                "a/run.py": MAIN,
            },
            "a/run.py:3",
        ),
        (
            {
                ".github/workflows/ci.yml": "env:\n  PYTHONPATH: ${{ github.workspace }}/lib\n",
                "a/run.py": MAIN,
            },
            "a/run.py:3",
        ),
        (
            {"pytest.ini": "[pytest]\npythonpath = lib\n", "tests/test_a.py": MAIN},
            "tests/test_a.py:3",
        ),
        (
            {"tests/conftest.py": INSERT.format('.parent / "lib"'), "tests/a/b.py": MAIN},
            "tests/a/b.py:3",
        ),
    ],
)
def test_a_directory_that_a_file_names(
    files: dict[str, str], caller: str, callers: Callers
) -> None:
    repository("app", {"lib/helpers.py": HELPERS, **files})
    assert callers("build") == [f"app/{caller} <module> high"]


def test_each_program_has_its_own(callers: Callers) -> None:
    insert = INSERT.format(' / "lib"') + MAIN
    repository(
        "app",
        {
            "a/run.py": insert,
            "a/lib/helpers.py": "def build(): ...\n",
            "b/run.py": insert,
            "b/lib/helpers.py": "def build(): ...\n",
            "c/run.py": MAIN,
        },
    )
    for one in ("a", "b"):
        assert callers("build", file=f"{one}/lib/helpers.py") == [
            f"app/{one}/run.py:6 <module> high"
        ]


def test_packages_there_import_themselves_and_re_export(callers: Callers) -> None:
    repository(
        "app",
        {
            "bin/run.py": INSERT.format('.parent / "lib"') + "import kit\nkit.build()\n",
            "lib/kit/__init__.py": "from kit.core import build\n",
            "lib/kit/core.py": HELPERS,
            "lib/kit/more.py": "from kit.core import build\nbuild()\n",
        },
    )
    assert callers("build") == [
        "app/bin/run.py:5 <module> high",
        "app/lib/kit/more.py:2 <module> high",
    ]


def test_what_is_nearer_or_declared_comes_first(callers: Callers) -> None:
    insert = INSERT.format(' / "lib"')
    repository("kit", {"pyproject.toml": pyproject("helpers"), "helpers/__init__.py": HELPERS})
    repository(
        "app",
        {"requirements.txt": "helpers==1\n", "run.py": insert + MAIN, "lib/helpers.py": HELPERS},
    )
    repository("other", {"helpers.py": HELPERS, "run.py": insert + MAIN, "lib/helpers.py": HELPERS})
    assert callers("build", project="kit") == ["app/run.py:6 <module> high"]
    assert callers("build", file="lib/helpers.py") == []
    assert callers("build", file="helpers.py", project="other") == ["other/run.py:6 <module> high"]
