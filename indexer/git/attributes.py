"""What `.gitattributes` files of a commit say of paths: generated, vendored, their encoding.

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
    parse_attributes,
    values_of,
)
from indexer.git.parse import ATTRIBUTES_FILE, parse_tree
from indexer.git.repository import Repository
from indexer.limits import ATTRIBUTES_BYTES
from indexer.records.files import TreeEntry

GENERATED: Final = "linguist-generated"
VENDORED: Final = "linguist-vendored"
# Git converts such files to UTF-8 as it adds them. A blob that is not UTF-8 was added without that,
# and git checks it out as it is: then the attribute tells the encoding of the blob.
ENCODING: Final = "working-tree-encoding"
_WANTED: Final = (GENERATED, VENDORED, ENCODING)
_log = logging.getLogger(__name__)


def attributes_at(
    repository: Repository, commit: str, paths: Iterable[str]
) -> dict[str, dict[str, str]]:
    """Return each path's GENERATED, VENDORED and ENCODING in the form of `git check-attr`.

    Unspecified values and paths without values are absent. Files and lines beyond the bounds of
    indexer.limits are ignored, with a warning in the log.
    """
    wanted = list(paths)
    files = _files(repository, _attribute_files(repository, commit, wanted))
    if not files:
        return {}
    marked = {path: _marks(path, files) for path in wanted}
    return {path: values for path, values in marked.items() if values}


def _files(repository: Repository, entries: list[TreeEntry]) -> dict[str, AttributesFile]:
    """Parse the files by directory. Macros of the top file apply in all of them."""
    files: dict[str, AttributesFile] = {}
    names = set(_WANTED)
    for entry in sorted(entries, key=lambda entry: entry.path != ATTRIBUTES_FILE):
        file = _read(repository, entry, names)
        names |= file.macros.keys()
        files[entry.path.encode().decode("latin-1").rpartition("/")[0]] = file
    return files


def _attribute_files(repository: Repository, commit: str, paths: list[str]) -> list[TreeEntry]:
    """Return the `.gitattributes` of the root and of every directory above `paths`."""
    directories = {str(parent) for path in paths for parent in PurePosixPath(path).parents}
    names = sorted(
        ATTRIBUTES_FILE if directory == "." else f"{directory}/{ATTRIBUTES_FILE}"
        for directory in directories
    )
    found = []
    for start in range(0, len(names), 500):  # below every limit on the length of a command
        records = repository.records(
            "ls-tree", "-z", "-l", "--full-tree", commit, "--", *names[start : start + 500]
        )
        found += parse_tree(records)
    return [entry for entry in found if entry.mode.startswith("100")]


def _read(repository: Repository, entry: TreeEntry, names: set[str]) -> AttributesFile:
    if entry.size > ATTRIBUTES_BYTES:
        _log.warning("%s is larger than %d bytes and is ignored", entry.path, ATTRIBUTES_BYTES)
        return AttributesFile()
    return parse_attributes(
        repository.blobs.read(entry.blob),
        names,
        is_top="/" not in entry.path,
        warn=partial(_log.warning, "%s: line %d is ignored: %s", entry.path),
    )


def _marks(path: str, files: dict[str, AttributesFile]) -> dict[str, str]:
    values = values_of(str(PurePosixPath(path)).encode(), files)
    return {name: values[name] for name in _WANTED if values.get(name, UNSPECIFIED) != UNSPECIFIED}
