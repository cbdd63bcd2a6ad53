"""What settings files of a commit say of paths: generated, vendored, language, encoding.

Attributes of the user, the work tree and `.git/info` do not count. Of `.editorconfig` the `charset`
is read, as editorconfig.org specifies: a glob becomes patterns of git, which are matched in linear
time. Numbers in braces are expanded; two stars inside a name match no slash.
"""

import logging
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import PurePosixPath
from typing import Final

from indexer.git.attribute_files import (
    UNSPECIFIED,
    AttributesFile,
    Warn,
    parse_attributes,
    values_of,
)
from indexer.git.parse import ATTRIBUTES_FILE, EDITOR_CONFIG, parse_tree
from indexer.git.repository import Repository
from indexer.globs import PATTERN_BYTES, PATTERNS, excess, file_pattern
from indexer.records.files import TreeEntry

ATTRIBUTES_BYTES: Final = 1_048_576  # of one .gitattributes or .editorconfig
GENERATED: Final = "linguist-generated"
VENDORED: Final = "linguist-vendored"
LANGUAGE: Final = "linguist-language"
# Git converts such files to UTF-8 as it adds them. A blob that is not UTF-8 was added without that,
# and git checks it out as it is: then the attribute tells the encoding of the blob.
ENCODING: Final = "working-tree-encoding"
_WANTED: Final = (GENERATED, VENDORED, LANGUAGE, ENCODING)
_log = logging.getLogger(__name__)
_MAX_ALTERNATIVES: Final = 100  # of a glob's braces
_MAX_LINE: Final = PATTERN_BYTES + 2
_UNSET: Final = "unset"
_SECTION: Final = re.compile(r"\[(.+)\]")
_BRACES: Final = re.compile(r"(?<!\\)\{([^{}]*)\}")
_NUMBERS: Final = re.compile(r"([+-]?\d{1,9})\.\.([+-]?\d{1,9})")
_STARS: Final = re.compile(r"(^|/)\*\*(?!/|\Z)")


@dataclass(slots=True)
class EditorConfig:
    """The sections with a charset, in order: the last that matches a path decides."""

    is_root: bool = False
    charsets: list[tuple[tuple[re.Pattern[str], ...], str]] = field(default_factory=list)


def parse_editor_config(content: bytes, *, warn: Warn) -> EditorConfig:
    """Parse a file; a glob that is too large is ignored."""
    file = EditorConfig()
    glob, number_of_glob, charset = "", 0, ""
    for number, line in enumerate(content.decode("utf-8-sig", "replace").split("\n"), start=1):
        text = line.strip()
        if text.startswith(("#", ";")):
            continue
        if text.startswith("["):
            _add(file, glob, charset, number_of_glob, warn)
            section = _SECTION.fullmatch(text) if len(text) <= _MAX_LINE else None
            glob, number_of_glob, charset = section[1] if section else "", number, ""
            continue
        name, _, value = (part.strip().lower() for part in text.partition("="))
        if name == "charset" and glob:
            charset = value
        elif name == "root" and not number_of_glob:
            file.is_root = value == "true"
    _add(file, glob, charset, number_of_glob, warn)
    return file


def charset_of(path: str, files: Mapping[str, EditorConfig]) -> str:
    """Return the charset of a path; "" without one. `files` is by directory, "" is the top."""
    end = len(path)
    while end > 0:
        end = path.rfind("/", 0, end)
        file = files.get(path[:end] if end > 0 else "")
        for patterns, charset in reversed(file.charsets) if file else ():
            if any(pattern.search(path[end + 1 :]) for pattern in patterns):
                return "" if charset == _UNSET else charset
        if file and file.is_root:
            break
    return ""


def _add(file: EditorConfig, glob: str, charset: str, number: int, warn: Warn) -> None:
    if not charset:
        return
    alternatives = list(islice(_alternatives(glob), _MAX_ALTERNATIVES + 1))
    problem = next(filter(None, map(excess, alternatives)), None)
    if problem:
        warn(number, f"its glob is {problem}")
    elif len(alternatives) > _MAX_ALTERNATIVES:
        warn(number, f"its glob has more than {_MAX_ALTERNATIVES} alternatives")
    elif sum(len(patterns) for patterns, _ in file.charsets) + len(alternatives) > PATTERNS:
        warn(number, f"it is beyond the first {PATTERNS:,} patterns")
    else:
        patterns = map(file_pattern, map(_pattern, alternatives))
        file.charsets.append((tuple(filter(None, patterns)), charset))


def _alternatives(glob: str) -> Iterator[str]:
    """Yield the globs without braces. Braces around braces are taken from the inside."""
    found = next(filter(_is_choice, _BRACES.finditer(glob)), None)
    if found is None:
        yield glob
        return
    for choice in _choices(found[1]):
        yield from _alternatives(glob[: found.start()] + choice + glob[found.end() :])


def _is_choice(found: re.Match[str]) -> bool:
    return "," in found[1] or _NUMBERS.fullmatch(found[1]) is not None


def _choices(inside: str) -> Iterable[str]:
    numbers = _NUMBERS.fullmatch(inside)
    if not numbers:
        return inside.split(",")
    first, last = sorted(map(int, numbers.groups()))
    return map(str, range(first, last + 1))


def _pattern(glob: str) -> str:
    """Return git's pattern for a glob without braces."""
    return _STARS.sub(r"\1**/*", f"\\{glob}" if glob.startswith(("!", "#")) else glob)


def attributes_at(
    repository: Repository, commit: str, paths: Iterable[str]
) -> dict[str, dict[str, str]]:
    """Return each path's attributes of _WANTED in the form of `git check-attr`.

    ENCODING is the `charset` of `.editorconfig` where no attribute sets it. Unspecified values and
    paths without values are absent. Files and lines beyond the bounds of indexer.limits are
    ignored, with a warning in the log.
    """
    wanted = list(paths)
    entries = _settings_files(repository, commit, wanted)
    files = _files(repository, [file for file in entries if _name(file) == ATTRIBUTES_FILE])
    configs = _configs(repository, [file for file in entries if _name(file) == EDITOR_CONFIG])
    if not files and not configs:
        return {}
    marked = {path: _charset(path, configs) | _marks(path, files) for path in wanted}
    return {path: values for path, values in marked.items() if values}


def _name(entry: TreeEntry) -> str:
    return entry.path.rpartition("/")[2]


def _configs(repository: Repository, entries: list[TreeEntry]) -> dict[str, EditorConfig]:
    """Parse the files by directory; none if no charset is but UTF-8, the default."""
    files = {
        entry.path.rpartition("/")[0]: parse_editor_config(
            _content(repository, entry), warn=_warning(entry)
        )
        for entry in entries
    }
    charsets = {charset for file in files.values() for _, charset in file.charsets}
    return files if any(not charset.startswith("utf-8") for charset in charsets) else {}


def _charset(path: str, files: dict[str, EditorConfig]) -> dict[str, str]:
    charset = charset_of(path, files) if files else ""
    return {ENCODING: charset} if charset else {}


def _files(repository: Repository, entries: list[TreeEntry]) -> dict[str, AttributesFile]:
    """Parse the files by directory. Macros of the top file apply in all of them."""
    files: dict[str, AttributesFile] = {}
    names = set(_WANTED)
    for entry in sorted(entries, key=lambda entry: entry.path != ATTRIBUTES_FILE):
        file = _read(repository, entry, names)
        names |= file.macros.keys()
        files[entry.path.encode().decode("latin-1").rpartition("/")[0]] = file
    return files


def _settings_files(repository: Repository, commit: str, paths: list[str]) -> list[TreeEntry]:
    """Return `.gitattributes` and `.editorconfig` of the root and every directory above `paths`."""
    directories = {str(parent) for path in paths for parent in PurePosixPath(path).parents}
    return listed_files(
        repository,
        commit,
        [
            name if directory == "." else f"{directory}/{name}"
            for directory in directories
            for name in (ATTRIBUTES_FILE, EDITOR_CONFIG)
        ],
    )


def listed_files(repository: Repository, commit: str, paths: Iterable[str]) -> list[TreeEntry]:
    """Return the entries of those paths that are regular files of the commit."""
    names = sorted(paths)
    found = []
    for start in range(0, len(names), 500):  # below every limit on the length of a command
        records = repository.records(
            "ls-tree", "-z", "-l", "--full-tree", commit, "--", *names[start : start + 500]
        )
        found += parse_tree(records)
    return [entry for entry in found if entry.mode.startswith("100")]


def _read(repository: Repository, entry: TreeEntry, names: set[str]) -> AttributesFile:
    return parse_attributes(
        _content(repository, entry),
        names,
        is_top="/" not in entry.path,
        warn=_warning(entry),
    )


def _content(repository: Repository, entry: TreeEntry) -> bytes:
    if entry.size > ATTRIBUTES_BYTES:
        _log.warning("%s is larger than %d bytes and is ignored", entry.path, ATTRIBUTES_BYTES)
        return b""
    return repository.blobs.read(entry.blob)


def _warning(entry: TreeEntry) -> Warn:
    return partial(_log.warning, "%s: line %d is ignored: %s", entry.path)


def _marks(path: str, files: dict[str, AttributesFile]) -> dict[str, str]:
    values = values_of(str(PurePosixPath(path)).encode(), files)
    return {name: values[name] for name in _WANTED if values.get(name, UNSPECIFIED) != UNSPECIFIED}
