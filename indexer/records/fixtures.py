"""The import path of a pytest fixture, which stands for several modules.

`/tests.api.conftest^.client` is the fixture `client` as a test in tests/api sees it: that of
`/tests.api.conftest` or else of the nearest conftest.py above. Another module before the sign is
looked up first: `/tests.api.test_pay^.client`. No name of Python has the sign.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Final

CONFTEST_LEVELS: Final = 32  # directories in which a fixture is looked up


_SIGN: Final = "^."
_CONFTEST: Final = "conftest"


def fixture_path(module: str, name: str) -> str:
    """Return the path of a fixture that is looked up in a module, then in conftest.py upwards."""
    return f"{module}{_SIGN}{name}"


def split_fixture(path: str) -> tuple[list[str], str, tuple[str, ...]] | None:
    """Return the modules in order of look-up, the fixture, and the names after it.

    None for any other path.
    """
    module, sign, names = path.partition(_SIGN)
    if not sign:
        return None
    name, *rest = names.split(".")
    modules = dict.fromkeys((module, *_conftests(module)))
    return list(islice(modules, CONFTEST_LEVELS)), name, tuple(rest)


def conftest_above(module: str) -> str | None:
    """Return the conftest of the directory above: `/tests.api.conftest` → `/tests.conftest`."""
    directory = _directory(module)
    return None if directory == "/" else _in_directory(_directory(directory))


def conftest_beside(module: str) -> str:
    """Return the conftest of a module's directory: `/tests.test_pay` → `/tests.conftest`."""
    return _in_directory(_directory(module))


def _conftests(module: str) -> Iterator[str]:
    above: str | None = conftest_beside(module)
    while above is not None:
        yield above
        above = conftest_above(above)


def _directory(module: str) -> str:
    return module.rpartition(".")[0] or "/"


def _in_directory(directory: str) -> str:
    return f"/{_CONFTEST}" if directory == "/" else f"{directory}.{_CONFTEST}"
