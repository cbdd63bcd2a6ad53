"""Parser of commit objects, which reads them as git's own formats do. Pure.

Git converts a message by the C library of its machine, which knows other encodings elsewhere; here
a commit has the same text everywhere.
"""

import re
from collections.abc import Iterator
from itertools import islice, takewhile
from typing import Final, NamedTuple

from indexer.decoding import decoded_as, is_wide
from indexer.records.history import (
    AUTHOR_CHARACTERS,
    BODY_CHARACTERS,
    COMMIT_REVERTS,
    LAST_SECOND,
    SUBJECT_CHARACTERS,
)

# As git's split_ident_line: the address is in the first brackets, the date after the last.
_IDENTITY: Final = re.compile(
    r"[^<]*<(?P<address>[^>]*)>(?:.*>)?[ \t\r]*(?:(?P<seconds>[0-9]+)[ \t\r]*[+-][0-9])?"
)
_DATE_DIGITS: Final = len(str(LAST_SECOND))
_BLANK: Final = " \t\r"  # at the end of a line
# Of `git revert`, also of a merge and of a revert ("Reapply …"); some editors wrap it.
_REVERTS: Final = re.compile(r"\bThis reverts commit\s+([0-9a-f]{64}|[0-9a-f]{40})(?![0-9a-f])")
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


class CommitText(NamedTuple):
    """What a commit object says of itself, within the bounds of a record but for its parents."""

    parents: tuple[str, ...]
    authored_at: int
    committed_at: int
    author: str
    subject: str
    body: str
    reverts: tuple[str, ...]


def parse_commit(content: bytes) -> CommitText:
    """Parse a commit object, or the beginning of one.

    The text ends at a NUL, as for git. It is UTF-8 unless its header names another encoding that it
    is valid in. A date that is none is 0. Lines of a message lose the blanks at their ends.
    """
    content = content.partition(b"\0")[0]
    raw_header = content.partition(b"\n\n")[0].split(b"\n")
    header, _, message = _decode(content, raw_header).partition("\n\n")
    fields = {
        name: value for name, _, value in (line.partition(" ") for line in header.split("\n"))
    }
    author, authored_at = _identity(fields.get("author", ""))
    _, committed_at = _identity(fields.get("committer", ""))
    subject, body = _subject_and_body(message)
    return CommitText(
        parents=tuple(_parents(raw_header)),
        authored_at=authored_at,
        committed_at=committed_at,
        author=_without_controls(author.strip().lower())[:AUTHOR_CHARACTERS],
        subject=_without_controls(subject)[:SUBJECT_CHARACTERS],
        body=_without_controls(body)[:BODY_CHARACTERS],
        reverts=tuple(_reverted(message)),
    )


def _parents(header: list[bytes]) -> Iterator[str]:
    """Yield those directly below the tree, where alone git looks for them."""
    for line in takewhile(lambda line: line.startswith(b"parent "), header[1:]):
        yield line[7:].decode("ascii", errors="replace")


def _decode(content: bytes, header: list[bytes]) -> str:
    label = next((line[9:] for line in header if line.startswith(b"encoding ")), b"")
    encoding = label.decode("ascii", errors="replace")
    found = None if not encoding or is_wide(encoding) else decoded_as(content, encoding)
    return found.text if found else content.decode(errors="replace")


def _identity(line: str) -> tuple[str, int]:
    """Return the address and the time of a line, "" and 0 for what it does not have."""
    found = _IDENTITY.match(line)
    return (found["address"], _time(found["seconds"] or "")) if found else ("", 0)


def _time(digits: str) -> int:
    digits = digits.lstrip("0") or "0"
    return LAST_SECOND if len(digits) > _DATE_DIGITS else min(int(digits), LAST_SECOND)


def _subject_and_body(message: str) -> tuple[str, str]:
    """Return git's %s, the first paragraph in one line, and %b, what comes after it."""
    lines = [line.rstrip(_BLANK) for line in message.split("\n")]
    first = next((number for number, line in enumerate(lines) if line), len(lines))
    subject = list(takewhile(bool, lines[first:]))
    body = "\n".join(lines[first + len(subject) :])
    return " ".join(subject), body.strip("\n")


def _without_controls(text: str) -> str:
    return _CONTROL.sub("\ufffd", text)


def _reverted(message: str) -> Iterator[str]:
    named = dict.fromkeys(found[1] for found in _REVERTS.finditer(message))
    return islice(named, COMMIT_REVERTS)
