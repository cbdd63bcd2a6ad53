"""Architecture decision records in repositories: which files are ones, and what they say. Pure.

Forms: Nygard (`# 12. Use PostgreSQL`, `## Status`), MADR (`status: accepted` in front matter or a
`* Status:` line; https://adr.github.io/madr/), log4brains (`20200924-use-postgresql.md`).
"""

import re
from dataclasses import dataclass
from typing import Final

NODE_TITLE_CHARACTERS: Final = 300


_PATH: Final = re.compile(
    r"(?:^|/)(?:docs/(?:adrs?|decisions)|doc/adr|adr|decisions)/(?:[^/]+/)*"
    r"(?P<stem>[^/]+)\.(?:md|markdown)\Z",
    re.IGNORECASE,
)
_DATED: Final = re.compile(r"\d{8}-\S+")
_FILE_NUMBER: Final = re.compile(r"(?:adr[-_]?)?0*(\d{1,6})(?:[-_. ]|\Z)", re.IGNORECASE)
_HEADING: Final = re.compile(r"#{1,2}[ \t]+(\S.*?)[ \t#]*")
_HEADING_NUMBER: Final = re.compile(
    r"(?:adr[-_ ]?0*(\d{1,6})|0*(\d{1,6})\.)[ \t]*[:.\u2013\u2014-]?[ \t]*(.*)", re.IGNORECASE
)
_STATUS_LINE: Final = re.compile(r"[ \t]*(?:[-*][ \t]+)?status:[ \t]*(\S.{0,200})", re.IGNORECASE)
_STATUS_HEADING: Final = re.compile(r"#{2,3}[ \t]+status[ \t:]*", re.IGNORECASE)
_WORD: Final = re.compile(r"[A-Za-z][A-Za-z -]{0,38}")
_SLUG: Final = re.compile(r"[^A-Za-z0-9._-]+")
_MAX_LINES: Final = 200  # in which title and status are looked for
_MAX_LINE_CHARACTERS: Final = 1_000


@dataclass(frozen=True, slots=True)
class Adr:
    """`public_id` is ADR-0042, or the file's stem where records are named by date."""

    public_id: str
    title: str
    status: str


def read_adr(path: str, text: str) -> Adr | None:
    """What the file says; None if it is no decision record (a README, a template, an index)."""
    placed = _PATH.search(path)
    if placed is None:
        return None
    stem = placed["stem"]
    lines = [line[:_MAX_LINE_CHARACTERS] for line in text.split("\n", _MAX_LINES)[:_MAX_LINES]]
    heading = next((found[1] for line in lines if (found := _HEADING.fullmatch(line))), "")
    numbered = _HEADING_NUMBER.fullmatch(heading)
    status = _status(lines)
    if _DATED.fullmatch(stem):
        public_id = _SLUG.sub("-", stem).strip("-._")[:100].rstrip("-._")
    elif number := _number(stem, numbered):
        public_id = f"ADR-{number:04d}"
    else:
        return None
    title = (numbered[3] if numbered else heading) or stem
    return Adr(public_id, title[:NODE_TITLE_CHARACTERS], status)


def _number(stem: str, heading: "re.Match[str] | None") -> int:
    if named := _FILE_NUMBER.match(stem):
        return int(named[1])
    return int(heading[1] or heading[2]) if heading else 0


def _status(lines: list[str]) -> str:
    for position, line in enumerate(lines):
        if found := _STATUS_LINE.fullmatch(line):
            return _first_word(found[1])
        if _STATUS_HEADING.fullmatch(line):
            return _first_word(next((text for text in lines[position + 1 :] if text.strip()), ""))
    return ""


def _first_word(text: str) -> str:
    found = _WORD.match(text.strip().strip("*_\"'"))
    return found[0].strip().lower() if found else ""
