"""Strict readers for the fields of one decoded JSON object: type, bounds, nothing unknown.

Every refusal is a BundleError whose message names the place and the field, never the value.
"""

import binascii
import re
from collections.abc import Sequence
from enum import StrEnum
from typing import Final, NoReturn, TypeVar

from indexer.errors import BundleError
from indexer.limits import PATH_BYTES
from indexer.records.files import Span

MAX_INTEGER: Final = 2**63 - 1  # a PostgreSQL bigint

_PATH_INVALID = "batch_path_invalid"
_NO_COMPONENT = re.compile(r"(?:\A|/)\.{0,2}(?:/|\Z)")  # empty, . or ..
_E = TypeVar("_E", bound=StrEnum)


class Fields:
    """One JSON object that must have exactly `keys`; `where` says which one, for messages."""

    __slots__ = ("_values", "where")

    def __init__(self, value: object, *, keys: frozenset[str], where: str) -> None:
        self.where = where
        if not isinstance(value, dict):
            raise BundleError(f"{where}: must be a JSON object")
        if value.keys() != keys:
            self._refuse_keys(value, keys)
        self._values = value

    def _refuse_keys(self, value: dict[str, object], keys: frozenset[str]) -> NoReturn:
        missing = sorted(keys - value.keys())
        if missing:
            self.refuse(missing[0], "is missing")
        unknown = min(value.keys() - keys)
        self.refuse(ascii(unknown[:40]), "is not a field of the format")

    def refuse(self, key: str, problem: str, *, code: str = "batch_malformed") -> NoReturn:
        """Raise the error of field `key`."""
        raise BundleError(f"{self.where}: {key} {problem}", code=code)

    def value(self, key: str) -> object:
        """Whatever is there, for a reader of its own."""
        return self._values[key]

    def text(self, key: str, *, most: int = MAX_INTEGER) -> str:
        """A string of at most `most` characters that PostgreSQL can store as UTF-8 text."""
        return self._text(key, self._values[key], most)

    def texts(self, key: str, *, most: int) -> tuple[str, ...]:
        """A JSON array of such strings."""
        return tuple(
            self._text(f"{key}[{index}]", value, most)
            for index, value in enumerate(self.items(key))
        )

    def _text(self, key: str, value: object, most: int) -> str:
        if not isinstance(value, str):
            self.refuse(key, "must be a string")
        if len(value) > most:
            self.refuse(key, f"must have at most {most} characters")
        if not is_storable(value):
            self.refuse(key, "must not hold a NUL character or a lone surrogate")
        return value

    def integer(self, key: str, *, least: int = 0, most: int = MAX_INTEGER) -> int:
        """A JSON integer within bounds; true and 1.0 are none."""
        value = self._values[key]
        if type(value) is not int:
            self.refuse(key, "must be an integer")
        if not least <= value <= most:
            self.refuse(key, f"must be between {least} and {most}")
        return value

    def boolean(self, key: str) -> bool:
        """True or false."""
        value = self._values[key]
        if not isinstance(value, bool):
            self.refuse(key, "must be true or false")
        return value

    def items(self, key: str) -> list[object]:
        """A JSON array."""
        value = self._values[key]
        if not isinstance(value, list):
            self.refuse(key, "must be an array")
        return value

    def option(self, key: str, options: type[_E]) -> _E:
        """One of the values of an enumeration."""
        value = self._values[key]
        try:
            return options(value)
        except ValueError:
            self.refuse(key, f"must be one of {', '.join(options)}")

    def option_or_none(self, key: str, options: type[_E]) -> _E | None:
        """One of the values of an enumeration, or null."""
        return None if self._values[key] is None else self.option(key, options)

    def octets(self, key: str, *, unit: int) -> bytes:
        """Bytes written as base64, a whole number of `unit` bytes."""
        value = self._values[key]
        if not isinstance(value, str):
            self.refuse(key, "must be a base64 string")
        try:
            data = binascii.a2b_base64(value, strict_mode=True)
        except ValueError:  # binascii.Error, or a character outside ASCII
            self.refuse(key, "must be valid base64")
        if len(data) % unit:
            self.refuse(key, f"must be a whole number of {unit}-byte values")
        return data

    def octets_or_none(self, key: str, *, unit: int) -> bytes | None:
        """As `octets`, or null."""
        return None if self._values[key] is None else self.octets(key, unit=unit)

    def span(self, *, last_line: int) -> Span:
        """`start` and `end`: lines of the content, in order."""
        start = self.integer("start", least=1, most=last_line)
        return Span(start, self.integer("end", least=start, most=last_line))

    def path(self) -> str:
        """`path`: relative, POSIX, normalised. Control characters are legal, as in git."""
        path = self.text("path")
        if not path or path.startswith("/"):
            self.refuse("path", "must be relative and not empty", code=_PATH_INVALID)
        if len(path.encode()) > PATH_BYTES:
            self.refuse("path", f"must have at most {PATH_BYTES} bytes", code=_PATH_INVALID)
        if not {"", ".", ".."}.isdisjoint(path.split("/")):
            self.refuse("path", "must not hold an empty, . or .. component", code=_PATH_INVALID)
        return path


def are_paths(paths: Sequence[str]) -> bool:
    """Whether `Fields.path` takes all of them: the same rules, over all at once."""
    joined = "\n".join(paths)
    return (
        is_storable(joined)
        and not any(map(_NO_COMPONENT.search, paths))
        and max(len(path.encode()) for path in paths) <= PATH_BYTES
    )


def is_storable(text: str) -> bool:
    """Whether PostgreSQL can store it: JSON's backslash-u escapes may smuggle in half a pair."""
    if "\0" in text:
        return False
    try:
        text.isascii() or text.encode()
    except UnicodeEncodeError:
        return False
    return True
