"""Changed lines and authors of the commits of a run: what is sent, and what is kept back."""

import hashlib
import hmac
from collections.abc import Iterator
from pathlib import Path

import pytest

from indexer.records.files import COMMIT_LINES, COMMITS
from indexer.records.history import COMMITS_SENT, Commit, CommitRemoval
from indexer.records.runs import Mode, Plan, Reason
from tests.indexer.central import StandIn, stand_in
from tests.indexer.git.written_commits import write_commit
from tests.indexer.pipeline.test_run import Recorded, run
from tests.indexer.repositories import Sandbox

KEY = b"k" * 32
ADA = "ada@example.com"


@pytest.fixture
def central() -> Iterator[StandIn]:
    with stand_in() as central:
        central.orders = {"record_fields": [COMMITS, COMMIT_LINES]}
        yield central


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    sandbox = Sandbox(tmp_path / "shop")
    sandbox.commit("Begin", {"a.py": "a = 1\n"})
    return sandbox


def sent(central: StandIn) -> list[Commit]:
    return [record for record in central.commit_records() if isinstance(record, Commit)]


def gone(central: StandIn) -> list[str]:
    return [record.sha for record in central.commit_records() if isinstance(record, CommitRemoval)]


def told(central: StandIn) -> list[dict[str, str]]:
    """Of each commit that the last run sent: the hunks of its paths, or why there are none."""
    return [
        {change.path: change.unread or change.hunks for change in commit.changes}
        for commit in sent(central)
    ]


def test_commits_come_with_the_lines_that_they_changed(central: StandIn, sandbox: Sandbox) -> None:
    run(central, sandbox)
    sandbox.commit("Go on", {"a.py": "a = 2\n"})
    run(central, sandbox)
    assert told(central) == [{"a.py": "@@ -1 +1 @@\n-a = 1\n+a = 2\n"}]


def test_a_service_without_the_field_gets_paths_alone(central: StandIn, sandbox: Sandbox) -> None:
    central.orders = {"record_fields": [COMMITS]}
    run(central, sandbox)
    assert told(central) == [{"a.py": "unknown"}]
    assert b"hunks" not in b"".join(central.batches.values())


def test_a_project_may_send_paths_without_lines(central: StandIn, sandbox: Sandbox) -> None:
    sandbox.commit("Off", {".codesearch.toml": "[history]\nlines = false\n"})
    run(central, sandbox)
    assert told(central) == [{"a.py": "off"}, {".codesearch.toml": "off"}]


# What is kept back


def test_lines_of_files_whose_content_is_not_sent_are_withheld_under_each_of_their_names(
    central: StandIn, sandbox: Sandbox
) -> None:
    secret = "".join(f"{n}\n" for n in range(9))
    told_secret = "".join(f"+{n}\n" for n in range(9))
    sandbox.commit("Add", {
        "keys/a.txt": secret, "b.txt": secret + "b\n", "package-lock.json": "{}\n",
        "node_modules/x.js": "x\n", "api_pb2.py": "x = 1\n", "x.min.js": "x\n",
    })  # fmt: skip
    sandbox.git("mv", "keys/a.txt", "c.txt")
    sandbox.commit("Move", {"c.txt": secret + "c\n"})
    sandbox.commit("Exclude", {".codesearch.toml": "[index]\nexclude = ['keys/']\n"})
    run(central, sandbox)
    [_, added, moved, _] = told(central)
    lines = {path: text for path, text in added.items() if text != "withheld"}
    assert lines == {
        "api_pb2.py": "@@ -0,0 +1 @@\n+x = 1\n",
        "b.txt": f"@@ -0,0 +1,10 @@\n{told_secret}+b\n",
    }
    assert moved == {"c.txt": "withheld"}
    assert len(added) == 6


def test_only_included_paths_have_lines(central: StandIn, sandbox: Sandbox) -> None:
    sandbox.commit("Include", {".codesearch.toml": "[index]\ninclude = ['src/']\n"})
    sandbox.commit("Add", {"src/b.py": "b = 1\n", "c.py": "c = 1\n"})
    run(central, sandbox)
    assert told(central) == [
        {"a.py": "withheld"},
        {".codesearch.toml": "@@ -0,0 +1,2 @@\n+[index]\n+include = ['src/']\n"},
        {"c.py": "withheld", "src/b.py": "@@ -0,0 +1 @@\n+b = 1\n"},
    ]


def test_a_path_that_no_rule_can_name_has_no_lines(central: StandIn, sandbox: Sandbox) -> None:
    sandbox.commit("Odd", {"keys/\udcff": "secret\n"})
    run(central, sandbox)
    assert list(told(central)[-1].values()) == ["withheld"]


def test_other_rules_take_back_the_lines_that_were_sent(central: StandIn, sandbox: Sandbox) -> None:
    sandbox.commit("Secret", {"keys.txt": "secret\n"})
    run(central, sandbox)
    before = list(central.commits)
    sandbox.commit("Exclude", {".codesearch.toml": "[index]\nexclude = ['keys.txt']\n"})
    assert run(central, sandbox).reason is Reason.SELECTION_CHANGED
    assert gone(central) == before
    assert told(central)[1] == {"keys.txt": "withheld"}
    assert len(central.commits) == 3
    sandbox.commit("Other", {".gitattributes": "*.txt linguist-vendored\n"})
    assert run(central, sandbox).reason is Reason.SELECTION_CHANGED
    assert (gone(central), len(sent(central))) == ([], 1)


def test_without_the_indexed_commit_all_lines_come_anew(central: StandIn, sandbox: Sandbox) -> None:
    run(central, sandbox)
    central.base_commit = "c" * 40
    assert run(central, sandbox).reason is Reason.BASE_MISSING
    assert (len(gone(central)), len(sent(central))) == (1, 1)


def test_a_shallow_clone_fetches_the_rules_of_the_indexed_commit_and_loses_nothing(
    central: StandIn, sandbox: Sandbox, tmp_path: Path
) -> None:
    run(central, sandbox)
    sandbox.commit("Go on", {"b.py": "b = 1\n"})
    clone = sandbox.clone_to(tmp_path / "clone", "--depth=1")
    central.base_extractor = "another"
    assert run(central, clone).mode is Mode.FULL
    assert (gone(central), len(sent(central)), len(central.commits)) == ([], 1, 2)


# All anew


def test_the_history_comes_anew_though_the_index_is_up_to_date(
    central: StandIn, sandbox: Sandbox
) -> None:
    central.orders = {"record_fields": [COMMITS]}
    sandbox.commit("Go on", {"b.py": "b = 1\n"})
    run(central, sandbox)
    central.orders = {"record_fields": [COMMITS, COMMIT_LINES]}
    progress = Recorded()
    run(central, sandbox, mode="history", progress=progress)
    assert progress.plans == [
        Plan(Mode.INCREMENTAL, Reason.REQUESTED, sandbox.git("rev-parse", "HEAD"))
    ]
    assert central.paths() == []
    assert gone(central) == central.commits
    assert told(central) == [
        {"a.py": "@@ -0,0 +1 @@\n+a = 1\n"}, {"b.py": "@@ -0,0 +1 @@\n+b = 1\n"},
    ]  # fmt: skip


def test_a_service_that_reads_no_lines_gets_the_commits_that_it_lacks(
    central: StandIn, sandbox: Sandbox
) -> None:
    central.orders = {"record_fields": [COMMITS]}
    sandbox.commit("Go on", {"b.py": "b = 1\n"})
    run(central, sandbox)
    del central.commits[0]
    run(central, sandbox, mode="history")
    assert (gone(central), len(sent(central)), len(central.commits)) == ([], 1, 2)


def test_as_many_commits_come_anew_as_are_stored(
    central: StandIn, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("indexer.pipeline.history.COMMITS_SENT", 1)
    for number in range(3):
        sandbox.commit(f"{number}")
    run(central, sandbox)
    assert len(central.commits) == 4 < COMMITS_SENT
    run(central, sandbox, mode="history")
    assert len(central.commits) == 4


def test_a_merge_with_a_request_for_the_history_brings_both(
    central: StandIn, sandbox: Sandbox
) -> None:
    run(central, sandbox)
    sandbox.commit("Go on", {"b.py": "b = 1\n"})
    run(central, sandbox, mode="history")
    assert central.paths() == ["b.py"]
    assert (len(gone(central)), len(sent(central))) == (1, 2)


# Authors


@pytest.mark.parametrize(
    ("authors", "author"),
    [
        (None, ""),
        ({"policy": "off", "key": ""}, ""),
        ({"policy": "plain", "key": ""}, ADA),
        ({"policy": "hashed", "key": KEY.hex()},
         hmac.digest(KEY, ADA.encode(), hashlib.sha256).hex()[:32]),
        ({"policy": "hashed", "key": ""}, ""),
        ({"policy": "hashed"}, ""),
        ({"policy": "hashed", "key": "k" * 64}, ""),
        ({"policy": "initials", "key": KEY.hex()}, ""),
        ("plain", ""),
    ],
)  # fmt: skip
def test_authors_are_sent_as_the_organisation_has_them(
    central: StandIn, sandbox: Sandbox, authors: object, author: str
) -> None:
    central.orders["authors"] = authors
    run(central, sandbox)
    assert [commit.author for commit in sent(central)] == [author]


def test_an_address_that_looks_like_a_digest_is_hashed_all_the_same(
    central: StandIn, sandbox: Sandbox
) -> None:
    central.orders["authors"] = {"policy": "hashed", "key": KEY.hex()}
    odd = sandbox.git(
        "hash-object", "-t", "commit", "-w", "--stdin",
        stdin=sandbox.git("cat-file", "commit", "HEAD").replace(ADA, "a" * 32).encode() + b"\n",
    )  # fmt: skip
    sandbox.git("reset", "--quiet", "--hard", odd)
    run(central, sandbox)
    [commit] = sent(central)
    assert commit.author == hmac.digest(KEY, b"a" * 32, hashlib.sha256).hex()[:32]


# Bounds


def test_a_commit_that_fits_into_no_batch_comes_without_lines_and_then_without_paths(
    central: StandIn, sandbox: Sandbox
) -> None:
    central.batch_bytes = 20_000
    base = sandbox.git("rev-parse", "HEAD")
    lines = write_commit(sandbox, {"a.py": "a = 2\n", "b.py": "y\n" * 9_000}, base)
    paths = {f"{'x' * 200}{number}": "1" for number in range(120)}
    many = write_commit(sandbox, paths, lines)
    sandbox.git("reset", "--quiet", "--hard", many)
    run(central, sandbox)
    [_, first, second] = sent(central)
    assert [change.unread for change in first.changes] == ["large", "large"]
    assert (second.changes, second.changed) == ((), 122)


def test_a_clone_without_blobs_sends_what_it_has_and_asks_for_no_more(
    central: StandIn, sandbox: Sandbox, tmp_path: Path
) -> None:
    sandbox.commit("Change", {"a.py": "a = 2\n"})
    sandbox.commit("Add", {"b.py": "b = 1\n"})
    clone = sandbox.clone_to(tmp_path / "clone", "--filter=blob:none", "--no-checkout")
    run(central, clone)
    assert told(central) == [
        {"a.py": "absent"}, {"a.py": "absent"}, {"b.py": "@@ -0,0 +1 @@\n+b = 1\n"},
    ]  # fmt: skip
    sandbox.path.rename(tmp_path / "away")
    root = clone.git("rev-list", "--max-parents=0", "HEAD")
    assert clone.try_git("cat-file", "-e", f"{root}:a.py").returncode


def test_a_commit_whose_lines_git_cannot_read_comes_without_them(
    central: StandIn, sandbox: Sandbox, caplog: pytest.LogCaptureFixture
) -> None:
    lost = sandbox.git("rev-parse", "HEAD:a.py")
    changed = sandbox.commit("Change", {"a.py": "a = 2\n"})
    sandbox.commit("Add", {"b.py": "b = 1\n"})
    (sandbox.path / ".git" / "objects" / lost[:2] / lost[2:]).unlink()
    run(central, sandbox)
    assert told(central) == [
        {"a.py": "large"}, {"a.py": "large"}, {"b.py": "@@ -0,0 +1 @@\n+b = 1\n"},
    ]  # fmt: skip
    assert f"git cannot tell the changed lines of {changed}" in caplog.text
