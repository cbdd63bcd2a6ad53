"""Small SCIP indexes, made from sources whose names are marked."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from indexer.scip.scip_pb2 import Document, Index, SymbolRole

TYPESCRIPT = "scip-typescript npm shop 1.0.0 "
PYTHON = "scip-python python shop 1.0.0 "
_MARK = re.compile("«(=?)([^|»]*)[|]([^»]*)»")


def document(path: str, marked: str, prefix: str = TYPESCRIPT) -> tuple[Document, str]:
    """The document of a source, and the source itself.

    `«name|descriptors»` is a reference, `«=name|descriptors»` a definition. Columns are in
    UTF-16, as both indexers have them.
    """
    made, lines = Document(relative_path=path), []
    for number, line in enumerate(marked.split("\n")):
        text, end = "", 0
        for found in _MARK.finditer(line):
            text += line[end : found.start()]
            start, text = _units(text), text + found[2]
            made.occurrences.add(
                range=[number, start, _units(text)],
                symbol=found[3] if found[3].startswith("local ") else prefix + found[3],
                symbol_roles=SymbolRole.Definition if found[1] else 0,
            )
            end = found.end()
        lines.append(text + line[end:])
    return made, "\n".join(lines)


def index_of(documents: Sequence[Document], root: str, tool: str = "scip-typescript") -> Index:
    """An index of documents, with the path of its project's directory."""
    made = Index(documents=documents)
    made.metadata.tool_info.name = tool
    made.metadata.tool_info.version = "0.4.0"
    made.metadata.project_root = f"file://{root}"
    return made


def write_index(path: Path, sources: Mapping[str, str], root: Path) -> dict[str, str]:
    """Write the index of marked sources; return the sources."""
    made = {name: document(name, marked) for name, marked in sources.items()}
    index = index_of([one for one, _ in made.values()], str(root))
    path.write_bytes(index.SerializeToString())
    return {name: text for name, (_, text) in made.items()}


def _units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2
