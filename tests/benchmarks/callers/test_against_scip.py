"""Each reference at which an index and our rules differ has its class."""

from pathlib import Path

import pytest

from benchmarks.callers.against_scip import Difference, compared, lines, read_index
from benchmarks.callers.query import Bound, Edge
from tests.indexer.scip.indexes import document, index_of

LIB = """\
export class «=Store|src/`store.ts`/Store#» {
  «=put|src/`store.ts`/Store#put().»() {}
}
export class «=Other|src/`store.ts`/Other#» {
  «=put|src/`store.ts`/Other#put().»() {}
}
"""
APP = """\
import { Store } from "lib";
function main(one, two) {
  one.«put|dist/`index.d.ts`/Store#put().»();
  two.«put|dist/`index.d.ts`/Store#put().»();
  new «Store|dist/`index.d.ts`/Store#»();
  two.«post|dist/`index.d.ts`/Mail#post().»();
  two.save();
}
"""
LIB_PREFIX = "scip-typescript npm lib 1.0.0 "
PUT = ("lib", "src/store.ts", "Store.put")
OTHER_PUT = ("lib", "src/store.ts", "Other.put")


@pytest.fixture
def checkouts(tmp_path: Path) -> Path:
    """Two projects, each with an index."""
    for project, path, marked in (("lib", "src/store.ts", LIB), ("app", "main.ts", APP)):
        made, text = document(path, marked, LIB_PREFIX)
        file = tmp_path / project / path
        file.parent.mkdir(parents=True)
        file.write_text(text, encoding="utf-8")
        index = index_of([made], str(tmp_path / project)).SerializeToString()
        (tmp_path / f"{project}.scip").write_bytes(index)
    return tmp_path


def found(checkouts: Path, bound: dict[int, Bound]) -> dict[int, Difference | None]:
    """By line of `app`, what the rules' bindings differ in."""
    files = {
        name: read_index(checkouts / f"{name}.scip", checkouts / name) for name in ("lib", "app")
    }
    edges = [Edge(("app", "main.ts", line), one, "import", "high") for line, one in bound.items()]
    return {one.line[2]: one.difference for one in compared(files, edges)}


def test_a_reference_is_compared_with_what_the_index_says_at_its_name(checkouts: Path) -> None:
    assert found(checkouts, {3: PUT, 4: OTHER_PUT, 6: ("app", "mail.ts", "post")}) == {
        3: None,
        4: Difference.ANOTHER,
        5: Difference.NONE,
        6: Difference.OUTSIDE,
    }


def test_a_constructor_is_its_class_and_a_namesake_elsewhere_another_repository(
    checkouts: Path,
) -> None:
    bound = {4: ("app", "store.ts", "put"), 5: ("lib", "src/store.ts", "Store.constructor")}
    differences = found(checkouts, bound)
    assert (differences[4], differences[5]) == (Difference.REPOSITORY, None)


def test_classes_are_counted_with_their_examples(checkouts: Path) -> None:
    files = {"app": read_index(checkouts / "app.scip", checkouts / "app")}
    edges = [Edge(("app", "main.ts", 3), PUT, "import", "high")]
    assert list(lines(compared(files, edges))) == [
        "     3 of 4 references: both say the same",
        "     0 the rules: nothing of that name",
        "     0 the rules: another definition",
        "     0 the rules: another repository",
        "     1 the index: outside of the sample",
        "           1 app: put is outside; the rules: lib src/store.ts Store.put",
    ]


def test_a_project_that_uses_what_it_has_published_means_its_own_source(tmp_path: Path) -> None:
    made = [document("src/store.ts", LIB, LIB_PREFIX), document("test.ts", APP, LIB_PREFIX)]
    for one, text in made:
        file = tmp_path / one.relative_path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    index = index_of([one for one, _ in made], str(tmp_path)).SerializeToString()
    (tmp_path / "lib.scip").write_bytes(index)
    edges = [Edge(("lib", "test.ts", 3), PUT, "import", "high")]
    files = {"lib": read_index(tmp_path / "lib.scip", tmp_path)}
    assert {one.line[2]: one.difference for one in compared(files, edges)}[3] is None
