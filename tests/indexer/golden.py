"""The golden files: what is extracted of each file in `data/sources`, as JSON to be read."""

import json
from pathlib import Path
from typing import Any

from indexer.extraction import extract_file
from indexer.records import FileRecord, Span

DATA = Path(__file__).parent / "data"
# `.txt` is appended to the sources' names so that formatters and linters leave them alone.
SOURCES = sorted((DATA / "sources").glob("*.txt"))


def golden_path(source: Path) -> Path:
    return DATA / "golden" / f"{source.name.removesuffix('.txt')}.json"


def extract_source(source: Path) -> FileRecord:
    name = source.name.removesuffix(".txt")
    return extract_file(
        path=f"src/{name}", mode="100644", blob="0" * 40, content=source.read_bytes()
    )


def render(record: FileRecord) -> dict[str, Any]:
    return {
        "language": record.language,
        "chunks": [
            {
                "lines": _lines(chunk.span),
                "type": str(chunk.type),
                "name": chunk.name,
                "container": chunk.container,
            }
            for chunk in record.chunks
        ],
        "symbols": [
            {
                "lines": _lines(symbol.span),
                "kind": symbol.kind,
                "qualified_name": symbol.qualified_name,
                "exported": symbol.exported,
                "signature": symbol.signature,
            }
            for symbol in record.symbols
        ],
    }


def dumps(rendered: dict[str, Any]) -> str:
    """One chunk or symbol a line, so that differences are easy to read."""
    parts = [f'{{\n"language": {json.dumps(rendered["language"])}']
    for key in ("chunks", "symbols"):
        rows = ",\n  ".join(json.dumps(row, ensure_ascii=False) for row in rendered[key])
        parts.append(f'"{key}": [\n  {rows}\n]')
    return ",\n".join(parts) + "\n}\n"


def _lines(span: Span) -> str:
    return f"{span.start}-{span.end}"
