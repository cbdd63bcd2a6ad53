"""Code in documents: what it uses are references; the rest of a document is text."""

from indexer.pipeline.worker import extract_file
from indexer.records.files import ChunkType, FileRecord
from indexer.records.references import Reference
from indexer.syntax.chunking import chunk_text
from indexer.syntax.parser import PARSED_BRACKETS

GUIDE = """# Shop

```python
from acme.shop import Cart

cart = Cart()
cart.add(1)


def main():
    cart.pay()
    connect()
```

## Next

```py
main()
cart.close()
```

```go
package main

import "github.com/acme/kit"

func Add() { kit.Sum(1) }
```
"""


def read(text: str) -> FileRecord:
    return extract_file(path="README.md", mode="100644", blob="0" * 40, content=text.encode())


def written(one: Reference) -> str:
    target = ".".join(filter(None, [one.root, one.chain]))
    return f"{one.line} {one.kind} {one.name} {one.binding}:{target} in {one.caller or 'top'}"


def test_uses_are_references_of_the_document() -> None:
    record = read(GUIDE)
    assert [written(one) for one in record.references] == [
        "6 call Cart import:Cart in top",
        "7 call add import:Cart in top",
        "11 call pay import:Cart in top",
        "12 call connect unknown: in top",
        "19 call close import:Cart in top",
        "27 call Sum import:kit.Sum in top",
    ]
    assert [(one.line, one.local) for one in record.imports] == [(4, "Cart"), (25, "kit")]


def test_nothing_is_defined_and_chunks_are_those_of_text() -> None:
    record = read(GUIDE)
    assert not record.symbols
    assert not record.exports
    assert not record.namespace
    assert [one.span for one in record.chunks] == [
        one.span for one in chunk_text(GUIDE.splitlines())
    ]
    assert {one.type for one in record.chunks} == {ChunkType.TEXT}


def test_an_example_that_cannot_be_parsed_makes_no_document_partly_parsed() -> None:
    for code in ("f(...) ==> {\n  g(1)\n", "f(" + "[" * PARSED_BRACKETS + "\n"):
        record = read(f"```js\n{code}```\n")
        assert record.unparsed is None
        assert record.degraded is None
        assert "f" in [one.name for one in record.references]


def test_columns_are_those_of_the_document() -> None:
    record = read("> - ä\n>\n>   ```js\n>   'ö'; f(1);\n>   ```\n")
    assert [(one.name, one.line, one.column) for one in record.references] == [("f", 4, 9)]
