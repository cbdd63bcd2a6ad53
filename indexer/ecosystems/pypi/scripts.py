"""What a script asks for in a comment of its own (PEP 723), and its lock file."""

import re
from dataclasses import replace
from itertools import islice
from typing import Final

from indexer.ecosystems.formats import PATH_CALLS, SCRIPT_MARKER
from indexer.ecosystems.parsing import read_toml, strings, table
from indexer.ecosystems.pypi.locks import read_uv_lock
from indexer.ecosystems.pypi.requirements import exact_pins, requirements, with_sources
from indexer.ecosystems.pypi.source_paths import source_paths
from indexer.records.manifests import OWN_FILE, Ecosystem, Manifest

_BEGIN = re.compile(r"^# /// script\r?$", re.MULTILINE)
_COMMENT = re.compile(r"\r?\n(?:#(?: [^\r\n]*)?\r?\n)*(?:#(?: [^\r\n]*)?)?")
_END: Final = "# ///"


def read_script(text: str, _path: str) -> Manifest | None:
    """Read the metadata of a script; None without any. Raises ValueError and RecursionError."""
    blocks = (_metadata(text, begin.end()) for begin in _BEGIN.finditer(text))
    written = list(islice((block for block in blocks if block is not None), 2))
    if not written:
        return None
    if len(written) > 1:
        raise ValueError("a script has one such comment")
    document = read_toml(written[0])
    uv = table(document, "tool", "uv")
    listed = [*strings(document.get("dependencies")), *strings(uv.get("dev-dependencies"))]
    dependencies = with_sources(requirements(listed), table(uv, "sources"))
    return Manifest(
        Ecosystem.PYPI,
        dependencies=dependencies,
        pins=exact_pins(dependencies),
        settings=(OWN_FILE,),
    )


def _metadata(text: str, start: int) -> str | None:
    """Return the TOML of the comment's next lines, up to its last end; None if it has none."""
    comment = _COMMENT.match(text, start)
    lines = comment[0].splitlines()[1:] if comment else []
    ends = [number for number, line in enumerate(lines) if line == _END]
    return "\n".join(line[2:] for line in lines[: ends[-1]]) if ends else None


def read_script_lock(text: str, path: str) -> Manifest:
    """Read `script.py.lock` of uv. Raises ValueError."""
    return replace(read_uv_lock(text, path), settings=(OWN_FILE,))


def read_source(text: str, path: str) -> Manifest | None:
    """Read a Python file: what it asks for, and where it imports from; None without either."""
    script = read_script(text, path) if SCRIPT_MARKER in text else None
    has_paths = any(call in text for call in PATH_CALLS)
    paths = tuple(dict.fromkeys(source_paths(text, path))) if has_paths else ()
    if not paths:
        return script
    said = script or Manifest(Ecosystem.PYPI)
    return replace(said, settings=(*said.settings, *paths))
