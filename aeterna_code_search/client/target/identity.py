"""The identity of the service that a command would start: its code and its settings.

A running service of another identity was started before an upgrade, or with other settings.
"""

import os
import sys
from collections.abc import Iterator, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Final

_ROOT: Final = Path(__file__).resolve().parents[3]
_PACKAGES: Final = ("aeterna_code_search/agents", "central", "indexer")
_METADATA: Final = "aeterna_code_search-*.dist-info"
_SETTINGS: Final = ("AETERNA_", "CODESEARCH_", "OPENAI_", "OLLAMA_", "OTEL_")
# What only commands obey, and what each service gets anew.
_OF_COMMANDS: Final = frozenset(
    {"AETERNA_URL", "AETERNA_ORGANIZATION", "AETERNA_PROJECT", "AETERNA_RETRY_SECONDS"}
    | {"AETERNA_TOKEN", "AETERNA_TOKEN_FILE", "AETERNA_VECTORS", "AETERNA_IDLE_MINUTES"}
    | {"AETERNA_BIND", "AETERNA_DATA_DIR"}
)


def service_identity(environ: Mapping[str, str]) -> str:
    """Return the identity of a service with the installed code and `environ`.

    The files of code are not read: their sizes and times tell them apart.
    """
    settings = sorted(
        (name, value)
        for name, value in environ.items()
        if name.startswith(_SETTINGS) and name not in _OF_COMMANDS
    )
    parts = (sys.prefix, str(_ROOT), settings, sorted(_files()))
    return blake2b(repr(parts).encode(errors="surrogateescape"), digest_size=16).hexdigest()


def _files() -> Iterator[tuple[str, int, int]]:
    """Path, time and size of each file of code; an installed package is known by its metadata."""
    if (_ROOT / "manage.py").is_file():
        for package in _PACKAGES:
            yield from _code_below(str(_ROOT / package))
        return
    for directory in _ROOT.glob(_METADATA):
        status = (directory / "RECORD").stat()
        yield str(directory), status.st_mtime_ns, status.st_size


def _code_below(directory: str) -> Iterator[tuple[str, int, int]]:
    with os.scandir(directory) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from _code_below(entry.path)
            elif entry.name.endswith(".py"):
                status = entry.stat()
                yield entry.path, status.st_mtime_ns, status.st_size
