"""From a path and the first bytes to a language: file name, then suffix, then shebang."""

import re
from pathlib import PurePosixPath

from indexer.languages.registry import CPP, FILENAMES, INTERPRETERS, SUFFIXES, TEXT, C, Language

_VERSION = re.compile(r"[\d.]+$")
# Linguist tells C++ headers from C headers by such lines; `.h` says neither.
_CPP_HEADER = re.compile(
    rb"^[ \t]*(?:class\s+\w|namespace\b|template\s*<|using\s+\w|(?:public|private|protected):)"
    rb"|^\s*#\s*include\s*<(?:string|vector|memory|map|utility|functional|cstdint)>",
    re.MULTILINE,
)
_HEAD_BYTES = 65_536


def detect(path: str, content: bytes) -> Language:
    """The language of a file; a language without a grammar, `text` at worst, if none is known."""
    name = PurePosixPath(path).name.lower()
    language = FILENAMES.get(name) or SUFFIXES.get(PurePosixPath(name).suffix)
    if language is C and name.endswith(".h") and _CPP_HEADER.search(content[:_HEAD_BYTES]):
        return CPP
    if language is not None:
        return language
    if name.startswith(("dockerfile.", "makefile.")):
        return FILENAMES[name.split(".", 1)[0]]
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
