"""Edits of JSON with comments and trailing commas, which keep every other character.

VS Code and Zed read such files (https://code.visualstudio.com/docs/languages/json).
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

_COMMENTS: Final = re.compile(r'"(?:[^"\\]|\\.)*"|//[^\r\n]*|/\*.*?\*/', re.DOTALL)
_COMMAS: Final = re.compile(r'"(?:[^"\\]|\\.)*"|,(?=\s*[}\]])', re.DOTALL)
_SPACE: Final = re.compile(r"\s*")
_INDENT: Final = re.compile(r'^\{\s*?\n([ \t]+)"')
_DECODER: Final = json.JSONDecoder()


class _Member(NamedTuple):
    key: str
    start: int
    value: int  # where its value starts
    end: int


class _Object(NamedTuple):
    members: list[_Member]
    close: int  # where its brace closes


class JsonFile:
    """The text of a file whose top is an object. Raises ValueError if it is not."""

    def __init__(self, text: str) -> None:
        self._text = text if text.strip() else "{}\n"
        self._uncommented = _without_comments(self._text)
        self._plain = _without_trailing_commas(self._uncommented)
        self.content: dict[str, Any] = json.loads(self._plain, object_pairs_hook=_unique)
        if not isinstance(self.content, dict):
            raise ValueError("it is not an object")
        self._newline = "\r\n" if "\r\n" in text else "\n"
        found = _INDENT.search(self._plain.lstrip().replace("\r", ""))
        self._indent = found[1] if found else "  "

    def with_member(self, path: Sequence[str], value: object) -> str:
        """Return the text with `value` at `path`; objects on the way are created.

        Raises ValueError if something else than an object is on the way.
        """
        top = self._object(self._start())
        for depth, key in enumerate(path):
            member = _named(top, key)
            if member is None:
                for name in reversed(path[depth + 1 :]):
                    value = {name: value}
                return self._inserted(top, depth, key, value)
            if depth == len(path) - 1:
                shown = self._shown(value, depth + 1)
                return self._text[: member.value] + shown + self._text[member.end :]
            top = self._object_of(member)
        raise ValueError("an empty path")

    def without_member(self, path: Sequence[str]) -> str:
        """Return the text without the member at `path`, if there is one."""
        *ways, last = path
        top = self._object(self._start())
        for key in ways:
            member = _named(top, key)
            if member is None:
                return self._text
            top = self._object_of(member)
        member = _named(top, last)
        return self._text if member is None else self._removed(top, member)

    def _inserted(self, top: _Object, depth: int, key: str, value: object) -> str:
        """Insert as the last member; a comment behind the one before it stays there."""
        text, inner = self._text, self._newline + self._indent * (depth + 1)
        member = f"{inner}{json.dumps(key)}: {self._shown(value, depth + 1)}"
        tail = len(text[: top.close].rstrip())
        end = text[tail : top.close]
        if "\n" not in end:
            end = self._newline + self._indent * depth
        if not top.members:
            return text[:tail] + member + end + text[top.close :]
        last = top.members[-1].end
        comma = "" if self._has_comma(last, top.close) else ","
        return text[:last] + comma + text[last:tail] + member + end + text[top.close :]

    def _removed(self, top: _Object, member: _Member) -> str:
        text, place = self._text, top.members.index(member)
        begin, end = member.start, member.end
        behind = _skip(self._plain, end)
        if place + 1 < len(top.members):
            end = behind + 1  # with the comma
        elif self._has_comma(end, top.close):
            end = self._comma(end, top.close) + 1
        line = text.rfind("\n", 0, begin) + 1
        if not text[line:begin].strip() and not text[end:].partition("\n")[0].strip():
            begin, end = line, text.find("\n", end) + 1 or len(text)
        if place and place + 1 == len(top.members):
            previous = top.members[place - 1].end
            comma = _skip(self._plain, previous)
            return text[:comma] + text[comma + 1 : begin] + text[end:]
        return text[:begin] + text[end:]

    def _has_comma(self, start: int, stop: int) -> bool:
        return self._comma(start, stop) >= 0

    def _comma(self, start: int, stop: int) -> int:
        """Return where a trailing comma is, -1 without one: the plain text has none."""
        return self._uncommented.find(",", start, stop)

    def _object_of(self, member: _Member) -> _Object:
        if self._plain[member.value] != "{":
            raise ValueError(f"{member.key} is not an object")
        return self._object(member.value)

    def _start(self) -> int:
        return _skip(self._plain, 0)

    def _object(self, start: int) -> _Object:
        """Read the members of the object at `start`. The text is known to be valid."""
        plain, members = self._plain, []
        at = _skip(plain, start + 1)
        while plain[at] != "}":
            key, end = _DECODER.raw_decode(plain, at)
            value = _skip(plain, _skip(plain, end) + 1)
            _, end = _DECODER.raw_decode(plain, value)
            members.append(_Member(key, at, value, end))
            at = _skip(plain, end)
            if plain[at] == ",":
                at = _skip(plain, at + 1)
        return _Object(members, at)

    def _shown(self, value: object, depth: int) -> str:
        lines = json.dumps(value, indent=self._indent, ensure_ascii=False).split("\n")
        return (self._newline + self._indent * depth).join(lines)


def _named(top: _Object, key: str) -> _Member | None:
    return next((member for member in top.members if member.key == key), None)


def _skip(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _without_comments(text: str) -> str:
    """Replace comments by as many spaces; line ends stay."""
    return _COMMENTS.sub(
        lambda match: match[0] if match[0][0] == '"' else re.sub(r"[^\r\n]", " ", match[0]), text
    )


def _without_trailing_commas(text: str) -> str:
    return _COMMAS.sub(lambda match: match[0] if match[0][0] == '"' else " ", text)


def _unique(pairs: Sequence[tuple[str, Any]]) -> Mapping[str, Any]:
    """Refuse what readers understand differently."""
    content = dict(pairs)
    if len(content) < len(pairs):
        names = [key for key, _ in pairs]
        twice = next(key for key in names if names.count(key) > 1)
        raise ValueError(f"{twice} is in it twice")
    return content
