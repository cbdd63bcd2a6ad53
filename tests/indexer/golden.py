"""The golden files: what is extracted of each file in `data/sources`, as JSON to be read.

`data/versions.json` has the state of each language, so that none changes under the same version.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator
from importlib import metadata, resources
from pathlib import Path
from typing import Any

from indexer.languages.registry import LANGUAGES_BY_NAME
from indexer.pipeline.versions import SHARED
from indexer.pipeline.worker import extract_file
from indexer.records.files import FileRecord, Span
from indexer.records.references import Export, Import, Reference

DATA = Path(__file__).parent / "data"
VERSIONS = DATA / "versions.json"
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
        "namespace": record.namespace,
        "imports": [_import(one) for one in record.imports],
        "exports": [_export(one) for one in record.exports],
        "references": [_reference(one) for one in record.references],
    }


def dumps(rendered: dict[str, Any]) -> str:
    """One chunk, symbol or relation a line, so that differences are easy to read."""
    parts = [f'{{\n"language": {json.dumps(rendered["language"])}']
    parts.append(f'"namespace": {json.dumps(rendered["namespace"])}')
    for key in ("chunks", "symbols", "imports", "exports", "references"):
        rows = ",\n  ".join(json.dumps(row, ensure_ascii=False) for row in rendered[key])
        parts.append(f'"{key}": [\n  {rows}\n]')
    return ",\n".join(parts) + "\n}\n"


def _import(one: Import) -> str:
    """Such as `3 b = acme.a.b`: the line, the local name and the path."""
    return f"{one.line} {one.local or '*'} = {one.path}"


def _export(one: Export) -> str:
    """Such as `b = acme.a.b`, and `b = local a` for another name of the file's own."""
    path = f"local {one.path}" if one.is_local else one.path
    return f"{'*' if one.wildcard else one.name or '(module)'} = {path}"


def _reference(one: Reference) -> str:
    """Such as `12:4 call import:auth/AuthMiddleware.verify path in handle`: place, kind, binding,
    root and chain, then access and the enclosing definition; `> name` for a member of that type,
    `name` of an unknown value.
    """
    place = f"{one.line}:{one.column} {one.kind}"
    path = f"{one.root}/{one.chain}" if one.chain else one.root
    member = f" > {one.name}" if one.access != "path" and one.name else ""
    target = f"{one.binding}:{path or one.name}"
    return f"{place} {target} {one.access}{member} in {one.caller or '(top)'}"


def _lines(span: Span) -> str:
    return f"{span.start}-{span.end}"


def read_states() -> dict[str, Any]:
    states: dict[str, Any] = json.loads(VERSIONS.read_text("utf-8"))
    return states


def states() -> dict[str, Any]:
    """The version of each language with a source here, and digests of what it is the version of."""
    outputs: dict[str, list[str]] = {}
    for source in SOURCES:
        rendered = render(extract_source(source))
        outputs.setdefault(rendered["language"], []).append(dumps(rendered))
    return {
        name: {
            "version": f"{SHARED} {LANGUAGES_BY_NAME[name].version}",
            "grammar": _digest(_grammar(name)),
            "output": _digest(texts),
        }
        for name, texts in sorted(outputs.items())
    }


def changed_silently(before: dict[str, Any], now: dict[str, Any]) -> list[str]:
    """The languages of which something changed, but not the version.

    Files of a language that had no grammar were read as its version 1.
    """
    first = {"version": f"{SHARED} 1"}
    both = [(name, before.get(name, first), new) for name, new in now.items()]
    return [name for name, old, new in both if old != new and old["version"] == new["version"]]


def _grammar(name: str) -> Iterator[str]:
    """Yield the grammar's release, and its queries without comments; the languages of a host."""
    grammar, host = LANGUAGES_BY_NAME[name].grammar, LANGUAGES_BY_NAME[name].host
    if host:
        yield from host.languages
    if grammar is None:
        return
    yield metadata.version(grammar.distribution)
    folder = resources.files("indexer") / "languages" / "queries"
    for stem in grammar.queries:
        for file in (folder / f"{stem}.scm", folder / f"{stem}.trace.scm"):
            if file.is_file():
                lines = map(str.strip, file.read_text("utf-8").splitlines())
                yield from (line for line in lines if line and not line.startswith(";"))


def _digest(texts: Iterable[str]) -> str:
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:16]
