"""What settings files of a commit say of paths: generated, vendored, language, encoding.

Attributes of the user, the work tree and `.git/info` do not count.
"""

import logging
from collections.abc import Iterable
from functools import partial
from pathlib import PurePosixPath
from typing import Final

from indexer.git.attribute_files import (
    UNSPECIFIED,
    AttributesFile,
    Warn,
    parse_attributes,
    values_of,
)
from indexer.git.editor_config import EditorConfig, charset_of, parse_editor_config
from indexer.git.parse import ATTRIBUTES_FILE, EDITOR_CONFIG, parse_tree
from indexer.git.repository import Repository
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
