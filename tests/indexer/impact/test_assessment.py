"""How a branch becomes questions, and their answers one."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from indexer.config.github_job import GitHubContext
from indexer.errors import CommitNotFoundError, ConfigurationError
from indexer.git.repository import Repository
from indexer.impact.assessment import Impact, Lines, Range, assess_impact, range_of
from indexer.impact.queries import (
    Answer,
    ChangedLines,
    ChangedSymbol,
    ImpactQueries,
    IndexedBranch,
    MissingProject,
    Receipt,
)
from tests.indexer.impact.impacts import affected, symbol
from tests.indexer.repositories import Sandbox

NOBODY = GitHubContext()
LIBRARY = "def f():\n    return 1\n\n\ndef g():\n    return 2\n"


class IndexingClient(ImpactQueries):
    """Answers what it is given, and keeps what it was asked."""

    def __init__(self, *symbols: ChangedSymbol, indexed: str | None) -> None:
        self.symbols = symbols
        self.indexed = [indexed]  # now, and at each later request
        self.asked: list[list[ChangedLines]] = []
        self.named: list[Sequence[str]] = []
        self.refs: set[str] = set()

    def indexed_branch(self, branch: str = "") -> IndexedBranch:
        return IndexedBranch(self.indexed[0], branch)

    def impact_at(
        self, files: Sequence[ChangedLines], *, min_confidence: str, ref: str = ""
    ) -> Answer:
        self.refs.add(ref)
        self.asked.append(list(files))
        assert min_confidence == "medium"
        return self._answer(self.symbols, f"cut {len(self.asked)}")

    def impact_of(self, names: Sequence[str], *, min_confidence: str, ref: str = "") -> Answer:
        self.refs.add(ref)
        self.named.append(names)
        assert min_confidence == "medium"
        file = self.symbols[0].definition.file
        found = [symbol(name, affected("web", count=2), file=file) for name in names]
        return self._answer((*found, symbol("Other.C", file="other.py")), "cut by name")

    def _answer(self, symbols: Sequence[ChangedSymbol], cut: str) -> Answer:
        if len(self.indexed) > 1:
            self.indexed.pop(0)
        projects = {"shop": self.indexed[0] or "", "web": "f" * 40}
        receipt = Receipt(projects, (MissingProject("web", "behind"),), 4, (cut,))
        return Answer(tuple(symbols), ("lib.py",), None, receipt)


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    sandbox = Sandbox(tmp_path / "shop")
    sandbox.commit("base", {"lib.py": LIBRARY})
    return sandbox


def assessed(sandbox: Sandbox, central: IndexingClient, base: str, head: str) -> Impact:
    return assess_impact(
        repository=Repository(sandbox.path),
        queries=central,
        project="shop",
        compared=Range(sandbox.git("rev-parse", base), sandbox.git("rev-parse", head)),
        min_confidence="medium",
    )


# The range


def test_what_the_base_branch_got_meanwhile_is_not_compared(sandbox: Sandbox) -> None:
    fork = sandbox.git("rev-parse", "HEAD")
    sandbox.git("checkout", "--quiet", "-b", "topic")
    head = sandbox.commit("topic", {"a.py": "a\n"})
    sandbox.git("checkout", "--quiet", "main")
    main = sandbox.commit("meanwhile", {"b.py": "b\n"})
    repository = Repository(sandbox.path)
    for named in ("main..topic", "main...topic", f"{main}..{head}"):
        assert range_of(repository, NOBODY, named) == Range(fork, head)
    pull_request = GitHubContext(base_sha=main, head_sha=head)
    assert range_of(repository, pull_request, None) == Range(fork, head)
    assert range_of(repository, pull_request, "topic..main") == Range(fork, main)
    sandbox.git("checkout", "--quiet", "topic")
    assert range_of(Repository(sandbox.path), NOBODY, "main") == Range(fork, head)
    assert range_of(Repository(sandbox.path), NOBODY, "main..") == Range(fork, head)


def test_without_a_range_head_is_compared_with_the_remotes_default_branch(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    fork = sandbox.git("rev-parse", "HEAD")
    clone = sandbox.clone_to(tmp_path / "clone")
    sandbox.commit("meanwhile", {"b.py": "b\n"})  # not yet in the clone
    clone.git("checkout", "--quiet", "-b", "topic")
    head = clone.commit("topic", {"a.py": "a\n"})
    assert range_of(Repository(clone.path), NOBODY, None) == Range(fork, head)


def test_a_shallow_checkout_of_a_pull_request_is_deepened(sandbox: Sandbox, tmp_path: Path) -> None:
    fork = sandbox.git("rev-parse", "HEAD")
    sandbox.git("checkout", "--quiet", "-b", "topic")
    head = sandbox.commit("topic", {"a.py": "a\n"})
    sandbox.git("checkout", "--quiet", "main")
    main = sandbox.commit("meanwhile", {"b.py": "b\n"})
    sandbox.git("merge", "--quiet", "--no-edit", "topic")
    clone = sandbox.clone_to(tmp_path / "clone", "--depth=1")
    pull_request = GitHubContext(base_sha=main, head_sha=head)
    assert range_of(Repository(clone.path), pull_request, None) == Range(fork, head)


def test_a_range_without_a_base_or_common_history_is_refused(sandbox: Sandbox) -> None:
    repository = Repository(sandbox.path)
    with pytest.raises(CommitNotFoundError, match="nowhere"):
        range_of(repository, NOBODY, "nowhere..HEAD")
    missing = GitHubContext(base_sha="1" * 40, head_sha=sandbox.git("rev-parse", "HEAD"))
    with pytest.raises(CommitNotFoundError, match="not in this clone"):
        range_of(repository, missing, None)
    sandbox.git("checkout", "--quiet", "--orphan", "other")
    sandbox.commit("unrelated")
    with pytest.raises(CommitNotFoundError, match="no common history"):
        range_of(repository, NOBODY, "main..other")
    sandbox.git("checkout", "--quiet", "--detach")
    with pytest.raises(ConfigurationError, match=r"specify BASE\.\.HEAD"):
        range_of(Repository(sandbox.path), NOBODY, None)


# The questions


def test_lines_are_those_of_the_indexed_commit(sandbox: Sandbox) -> None:
    indexed = sandbox.git("rev-parse", "HEAD")
    sandbox.commit("above", {"lib.py": "# new\n" * 7 + LIBRARY})
    sandbox.commit("edit", {"lib.py": "# new\n" * 7 + LIBRARY.replace("return 2", "return 3")})
    central = IndexingClient(indexed=indexed)
    assert assessed(sandbox, central, "HEAD~1", "HEAD").lines is Lines.EXACT
    assert central.asked == [[ChangedLines("lib.py", ((6, 6),))]]


def test_lines_stay_where_the_indexed_commit_is_not_to_be_had(sandbox: Sandbox) -> None:
    sandbox.commit("edit", {"lib.py": LIBRARY.replace("return 2", "return 3")})
    central = IndexingClient(indexed="9" * 40)
    assert assessed(sandbox, central, "HEAD~1", "HEAD").lines is Lines.APPROXIMATE
    assert central.asked == [[ChangedLines("lib.py", ((6, 6),))]]


def test_an_index_that_moves_on_meanwhile_is_asked_again(sandbox: Sandbox) -> None:
    first = sandbox.git("rev-parse", "HEAD")
    second = sandbox.commit("above", {"lib.py": "# new\n" + LIBRARY})
    sandbox.commit("edit", {"lib.py": "# new\n" + LIBRARY.replace("return 2", "return 3")})
    central = IndexingClient(indexed=first)
    central.indexed.append(second)
    found = assessed(sandbox, central, "HEAD~1", "HEAD")
    assert central.asked == [[ChangedLines("lib.py", ((n, n),))] for n in (6, 7)]
    assert (found.lines, found.indexed_commit) == (Lines.EXACT, second)


def test_nothing_is_asked_about_a_project_that_is_not_indexed_or_nothing_that_existed(
    sandbox: Sandbox,
) -> None:
    sandbox.commit("new", {"new.py": "n = 1\n"})
    central = IndexingClient(indexed=sandbox.git("rev-parse", "HEAD"))
    assert assessed(sandbox, central, "HEAD~1", "HEAD").edits.added == 1
    sandbox.commit("edit", {"lib.py": ""})
    unknown = IndexingClient(indexed=None)
    assert assessed(sandbox, unknown, "HEAD~1", "HEAD").indexed_commit is None
    assert central.asked == unknown.asked == []


def test_more_changes_than_a_request_may_have_are_asked_in_several(sandbox: Sandbox) -> None:
    text = "".join(f"line {n}\n" for n in range(4_400))
    edited = text.replace("0\n", "zero\n").replace("5\n", "five\n")  # 880 places
    more = text.replace("0\n", "zero\n").replace("5\n", "five\n").replace("2\n", "two\n")
    files = {"a.txt": text, "b.txt": text, "c.txt": text}
    sandbox.commit("text", dict(files))
    sandbox.commit("edit", {"a.txt": edited, "b.txt": more, "c.txt": None})
    central = IndexingClient(indexed=sandbox.git("rev-parse", "HEAD~1"))
    found = assessed(sandbox, central, "HEAD~1", "HEAD")
    sizes = [[(one.path, len(one.lines)) for one in some] for some in central.asked]
    assert sizes == [[("a.txt", 880)], [("b.txt", 1_000)], [("b.txt", 320), ("c.txt", 0)]]
    assert found.answer.receipt.cut == ("cut 1", "cut 2", "cut 3")
    assert found.answer.receipt.missing == (MissingProject("web", "behind"),)
    assert found.answer.unknown == ("lib.py",)
    assert found.answer.receipt.unresolved == 4


# The answer


def test_neighbours_of_an_insertion_are_not_changed(sandbox: Sandbox) -> None:
    new = LIBRARY.replace("\n\n\ndef g", "\n\ndef new(): ...\n\ndef g")
    sandbox.commit("insert", {"lib.py": new})
    neighbours = (symbol("f", line=1, end_line=3), symbol("g", line=4, end_line=6))
    around = symbol("around", line=1, end_line=6)
    central = IndexingClient(*neighbours, around, indexed=sandbox.git("rev-parse", "HEAD~1"))
    assert assessed(sandbox, central, "HEAD~1", "HEAD").answer.symbols == (around,)


@pytest.mark.parametrize(
    ("name", "file", "asked"),
    [
        ("C.__init__", "lib.py", ["C"]),
        ("Outer.C.__construct", "lib.php", ["Outer.C"]),
        ("C.constructor", "lib.tsx", ["C"]),
        ("C.C", "C.java", ["C"]),
        ("C.init", "lib.swift", ["C"]),
        ("C.init", "lib.py", None),
        ("C.method", "lib.py", None),
        ("constructor", "lib.js", None),
    ],
)
def test_who_names_a_class_calls_its_constructor(
    sandbox: Sandbox, name: str, file: str, asked: list[str] | None
) -> None:
    sandbox.commit("file", {file: LIBRARY})
    sandbox.commit("edit", {file: "changed\n"})
    changed = symbol(name, file=file)
    central = IndexingClient(changed, indexed=sandbox.git("rev-parse", "HEAD~1"))
    found = assessed(sandbox, central, "HEAD~1", "HEAD").answer.symbols
    assert central.named == ([asked] if asked else [])
    assert (changed in found) == (asked is None), "the class stands for its constructor"
    assert [one.definition.qualified_name for one in found if one.count] == (asked or [])


def test_what_reaches_furthest_comes_first(sandbox: Sandbox) -> None:
    sandbox.commit("edit", {"lib.py": "changed\n"})
    wide = symbol("wide", affected("web", count=1), affected("till", count=1))
    much = symbol("much", affected("web", count=9))
    own = symbol("own", affected("shop", count=50))
    none = symbol("none")
    central = IndexingClient(none, own, much, wide, indexed=sandbox.git("rev-parse", "HEAD~1"))
    found = assessed(sandbox, central, "HEAD~1", "HEAD")
    assert found.answer.symbols == (wide, much, own, none)


def test_a_pull_request_into_another_branch_is_asked_of_its_index(sandbox: Sandbox) -> None:
    base = sandbox.git("rev-parse", "HEAD")
    head = sandbox.commit("topic", {"lib.py": LIBRARY.replace("1", "3")})
    central = IndexingClient(symbol("C.__init__", file="lib.py"), indexed=base)
    found = assess_impact(
        repository=Repository(sandbox.path),
        queries=central,
        project="shop",
        compared=Range(base, head),
        min_confidence="medium",
        base_branch="release/1",
    )
    assert central.refs == {"release/1"}
    assert found.branch == IndexedBranch(base, "release/1")
