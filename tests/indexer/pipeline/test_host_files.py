"""Code inside of other files: its relations have the lines and columns of the file."""

import json
from pathlib import Path

import pytest

from indexer.languages.registry import HOSTS
from indexer.pipeline import host_files, worker
from indexer.pipeline.worker import extract_file
from indexer.records.files import ChunkType, DegradeReason, FileRecord, SourceFile, TreeEntry
from indexer.records.references import Binding, ReferenceKind
from indexer.syntax.parser import PARSED_BRACKETS
from tests.indexer.golden import SOURCES, extract_source, golden_path

_HOSTS = {one.name for one in HOSTS}
_OF_HOSTS = [
    source
    for source in SOURCES
    if json.loads(golden_path(source).read_text(encoding="utf-8"))["language"] in _HOSTS
]


def extract(path: str, content: str) -> FileRecord:
    return extract_file(path=path, mode="100644", blob="0" * 40, content=content.encode())


def calls(record: FileRecord) -> list[tuple[str, int, int]]:
    return [
        (one.name, one.line, one.column)
        for one in record.references
        if one.kind is not ReferenceKind.TYPE
    ]


@pytest.mark.parametrize("source", _OF_HOSTS, ids=lambda source: source.name)
def test_each_reference_is_where_its_name_is_written(source: Path) -> None:
    record = extract_source(source)
    lines = record.content.split("\n")
    assert calls(record)
    for name, line, column in calls(record):
        assert lines[line - 1].startswith(name, column)


@pytest.mark.parametrize("source", _OF_HOSTS, ids=lambda source: source.name)
def test_each_symbol_begins_where_its_name_is_written(source: Path) -> None:
    record = extract_source(source)
    lines = record.content.split("\n")
    for symbol in record.symbols:
        assert symbol.name in lines[symbol.span.start - 1]


@pytest.mark.parametrize("source", _OF_HOSTS, ids=lambda source: source.name)
def test_chunks_are_in_order_and_share_no_line(source: Path) -> None:
    record = extract_source(source)
    lines = [line for chunk in record.chunks for line in range(chunk.span[0], chunk.span[1] + 1)]
    assert lines == sorted(set(lines))
    if record.language != "jupyter":
        text = record.content.split("\n")
        assert {number for number, line in enumerate(text, 1) if line.strip()} <= set(lines)


def test_columns_are_in_characters_behind_text_that_is_not_ascii() -> None:
    record = extract("a.vue", "<p>ä😀 {{ f(1) }}</p>\n<script>import { f } from 'm'</script>\n")
    assert calls(record) == [("f", 1, 9)]
    assert [one.line for one in record.imports] == [2]


def test_a_script_binds_what_another_one_of_the_component_imports() -> None:
    record = extract("a.vue", "<script>import { f } from 'm'</script><script setup>f()</script>\n")
    assert [(one.name, one.binding) for one in record.references] == [("f", "import")]


def test_a_notebook_in_one_line_has_the_columns_of_that_line() -> None:
    sources = ["def f():\n", "    return g()\n", "f()"]
    content = json.dumps({"cells": [{"cell_type": "code", "source": sources}]})
    record = extract("a.ipynb", content)
    assert calls(record) == [("g", 1, content.index("g()")), ("f", 1, content.rindex("f()"))]
    assert [one.caller for one in record.references[:2]] == ["f", ""]


@pytest.mark.parametrize(
    "body", ['"""Text."""', '"a\\b"', "'é'", "x = \\\n  y", 'rb"\\n" + f"{x}"']
)
@pytest.mark.parametrize("indent", ["    ", "\t"])
@pytest.mark.parametrize("lines", [True, False])
@pytest.mark.parametrize("spaces", [None, 1, 4])
def test_blocks_end_where_they_do_in_the_cell(
    body: str, indent: str, *, lines: bool, spaces: int | None
) -> None:
    """Escapes and quotes change how far lines are indented, and cells differ in that."""
    text = f"def f():\n{indent}{body}\n{indent}if g():\n{indent}{indent}{body}\n{indent}h()\n"
    source = text.splitlines(keepends=True) if lines else text
    cells = [source, ["k()\n", "l()"], "m()", source]
    notebook = {"cells": [{"cell_type": "code", "source": one} for one in cells]}
    record = extract("a.ipynb", json.dumps(notebook, indent=spaces))
    found = [(one.name, one.caller) for one in record.references if one.kind is ReferenceKind.CALL]
    block = [("g", "f"), ("h", "f")]
    assert found == [*block, ("k", ""), ("l", ""), ("m", ""), *block]


def test_of_a_notebook_only_cells_are_chunks() -> None:
    cells = [
        {"cell_type": "markdown", "source": ["# Title\n"]},
        {
            "cell_type": "code",
            "source": ["f()\n"],
            "outputs": [{"data": {"image/png": "A" * 60_000}}],
        },
    ]
    record = extract("a.ipynb", json.dumps({"cells": cells}, indent=1))
    lines = record.content.split("\n")
    texts = ["".join(lines[one.span[0] - 1 : one.span[1]]) for one in record.chunks]
    assert ["# Title" in text or "f()" in text for text in texts] == [True, True]
    assert max(map(len, texts)) < 100


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("<script>\nfunction f() {}\n", [(1, 2)]),
        ("<script>\nfunction f() {}\n</script>\n<script>\n", [(1, 3), (4, 4)]),
    ],
)
def test_a_script_that_nothing_closes_ends_with_the_file(
    text: str, spans: list[tuple[int, int]]
) -> None:
    record = extract("a.vue", text)
    assert [(one.name, one.span) for one in record.symbols] == [("f", (2, 2))]
    assert [one.span for one in record.chunks] == spans


def test_code_that_is_too_deep_degrades_and_leaves_the_text() -> None:
    record = extract("a.vue", f"<script>{'[' * (PARSED_BRACKETS + 1)}</script>\n<p>text</p>\n")
    assert record.degraded is DegradeReason.TOO_DEEP
    assert [one.type for one in record.chunks] == [ChunkType.TEXT]
    assert not record.symbols


def test_calls_in_code_that_is_too_deep_are_counted() -> None:
    deep = "[" * (PARSED_BRACKETS + 1)
    record = extract("a.vue", f"<p>ä {{{{ save(a) }}}}</p>\n<script>\nrun(1);{deep}</script>\n")
    assert [(one.name, one.line, one.column, one.binding) for one in record.references] == [
        ("save", 1, 8, Binding.UNKNOWN),
        ("run", 3, 0, Binding.UNKNOWN),
    ]
    assert record.unparsed is not None
    assert record.unparsed.names == ("a", "run", "save")


def test_calls_in_a_file_whose_parser_ended_are_counted() -> None:
    content = b"<p>{{ save(a) }}</p>\n<script>\nrun(1);\n</script>\n"
    entry = TreeEntry("a.vue", "100644", "0" * 40, len(content))
    file = SourceFile(entry, content, degraded=DegradeReason.PARSE_FAILED)
    record = worker.extract(file).record
    assert record.degraded is DegradeReason.PARSE_FAILED
    assert calls(record) == [("save", 1, 6), ("run", 3, 0)]
    assert [one.type for one in record.chunks] == [ChunkType.TEXT]


def test_examples_are_read_up_to_the_limit_of_references(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(host_files, "FILE_REFERENCES", 2)
    found = extract("a.md", "```python\na()\nb()\n```\n\n```go\nc()\n```\n")
    assert [one.name for one in found.references] == ["a", "b"]
