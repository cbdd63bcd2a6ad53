"""Commit objects are read as git's own formats read them, and never out of their bounds."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.git.commit_text import CommitText, parse_commit
from indexer.records.history import (
    AUTHOR_CHARACTERS,
    BODY_CHARACTERS,
    COMMIT_REVERTS,
    LAST_SECOND,
    SUBJECT_CHARACTERS,
)
from tests.indexer.repositories import Sandbox

ADA = b"Ada <ada@example.com> 12 +0000"
SHA1, SHA256 = "ab" * 20, "cd" * 32


def text(
    message: bytes, *, author: bytes = ADA, committer: bytes = ADA, more: bytes = b""
) -> bytes:
    header = b"tree %b\nauthor %b\ncommitter %b\n%b" % (SHA1.encode(), author, committer, more)
    return header + b"\n" + message


def parsed(message: str | bytes, encoding: str = "") -> CommitText:
    content = message if isinstance(message, bytes) else message.encode(encoding or "utf-8")
    return parse_commit(text(content, more=f"encoding {encoding}\n".encode() if encoding else b""))


@pytest.fixture(scope="module")
def sandbox(tmp_path_factory: pytest.TempPathFactory) -> Sandbox:
    return Sandbox(tmp_path_factory.mktemp("texts"))


def as_git_reads(sandbox: Sandbox, objects: list[bytes], form: str) -> list[list[str]]:
    """What git prints for the fields of a format, of each object."""
    tree = sandbox.git("mktree").encode()
    for number, content in enumerate(objects):
        (sandbox.path / str(number)).write_bytes(content.replace(SHA1.encode(), tree))
    names = sandbox.git(
        "hash-object", "-t", "commit", "-w", "--literally", "--stdin-paths",
        stdin="".join(f"{number}\n" for number in range(len(objects))).encode(),
    )  # fmt: skip
    printed = sandbox.try_git(
        "log", "--no-walk=unsorted", "--stdin", f"--format=%H%x00{form}%x00", stdin=names.encode()
    )
    fields = printed.stdout.decode().split("\0")
    count = form.count("%x00") + 2
    rows = (fields[start : start + count] for start in range(0, len(fields) - 1, count))
    found = {name.strip(): row for name, *row in rows}  # git lists the same commit once
    return [found[name] for name in names.split()]


MESSAGES = st.text(alphabet="ab\n\n\n \t\ré\u2028", max_size=24)


@settings(max_examples=30)
@given(st.lists(MESSAGES, min_size=1, max_size=20))
def test_subject_and_body_are_gits(sandbox: Sandbox, messages: list[str]) -> None:
    objects = [text(b"s" + message.encode()) for message in messages]
    for content, (subject, body) in zip(
        objects, as_git_reads(sandbox, objects, "%s%x00%b"), strict=True
    ):
        found = parse_commit(content)
        lines = [line.rstrip(" \t\r") for line in body.split("\n")]
        assert found.subject == subject.replace("\r", "\ufffd")
        assert found.body == "\n".join(lines).strip("\n").replace("\r", "\ufffd")


@settings(max_examples=30)
@given(st.lists(st.text(alphabet="a<>> 019+-\t", max_size=20), min_size=1, max_size=20))
def test_address_and_time_are_gits(sandbox: Sandbox, lines: list[str]) -> None:
    objects = [
        text(b"s", author=line.encode(), committer=b"C <> " + line.encode()) for line in lines
    ]
    for content, (address, authored, committed) in zip(
        objects, as_git_reads(sandbox, objects, "%ae%x00%at%x00%ct"), strict=True
    ):
        found = parse_commit(content)
        assert found.author == address.strip()
        assert found.authored_at == min(int(authored or 0), LAST_SECOND)
        assert found.committed_at == min(int(committed or 0), LAST_SECOND)


@given(st.binary(max_size=300))
def test_any_bytes_are_read(content: bytes) -> None:
    for found in (parse_commit(content), parse_commit(text(content, author=content))):
        assert "\0" not in "".join(found.author + found.subject + found.body)
        assert 0 <= found.authored_at <= LAST_SECOND


@pytest.mark.parametrize(
    ("date", "seconds"),
    [
        ("0 +0000", 0),
        ("-86400 +0000", 0),
        ("1e9 +0000", 0),
        ("12", 0),
        ("tomorrow", 0),
        ("", 0),
        ("1700000000 +9999", 1_700_000_000),
        ("1700000000 -99999999999", 1_700_000_000),
        ("00000000000001700000000 +0000", 1_700_000_000),
        ("253402300800 +0000", LAST_SECOND),
        ("9" * 5_000 + " +0000", LAST_SECOND),
        ("٣ +0000", 0),
    ],
)
def test_a_date_is_within_its_bounds_whatever_is_written(date: str, seconds: int) -> None:
    author = f"Ada <ada@example.com> {date}".encode()
    assert parse_commit(text(b"", author=author)).authored_at == seconds


@pytest.mark.parametrize("encoding", ["", "ISO-8859-1", "latin-1", "UTF8", "cp1252"])
def test_a_message_is_decoded_as_its_header_says(encoding: str) -> None:
    found = parsed("Prüfe\n\nGrüße\n", encoding)
    assert (found.subject, found.body) == ("Prüfe", "Grüße")


@pytest.mark.parametrize("encoding", ["Shift_JIS", "EUC-JP", "ISO-2022-JP", "GB18030"])
def test_an_encoding_of_several_bytes_is_decoded_before_its_lines_are_split(encoding: str) -> None:
    found = parsed("日本語\n\n表示\n", encoding)
    assert (found.subject, found.body) == ("日本語", "表示")


@pytest.mark.parametrize("encoding", ["UTF-16", "UTF-7", "idna", "unicode_escape", "hex", "no\xff"])
def test_an_encoding_that_is_none_for_a_message_changes_nothing(encoding: str) -> None:
    more = f"encoding {encoding}\n".encode("latin-1")
    found = parse_commit(text(rb"caf\u0041 +AOk- " + b"\xe9", more=more))
    assert found.subject == r"caf\u0041 +AOk- " + "\ufffd"
    assert (found.author, found.authored_at) == ("ada@example.com", 12)


def test_bytes_that_are_no_text_and_controls_are_replaced() -> None:
    found = parsed(b"a\xffb\x1b[31m\tc\n\nd\r\ne\x85\xc2\x85\x7f\n\0hidden")
    assert found.subject == "a\ufffdb\ufffd[31m\tc"
    assert found.body == "d\ne\ufffd\ufffd\ufffd"


@pytest.mark.parametrize("message", [b"", b"\n", b"\n\n \n"])
def test_a_commit_without_a_message_has_none(message: bytes) -> None:
    found = parsed(message)
    assert (found.subject, found.body, found.reverts) == ("", "", ())
    assert parse_commit(text(b"").rstrip(b"\n"))[4:6] == ("", "")


def test_each_text_is_cut() -> None:
    long = b"x" * 20_000
    found = parse_commit(text(long + b"\n\n" + long, author=b"A <" + long.upper() + b"> 1 +0000"))
    assert found.subject == "x" * SUBJECT_CHARACTERS
    assert found.body == "x" * BODY_CHARACTERS
    assert found.author == "x" * AUTHOR_CHARACTERS


@pytest.mark.parametrize(
    ("message", "reverts"),
    [
        (f'Revert "x"\n\nThis reverts commit {SHA1}.\n', (SHA1,)),
        (f'Reapply "x"\n\nThis reverts commit {SHA256}.\n', (SHA256,)),
        (f"x\n\nThis reverts commit {SHA1}, reversing\nchanges made to {SHA256}.\n", (SHA1,)),
        (f"x\n\nThis reverts commit\n{SHA1}", (SHA1,)),
        (f"x\n\n* This reverts commit {SHA1}.\n* This reverts commit {SHA1}.\n", (SHA1,)),
        (f"x\n\nThis reverts commit {SHA1[:12]}.\n", ()),
        (f"x\n\nThis reverts commit {SHA1}ab.\n", ()),
        (f"x\n\nThis reverts commits {SHA1}.\n", ()),
        (f"x\n\n{'y' * BODY_CHARACTERS}\nThis reverts commit {SHA1}.\n", (SHA1,)),
    ],
)
def test_a_revert_names_the_commits_of_gits_sentence(
    message: str, reverts: tuple[str, ...]
) -> None:
    assert parsed(message).reverts == reverts


def test_a_revert_of_many_names_the_first() -> None:
    names = [f"{n:040x}" for n in range(COMMIT_REVERTS + 5)]
    message = "\n".join(f"This reverts commit {name}." for name in names)
    assert parsed(message).reverts == tuple(names[:COMMIT_REVERTS])


def test_only_parents_below_the_tree_are_parents_and_only_headers_are_headers() -> None:
    signature = (
        b"gpgsig -----BEGIN\n parent x\n \n author Eve <eve@example.com> 1 +0000\n -----END\n"
    )
    message = b"parent y\nauthor Eve <eve@example.com> 1 +0000\n"
    parents = b"parent %b\nparent p2\nauthor" % SHA1.encode()
    found = parse_commit(text(message, more=signature).replace(b"author", parents, 1))
    assert found.parents == (SHA1, "p2")
    assert found.author == "ada@example.com"
    assert found.subject == "parent y author Eve <eve@example.com> 1 +0000"
