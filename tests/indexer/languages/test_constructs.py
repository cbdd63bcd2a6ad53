"""Constructs of the last releases of each language, in `data/constructs`: none is lost silently.

Each call there is of a name of one or two letters in lower case.
"""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from indexer.languages import LANGUAGES_BY_NAME
from indexer.pipeline.worker import extract_file
from indexer.records.files import FileRecord

DATA = Path(__file__).parent.parent / "data" / "constructs"
# The grammars do not know them, and no rewrite is worth its lines.
NOT_UNDERSTOOD = {
    "cpp consteval-block",
    "cpp reflection",
    "rust macro-2",
    "rust never-pat",
    "rust trait-alias",
}
_CALL = re.compile(r"(?<![\w@#$\\])([a-z]\w?)\(")
_KEYWORDS = frozenset({"if", "do", "fn", "in", "or"})


def constructs() -> Iterator[tuple[str, str, str]]:
    for file in sorted(DATA.glob("*.txt")):
        for part in file.read_text("utf-8").removeprefix("=== ").split("\n=== "):
            name, _, source = part.partition("\n")
            yield file.stem, name, source + "\n"


CONSTRUCTS = list(constructs())
IDS = [f"{language} {name}" for language, name, _ in CONSTRUCTS]


def extracted(language: str, source: str) -> FileRecord:
    path = f"src/a{LANGUAGES_BY_NAME[language].suffixes[0]}"
    record = extract_file(path=path, mode="100644", blob="a" * 40, content=source.encode())
    assert record.language == language
    return record


def uncounted(record: FileRecord) -> list[tuple[int, str]]:
    """The calls, by line, that are no reference and in no range that is not understood."""
    references = {(one.line, one.column) for one in record.references}
    defined = {one.name for one in record.symbols} | _KEYWORDS
    unparsed = record.unparsed.lines if record.unparsed else ()
    names = record.unparsed.names if record.unparsed else ()
    return [
        (number, call[1])
        for number, line in enumerate(record.content.splitlines(), 1)
        for call in _CALL.finditer(line)
        if call[1] not in defined and (number, call.start()) not in references
        if call[1] not in names or not any(one.start <= number <= one.end for one in unparsed)
    ]


@pytest.mark.parametrize(("language", "name", "source"), CONSTRUCTS, ids=IDS)
def test_every_call_around_a_construct_is_counted(language: str, name: str, source: str) -> None:
    record = extracted(language, source)
    if language != "bash":  # without references
        assert uncounted(record) == []
    assert (record.unparsed is not None) == (f"{language} {name}" in NOT_UNDERSTOOD)
