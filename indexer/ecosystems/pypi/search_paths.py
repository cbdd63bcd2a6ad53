"""Directories from which tests, type checkers and programs import, in the files that say so."""

import re
from collections.abc import Iterator
from configparser import ConfigParser, Error

from indexer.ecosystems.parsing import TooLargeError
from indexer.limits import CONFIGURATION_CHARACTERS
from indexer.records.manifests import Ecosystem, Manifest

_VARIABLE = re.compile(r"\bPYTHONPATH[ \t]*[=:][ \t]*[\"']?([^\s\"'#]{1,1000})")
# What stands for the file's own directory, or the one that a program is started in.
_HERE = re.compile(r"^(?:\{toxinidir\}|\{tox_root\}|\$\{?PWD\}?|\$\((?:CURDIR|PWD)\)|\$\(pwd\))/?")
_SEPARATORS = re.compile(r"[\s,:;]+")
_OPTIONS = (("pytest", "pythonpath"), ("tool:pytest", "pythonpath"), ("mypy", "mypy_path"))


def read_search_paths(text: str, _path: str) -> Manifest:
    """Read pytest.ini, tox.ini, mypy.ini or a file of variables; `settings` are `path`."""
    found = [*_variables(text), *_of_options(text)]
    return Manifest(Ecosystem.PYPI, settings=tuple(dict.fromkeys(found)))


def _of_options(text: str) -> Iterator[tuple[str, str]]:
    try:
        yield from configured_paths(read_configuration(text))
    except Error:
        return


def read_configuration(text: str) -> ConfigParser:
    """Parse sections of options. Raises configparser.Error, and TooLargeError.

    The parser takes time quadratic in the number of lines that it does not understand.
    """
    if len(text) > CONFIGURATION_CHARACTERS:
        raise TooLargeError
    parser = ConfigParser(interpolation=None, strict=False)
    parser.read_string(text)
    return parser


def configured_paths(parser: ConfigParser) -> Iterator[tuple[str, str]]:
    """Yield the directories of pytest's and mypy's options, as settings."""
    for section, option in _OPTIONS:
        for one in _SEPARATORS.split(parser.get(section, option, fallback="") or ""):
            yield from _relative(one.replace("$MYPY_CONFIG_FILE_DIR/", ""))


def _variables(text: str) -> Iterator[tuple[str, str]]:
    for found in _VARIABLE.finditer(text):
        for one in re.split("[:;]", found[1]):
            yield from _relative(_HERE.sub("", one))


def _relative(directory: str) -> Iterator[tuple[str, str]]:
    """Yield the directory unless it is absolute, or depends on another variable."""
    if re.fullmatch(r"[\w.][\w./-]*", directory) and directory.strip("./"):
        yield "path", directory
