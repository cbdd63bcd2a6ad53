"""Import statements as records, with paths normalised from the importing file's own path.

docs/reference/trace.md documents the forms of paths; each language's `ImportStyle` creates them.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from indexer.languages.import_style import SEPARATOR, ImportStyle, dotted
from indexer.records.references import cut_path

_KEYWORDS = re.compile(
    r"(?:(?:pub(?:\([^()]*\))?|global|import|using|use|static|function|const|extern crate|struct"
    r"|class|enum|protocol|func|typealias|let|var|@\w+(?:\([^()]*\))?)\s+)+"
)
_ALIAS = re.compile(r"\s+(?:as|=>)\s+|\s*=>\s*")
_WILDCARDS = ("*", "_", "given")
_MAX_GROUPS = 16


class ImportedName(NamedTuple):
    """One name of an import statement as written; `names` follow the module.

    `local` is "" if the statement has no other name; with `is_wildcard` it binds none.
    """

    module: str
    names: tuple[str, ...] = ()
    local: str = ""
    is_wildcard: bool = False


@lru_cache(maxsize=10_000)
def expand_import(statement: str) -> tuple[ImportedName, ...]:
    """Return the names of a statement that contains paths.

    Such as `use a::{b, c as d}`, `import static a.B.*;`, `using X = A.B;`, `import a.{b => c, _}`.
    """
    return tuple(_names(statement))


def _names(statement: str) -> Iterator[ImportedName]:
    text = _KEYWORDS.sub("", statement.strip().removesuffix(";").strip(), count=1).strip()
    local, equals, target = text.partition("=")
    if equals and not target.startswith(">") and "{" not in text:
        yield ImportedName(dotted(target.partition("<")[0]), (), local.strip())
        return
    for part in _split(text):
        yield from _expand_group(part, 0)


def _expand_group(text: str, depth: int) -> Iterator[ImportedName]:
    prefix, brace, rest = text.partition("{")
    if brace and depth < _MAX_GROUPS:
        for part in _split(rest[: rest.rfind("}")]):
            yield from _expand_group(prefix.strip() + _KEYWORDS.sub("", part.strip()), depth + 1)
        return
    path, *alias = _ALIAS.split(text.strip(), maxsplit=1)
    parts = [part for part in SEPARATOR.split(path.strip()) if part]
    if not parts or (alias and alias[0].strip() == "_"):
        return
    if parts[-1] in _WILDCARDS:
        yield ImportedName(".".join(parts[:-1]), (), "", is_wildcard=True)
        return
    if parts[-1] == "self" and len(parts) > 1:
        parts.pop()
    yield ImportedName(".".join(parts), (), alias[0].strip() if alias else "")


def _split(text: str) -> list[str]:
    parts, depth, start = [], 0, 0
    for position, character in enumerate(text):
        depth += (character == "{") - (character == "}")
        if character == "," and depth == 0:
            parts.append(text[start:position])
            start = position + 1
    return [part for part in [*parts, text[start:]] if part.strip()]


def import_path(style: ImportStyle, file: str, module: str, inside: str = "") -> str:
    """Return the normalised path of a module as written in `file`.

    `inside` is the dotted name of the file's own modules around the statement (Rust). A path that
    leaves the repository, or is unknown, stays as written.
    """
    return cut_path(style.path(file, module, inside))


def join_path(module: str, names: Sequence[str]) -> str:
    """Join a module's path and names: `a.b` and `c` → `a.b.c`."""
    root = module == "/"  # the repository's root is a package of Python
    path = module + ".".join(names) if root else ".".join([module, *names])
    return cut_path(path)
