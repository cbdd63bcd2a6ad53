"""Lines of commits: what is read back, and what is refused."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.bundle.decode import decode_records
from indexer.bundle.encode import encode_commit
from indexer.errors import BundleError
from indexer.records.history import (
    COMMIT_PARENTS,
    COMMIT_PATHS,
    LAST_SECOND,
    ChangeStatus,
    Commit,
    CommitRemoval,
    PathChange,
)

COMMIT = Commit(
    sha="a" * 40,
    parents=("b" * 40, "c" * 40),
    authored_at=0,
    committed_at=LAST_SECOND,
    author="ada@example.com",
    subject="Größer\t\u202e",
    body="Because.\n",
    reverts=("d" * 64,),
    changes=(
        PathChange("a.py", ChangeStatus.ADDED),
        PathChange("b.py", ChangeStatus.RENAMED, "old/ü.py"),
    ),
    changed=3,
)


def decoded(*lines: bytes) -> list[Any]:
    return list(decode_records(b"".join(lines), dimensions=4))


_shas = st.text("0123456789abcdef", min_size=40, max_size=40)
_texts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=50)
_seconds = st.integers(0, LAST_SECOND)
_lists = st.lists(_shas, max_size=3).map(tuple)


@given(
    commit=st.builds(
        Commit,
        *(_shas, _lists, _seconds, _seconds, _texts, _texts, _texts, _lists),
        changes=st.lists(st.from_regex(r"[a-zé]{1,9}", fullmatch=True), unique=True).map(
            lambda paths: tuple(PathChange(path, ChangeStatus.MODIFIED) for path in sorted(paths))
        ),
        changed=st.integers(100, 2**31 - 1),
    )
)
def test_a_commit_is_read_as_it_was_written(commit: Commit) -> None:
    assert decoded(encode_commit(commit)) == [commit]


def test_a_commit_and_a_removal_stand_beside_files() -> None:
    gone = CommitRemoval("e" * 40)
    assert decoded(encode_commit(COMMIT), encode_commit(gone)) == [COMMIT, gone]


@pytest.mark.parametrize("record", [COMMIT, CommitRemoval(COMMIT.sha)])
def test_a_commit_and_its_removal_each_come_once(record: Commit | CommitRemoval) -> None:
    with pytest.raises(BundleError, match="commit came on an earlier line too"):
        decoded(encode_commit(record), encode_commit(record))


def test_a_commit_may_be_removed_and_come_anew() -> None:
    gone = CommitRemoval(COMMIT.sha)
    assert decoded(encode_commit(gone), encode_commit(COMMIT)) == [gone, COMMIT]


def _rows(*rows: list[str]) -> Callable[[dict[str, Any]], None]:
    return lambda fields: fields.update(changes=list(rows), changed=len(rows))


@pytest.mark.parametrize(
    "harm",
    [
        lambda fields: fields.update(sha="A" * 40),
        lambda fields: fields.update(sha="a" * 41),
        lambda fields: fields.update(parents=["main"]),
        lambda fields: fields.update(parents=["b" * 40] * (COMMIT_PARENTS + 1)),
        lambda fields: fields.update(authored_at=-1),
        lambda fields: fields.update(committed_at=LAST_SECOND + 1),
        lambda fields: fields.update(committed_at=1.5),
        lambda fields: fields.update(subject="x" * 501),
        lambda fields: fields.update(body="x" * 10_001),
        lambda fields: fields.update(body="\0"),
        lambda fields: fields.update(changed=1),
        lambda fields: fields.update(author_name="Ada"),
        lambda fields: fields.pop("body"),
        _rows(["../a", "M", ""]),
        _rows(["/a", "M", ""]),
        _rows(["a", "X", ""]),
        _rows(["a", "R", ""]),
        _rows(["a", "M", "b"]),
        _rows(["a", "R", "b/../c"]),
        _rows(["b", "M", ""], ["a", "M", ""]),
        _rows(["a", "M", ""], ["a", "D", ""]),
        _rows(*([f"{number:05}", "M", ""] for number in range(COMMIT_PATHS + 1))),
    ],
)
def test_what_no_client_writes_is_refused(harm: Callable[[dict[str, Any]], None]) -> None:
    line = json.loads(encode_commit(COMMIT))
    harm(line["commit"])
    with pytest.raises(BundleError, match=r"^line 1: "):
        decoded(json.dumps(line).encode())


def test_a_commit_of_all_its_bounds_is_read() -> None:
    largest = replace(
        COMMIT,
        parents=("b" * 64,) * COMMIT_PARENTS,
        subject="ü" * 500,
        body="\U0001f600" * 10_000,
        changes=tuple(
            PathChange(f"{number:04}{'/ü' * 300}", ChangeStatus.DELETED)
            for number in range(COMMIT_PATHS)
        ),
        changed=2**31 - 1,
    )
    assert decoded(encode_commit(largest)) == [largest]
