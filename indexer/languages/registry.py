"""All languages, and the detection of a file's language. No grammar is imported here.

Modules of this package with `LANGUAGES` are collected, so a new language needs no entry.
"""

import pkgutil
import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import PurePosixPath
from typing import Final

from indexer.languages.base import Language
from indexer.languages.plain import TEXT

_VERSION: Final = re.compile(r"[\d.]+$")


def _all_languages() -> Iterator[Language]:
    """Yield the languages in order of their modules' names."""
    package = "indexer.languages"
    for name in sorted(one.name for one in pkgutil.iter_modules(import_module(package).__path__)):
        yield from getattr(import_module(f"{package}.{name}"), "LANGUAGES", ())


LANGUAGES_BY_NAME: Final = {one.name: one for one in _all_languages()}
_LANGUAGES: Final = tuple(LANGUAGES_BY_NAME.values())
PARSED: Final = tuple(one for one in _LANGUAGES if one.grammar is not None)
HOSTS: Final = tuple(one for one in _LANGUAGES if one.host is not None)

SUFFIXES: Final = {suffix: one for one in _LANGUAGES for suffix in one.suffixes}
FILENAMES: Final = {name: one for one in _LANGUAGES for name in one.file_names}
INTERPRETERS: Final = {name: one for one in _LANGUAGES for name in one.interpreters}
_PREFIXES: Final = {prefix: one for one in _LANGUAGES for prefix in one.file_name_prefixes}


def detect(path: str, content: bytes) -> Language:
    """Detect the language by file name, suffix or `#!` line, in this order; else `text`."""
    name = PurePosixPath(path).name.lower()
    language = FILENAMES.get(name) or SUFFIXES.get(PurePosixPath(name).suffix)
    if language is not None:
        return (language.variant and language.variant(name, content)) or language
    for prefix, one in _PREFIXES.items():
        if name.startswith(prefix):
            return one
    return _by_shebang(content) or TEXT


def _by_shebang(content: bytes) -> Language | None:
    first = content[:256].split(b"\n", 1)[0].decode("ascii", "replace")
    if not first.startswith("#!"):
        return None
    words = first[2:].split()
    if words and PurePosixPath(words[0]).name == "env":
        words = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
    if not words:
        return None
    return INTERPRETERS.get(_VERSION.sub("", PurePosixPath(words[0]).name))
