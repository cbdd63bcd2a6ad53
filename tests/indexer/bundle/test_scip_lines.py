"""Lines about documents of SCIP indexes, among those of files."""

import json
from dataclasses import replace
from typing import Any

import pytest

from indexer.bundle.decode import decode_records
from indexer.bundle.encode import encode_record, encode_scip
from indexer.errors import BundleError
from indexer.records.files import Removal
from indexer.records.scip import ScipDocument, ScipPlace, ScipRemoval
from tests.indexer.bundle.test_bundle import BLOB, DIMENSIONS, file_record
from tests.indexer.bundle.test_refusals import put, refusal_of

BOX, MAKE = (f"scip-typescript npm shop . src/`a.ts`/{name}" for name in ("Box#", "make()."))
DOCUMENT = ScipDocument(
    path="src/a.ts",
    blob=BLOB,
    tool="scip-typescript 0.4.0",
    digest="0f" * 16,
    symbols=(BOX, MAKE),
    definitions=(ScipPlace(1, 6, 0), ScipPlace(2, 9, 1)),
    references=(ScipPlace(3, 0, 1),),
    relationships=((0, 1),),
    cut=2,
)


def test_a_document_and_its_file_come_through_beside_each_other() -> None:
    file = replace(file_record(), path=DOCUMENT.path)
    gone = ScipRemoval("gone.ts")
    body = encode_record(file) + b"".join(map(encode_scip, (DOCUMENT, gone)))
    body += encode_record(Removal(gone.path))
    _, *rest = decode_records(body, dimensions=DIMENSIONS)
    assert rest == [DOCUMENT, gone, Removal(gone.path)]


@pytest.mark.parametrize("more", [DOCUMENT, ScipRemoval(DOCUMENT.path)])
def test_a_path_has_one_document(more: ScipDocument | ScipRemoval) -> None:
    body = encode_scip(DOCUMENT) + encode_scip(more)
    with pytest.raises(BundleError) as caught:
        list(decode_records(body, dimensions=DIMENSIONS))
    assert caught.value.code == "batch_duplicate_path"


@pytest.mark.parametrize(
    ("place", "value"),
    [
        ("scip.blob", "g" * 40),
        ("scip.tool", ""),
        ("scip.tool", "t" * 202),
        ("scip.digest", "0f" * 15),
        ("scip.cut", -1),
        ("scip.symbols", [MAKE, BOX]),
        ("scip.symbols", [BOX, BOX]),
        ("scip.symbols[0]", "local 1"),
        ("scip.symbols[0]", "make"),
        ("scip.symbols[0]", BOX.replace(" . ", " 1.0 ")),
        ("scip.symbols[0]", BOX.removesuffix("src/`a.ts`/Box#")),
        ("scip.symbols[1]", MAKE + "x" * 1_000 + "."),
        ("scip.symbols[1]", MAKE + "\0."),
        ("scip.definitions", [[2, 9, 1], [1, 6, 0]]),
        ("scip.definitions[0]", [0, 6, 0]),
        ("scip.definitions[0]", [1, -1, 0]),
        ("scip.definitions[0]", [1, 6]),
        ("scip.definitions[0]", [2**21, 6, 0]),
        ("scip.references[0]", [3, 2**25, 1]),
        ("scip.references[0]", [3, 0, 2]),
        ("scip.references", [[3, 0, 1], [3, 0, 1]]),
        ("scip.references", [[1, column, 0] for column in range(60_001)]),
        ("scip.relationships", [[0, 2]]),
        ("scip.relationships", [[0, 1], [0, 0]]),
        ("scip.more", 1),
    ],
)
def test_a_document_is_checked(place: str, value: object) -> None:
    fields: dict[str, Any] = json.loads(encode_scip(DOCUMENT))
    put(fields, place, value)
    assert refusal_of(fields).code == "batch_malformed"


@pytest.mark.parametrize("path", ["/a.ts", "../a.ts", "a//b.ts", "", "p" * 1_025])
def test_its_path_can_be_stored(path: str) -> None:
    fields: dict[str, Any] = json.loads(encode_scip(DOCUMENT))
    put(fields, "scip.path", path)
    assert refusal_of(fields).code == "batch_path_invalid"
    assert refusal_of({"scip_removed": path}).code == "batch_path_invalid"
