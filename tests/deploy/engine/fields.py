"""Fields of a manifest, each of which must be read, and quantities as Kubernetes writes them."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

_SUFFIX = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "m": 0.001, "": 1}


class UnknownFieldError(Exception):
    """The chart renders something that is not translated; the message names it."""


class Fields:
    """A mapping of a manifest, of which every field must be taken."""

    def __init__(self, mapping: Mapping[str, Any], where: str) -> None:
        self._left = dict(mapping)
        self.where = where

    def take(self, name: str, default: Any = None) -> Any:
        """The value of a field, or `default`."""
        return self._left.pop(name, default)

    def expect(self, name: str, *values: Any) -> None:
        """Take a field that may only have these values."""
        if (value := self.take(name)) not in values:
            raise UnknownFieldError(f"{self.where}.{name}: {value!r}")

    def end(self) -> None:
        """Raise UnknownFieldError if something was not taken."""
        if self._left:
            raise UnknownFieldError(f"{self.where}: {', '.join(sorted(self._left))}")


@contextmanager
def fields_of(mapping: Mapping[str, Any] | None, where: str) -> Iterator[Fields]:
    """The fields of `mapping`, all of which must be taken within the block."""
    fields = Fields(mapping or {}, where)
    yield fields
    fields.end()


def quantity(text: str | int) -> float:
    """A quantity as Kubernetes writes it: 500m, 768Mi, 2."""
    found = re.fullmatch(r"([0-9.]+)(Ki|Mi|Gi|m|)", str(text))
    if not found:
        raise UnknownFieldError(f"quantity {text!r}")
    return float(found[1]) * _SUFFIX[found[2]]
