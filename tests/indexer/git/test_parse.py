"""Parsing of what git lists."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.errors import GitError
from indexer.git.parse import explain_git_error, parse_diff, repository_name, storable_path, web_url
from indexer.records.files import SkipReason


@pytest.mark.parametrize(
    ("remote", "url"),
    [
        ("https://github.com/acme/app.git", "https://github.com/acme/app"),
        ("https://user:secret@github.com/acme/app", "https://github.com/acme/app"),
        (
            "https://x-access-token:t@ghe.example:8443/a/b.git/?t=1#f",
            "https://ghe.example:8443/a/b",
        ),
        ("http://ghe.example/a/b", "https://ghe.example/a/b"),
        ("git@github.com:acme/app.git", "https://github.com/acme/app"),
        ("github.com:acme/app", "https://github.com/acme/app"),
        ("ssh://git@github.com:22/acme/app.git", "https://github.com/acme/app"),
        ("git://github.com/acme/app", "https://github.com/acme/app"),
        ("/srv/git/app.git", None),
        ("../app", None),
        ("C:/src/app", None),
        ("file:///srv/app.git", None),
        ("https://github.com:port/app", None),
        ("", None),
    ],
)
def test_the_web_address_of_a_remote(remote: str, url: str | None) -> None:
    assert web_url(remote) == url


@pytest.mark.parametrize(
    ("remote", "name"),
    [
        ("https://github.com/acme/app.git/", "app"),
        ("git@github.com:app.git", "app"),
        ("/srv/git/app.git", "app"),
        ("file:///srv/app", "app"),
        ("/home/ann/app/.git", "app"),
        ("../app", "app"),
        ("C:\\src\\app", "app"),
        ("..", ""),
        ("", ""),
    ],
)
def test_a_repository_is_named_by_the_end_of_its_remotes_address(remote: str, name: str) -> None:
    assert repository_name(remote) == name


@given(st.binary(min_size=1, max_size=2000).filter(lambda raw: b"\0" not in raw))
def test_every_path_can_be_stored_and_only_stand_ins_differ(raw: bytes) -> None:
    path, reason = storable_path(raw)
    assert len(path.encode()) <= 1024
    assert (path.encode() == raw) == (reason is None)


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (b"a/\xff.py", SkipReason.PATH_NOT_UTF8),
        (b"d/" * 511 + b"a.py", SkipReason.PATH_TOO_LONG),
        ("é".encode() * 511 + b"py", None),
        ("é".encode() * 512 + b"p", SkipReason.PATH_TOO_LONG),
    ],
)
def test_a_path_is_skipped_by_its_bytes(raw: bytes, reason: SkipReason | None) -> None:
    assert storable_path(raw)[1] is reason


_RAW_PATHS = st.binary(min_size=1, max_size=40) | st.text(min_size=1, max_size=40).map(str.encode)


@given(st.sets(_RAW_PATHS, min_size=1, max_size=8), st.integers(0, 1100))
def test_no_two_paths_share_a_name_not_even_one_that_is_named_after_a_stand_in(
    raw_paths: set[bytes], padding: int
) -> None:
    raw_paths |= {raw + b"x" * padding for raw in raw_paths}
    for _ in range(2):
        raw_paths |= {storable_path(raw)[0].encode() for raw in raw_paths}
    assert len({storable_path(raw)[0] for raw in raw_paths}) == len(raw_paths)


def test_a_file_named_as_git_quotes_another_keeps_its_name() -> None:
    assert storable_path(rb'"\377.py"') == (r'"\377.py"', None)
    stand_in, reason = storable_path(b"\xff.py")
    assert stand_in.startswith(r'"\377.py"…')
    assert reason is SkipReason.PATH_NOT_UTF8


@given(st.text(st.characters()))
def test_a_message_of_git_is_one_line_that_can_be_stored(complaint: str) -> None:
    assert explain_git_error(complaint).isprintable()
    assert explain_git_error(f"{complaint}truncated\0").isprintable()


def test_an_unexpected_status_is_an_error() -> None:
    record = b":100644 100644 " + b"a" * 40 + b" " + b"b" * 40 + b" U\tpath"
    with pytest.raises(GitError, match="status"):
        parse_diff([record])
