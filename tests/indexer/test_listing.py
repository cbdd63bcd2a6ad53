"""Parsing of what git lists."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.errors import GitError
from indexer.listing import parse_diff, storable_path, web_url


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
        ("C:/work/app", None),
        ("file:///srv/app.git", None),
        ("https://github.com:port/app", None),
        ("", None),
    ],
)
def test_the_web_address_of_a_remote(remote: str, url: str | None) -> None:
    assert web_url(remote) == url


@given(st.binary(min_size=1, max_size=2000).filter(lambda raw: b"\0" not in raw))
def test_every_path_can_be_stored_and_only_stand_ins_differ(raw: bytes) -> None:
    path, reason = storable_path(raw)
    assert len(path.encode()) <= 1024
    assert (path.encode() == raw) == (reason is None)


def test_an_unexpected_status_is_an_error() -> None:
    listing = b":100644 100644 " + b"a" * 40 + b" " + b"b" * 40 + b" U\0path\0"
    with pytest.raises(GitError, match="status"):
        parse_diff(listing)
