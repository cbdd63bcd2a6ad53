"""Compact rows: JSON arrays whose values stand in a fixed order, checked column by column.

A file has hundreds of references. One check over a column costs about as much as one over a value,
so the values are looked at one by one, as the fields of an object, only where a column is bad.
"""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Any, TypeVar

from indexer.errors import BundleError
from tests.indexer.bundle.old_format.fields import Fields, is_storable

_E = TypeVar("_E", bound=StrEnum)


class Rows:
    """The array `key` of `fields`, whose items are arrays with a value for each of `columns`."""

    __slots__ = ("_columns", "_key", "_rows", "_values", "_where")

    def __init__(self, fields: Fields, key: str, *, columns: tuple[str, ...]) -> None:
        self._where = fields.where
        self._key = key
        self._columns = columns
        self._rows = fields.items(key)
        width = len(columns)
        for index, row in enumerate(self._rows):
            if type(row) is not list or len(row) != width:
                raise BundleError(f"{self._place(index)}: must be an array of {width} values")
        values: list[tuple[Any, ...]] = list(zip(*self._rows, strict=True))
        self._values = dict(zip(columns, values or [()] * width, strict=True))

    def texts(self, column: str, *, most: int) -> Sequence[str]:
        """Strings of at most `most` characters that PostgreSQL can store as UTF-8 text."""
        values = self._values[column]
        if (
            _are(values, str)
            and max(map(len, values), default=0) <= most
            and is_storable("".join(values))
        ):
            return values
        return [fields.text(column, most=most) for fields in self._one_by_one()]

    def short_texts(self, column: str, *, most_bytes: int) -> Sequence[str]:
        """As `texts`, bounded in bytes of UTF-8: what an index entry must have room for."""
        values = self.texts(column, most=most_bytes)
        if "".join(values).isascii():
            return values
        for index, value in enumerate(values):
            if len(value.encode()) > most_bytes:
                raise BundleError(
                    f"{self._place(index)}: {column} must have at most {most_bytes} bytes"
                )
        return values

    def integers(self, column: str, *, least: int, most: int) -> Sequence[int]:
        """JSON integers within bounds; true and 1.0 are none."""
        values = self._values[column]
        if _are(values, int) and (not values or least <= min(values) <= max(values) <= most):
            return values
        return [fields.integer(column, least=least, most=most) for fields in self._one_by_one()]

    def booleans(self, column: str) -> Sequence[bool]:
        """True or false."""
        values = self._values[column]
        if _are(values, bool):
            return values
        return [fields.boolean(column) for fields in self._one_by_one()]

    def options(self, column: str, options: type[_E]) -> Sequence[_E]:
        """Values of an enumeration."""
        known = {str(option): option for option in options}
        try:
            return [known[value] for value in self._values[column]]
        except (KeyError, TypeError):  # unknown, or of a type that is no key
            return [fields.option(column, options) for fields in self._one_by_one()]

    def _one_by_one(self) -> Iterator[Fields]:
        keys = frozenset(self._columns)
        for index, row in enumerate(zip(*self._values.values(), strict=True)):
            yield Fields(
                dict(zip(self._columns, row, strict=True)), keys=keys, where=self._place(index)
            )

    def _place(self, index: int) -> str:
        return f"{self._where}: {self._key}[{index}]"


def _are(values: Sequence[object], kind: type) -> bool:
    return set(map(type, values)) <= {kind}
