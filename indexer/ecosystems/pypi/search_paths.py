"""Directories from which tests, type checkers and programs import, in the files that say so.

They become settings `path`, relative to the file's directory.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator
from configparser import ConfigParser, Error
from itertools import takewhile
from typing import Final

from indexer.ecosystems.formats import PATH_MARKERS
from indexer.ecosystems.parsing import TooLargeError
from indexer.records.manifests import Ecosystem, Manifest

CONFIGURATION_CHARACTERS: Final = 65_536  # of setup.cfg, tox.ini and the like
_VARIABLE = re.compile(
    r"\bPYTHONPATH[\"']?[ \t]*(?:[:?+]?=|:)[ \t]*[\"']?(?P<value>[^\s\"'#,]{1,1000})"
)
_EXTRA = re.compile(r"\bextraPaths\"\s*:\s*\[(?P<listed>[^\]]{1,10000})\]")
# What stands for the directory that a program is started in, or for the file's own.
_HERE = re.compile(
    r"\{toxinidir\}|\{tox_root\}|\$\{?PWD\}?|\$\((?:CURDIR|PWD|pwd)\)|\$\(shell pwd\)|`pwd`"
    r"|\$\{\{ ?github\.workspace ?\}\}|\$\{?(?:GITHUB_WORKSPACE|CI_PROJECT_DIR)\}?"
    r"|\$\{(?:containerW|w)orkspace(?:Folder|Root)\}|\{\{ ?justfile_directory\(\) ?\}\}"
    r"|\$\(dirname \"?\$0\"?\)"
)
_STARTED_IN = re.compile(
    r"(?:\bworking-directory:[ \t]*|\bcd[ \t]+(?=[^\s&;]{1,1000}[ \t]*(?:&&|;)))"
    r"[\"']?(?P<directory>[\w./-]{1,1000})"
)
_SEPARATORS = re.compile(r"[\s,:;]+")
_OPTIONS = (("pytest", "pythonpath"), ("tool:pytest", "pythonpath"), ("mypy", "mypy_path"))


def read_search_paths(text: str, path: str) -> Manifest:
    """Read pytest.ini, tox.ini, mypy.ini or a file of variables."""
    return path_manifest([*_of_options(text), *variable_paths(text, path)])


def read_programs(text: str, path: str) -> Manifest | None:
    """Read a file that starts programs, or an editor's settings; None if it names no directory."""
    found = [*variable_paths(text, path), *_extra_paths(text, path)]
    return path_manifest(found) if found else None


def path_manifest(found: Iterable[tuple[str, str]]) -> Manifest:
    """Return a manifest that says nothing else."""
    return Manifest(Ecosystem.PYPI, settings=tuple(dict.fromkeys(found)))


def project_directory(path: str) -> str:
    """Return the directory that a file is about: `a/.github/workflows/b.yml` → `a`."""
    parts = path.split("/")[:-1]
    return "/".join(takewhile(lambda part: not part.startswith("."), parts))


def relative_path(path: str, directory: str) -> tuple[str, str]:
    """Return a setting of the file `path` about a directory of the repository."""
    return "path", posixpath.relpath(directory or ".", posixpath.dirname(path) or ".")


def variable_paths(text: str, path: str) -> Iterator[tuple[str, str]]:
    """Yield the directories of PYTHONPATH, also from those that the file changes to."""
    if PATH_MARKERS[0] not in text:
        return
    text = _HERE.sub(".", text)
    started = dict.fromkeys(["", *(found["directory"] for found in _STARTED_IN.finditer(text))])
    for found in _VARIABLE.finditer(text):
        for listed in re.split("[:;]", found["value"]):
            for directory in started:
                yield from _inside(path, posixpath.join(directory, listed))


def _extra_paths(text: str, path: str) -> Iterator[tuple[str, str]]:
    for found in _EXTRA.finditer(_HERE.sub(".", text)):
        for listed in re.findall(r'"([^"\\]{1,1000})"', found["listed"]):
            yield from _inside(path, listed)


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
        for path in _SEPARATORS.split(parser.get(section, option, fallback="") or ""):
            yield from _inside("", path.replace("$MYPY_CONFIG_FILE_DIR/", ""))


def _inside(path: str, directory: str) -> Iterator[tuple[str, str]]:
    """Yield the directory unless it is absolute, above, or depends on another variable."""
    if re.fullmatch(r"[\w.][\w./-]*", directory):
        found = posixpath.normpath(posixpath.join(project_directory(path), directory))
        if not found.startswith(".."):
            yield relative_path(path, found)
