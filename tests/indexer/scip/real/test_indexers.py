"""The real scip-typescript and scip-python on the example organisation's repositories."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from indexer.errors import ScipDocumentError
from indexer.scip.documents import IndexedDocument, check_document, read_document
from indexer.scip.reading import IndexFile
from scripts.local_service import ROOT, clean_environment
from tests.npm import installed_packages

HERE = Path(__file__).parent
ACME = ROOT / "examples" / "acme"
TYPESCRIPT = ["scip-typescript", "index", "--infer-tsconfig"]
PYTHON = ["scip-python", "index", ".", "--project-name", "acme", "--project-version", "1.0.0"]
EXAMPLES = [
    ("web-frontend", TYPESCRIPT),
    ("auth-service", PYTHON),
]

pytestmark = pytest.mark.system("node", "npm")


def documents_of(directory: Path, command: list[str]) -> Iterator[IndexedDocument]:
    program, *arguments = command
    subprocess.run(
        [installed_packages(HERE) / "node_modules" / ".bin" / program, *arguments],
        cwd=directory,
        env=clean_environment({"HOME": str(directory.parent)}),
        capture_output=True,
        check=True,
        timeout=300,
    )
    with IndexFile(directory / "index.scip", "index.scip") as file:
        assert Path(file.head.root) == directory
        for data in file.documents():
            yield read_document(data, file.head)


def is_of(document: IndexedDocument, text: str) -> bool:
    try:
        check_document(document, path=document.path, blob="0" * 40, text=text)
    except ScipDocumentError:
        return False
    return True


@pytest.mark.parametrize(("name", "command"), EXAMPLES, ids=[name for name, _ in EXAMPLES])
def test_fresh_documents_are_accepted_and_stale_ones_are_not(
    tmp_path: Path, name: str, command: list[str]
) -> None:
    directory = shutil.copytree(ACME / name, tmp_path / name)
    subprocess.run(["git", "init", "--quiet", directory], check=True)
    found = list(documents_of(directory, command))
    texts = {one.path: (directory / one.path).read_text(encoding="utf-8") for one in found}
    assert len(found) > 5
    assert [one.path for one in found if not is_of(one, texts[one.path])] == []
    named = [one for one in found if one.occurrences]
    assert [one.path for one in named if is_of(one, "\n" + texts[one.path])] == []
    defining = [one for one in named if any(is_definition for *_, is_definition in one.occurrences)]
    assert len(defining) > 2
    assert [one.path for one in defining if is_of(one, renamed(one, texts[one.path]))] == []


def renamed(document: IndexedDocument, text: str) -> str:
    """The text with another name in the place of the first definition's."""
    line, start, end, *_ = next(one for one in document.occurrences if one[-1])
    lines = text.split("\n")
    lines[line] = f"{lines[line][:start]}{'z' * (end - start)}{lines[line][end:]}"
    return "\n".join(lines)


def test_both_count_columns_in_utf_16(tmp_path: Path) -> None:
    """And so the text behind a character beyond the basic plane is found."""
    for command, name, text in (
        (TYPESCRIPT, "a.ts", 'export function make() {}\nexport const x = ["🐍é", make()];\n'),
        (PYTHON, "a.py", 'def make(): pass\nx = ["🐍é", make()]\n'),
    ):
        directory = tmp_path / name
        directory.mkdir()
        subprocess.run(["git", "init", "--quiet", directory], check=True)
        (directory / name).write_text(text, encoding="utf-8")
        [document] = documents_of(directory, command)
        found = check_document(document, path=name, blob="0" * 40, text=text)
        column = text.split("\n")[1].index("make")
        [make] = [n for n, symbol in enumerate(found.symbols) if symbol.endswith("/make().")]
        assert [place for place in found.references if place.symbol == make] == [(2, column, make)]
