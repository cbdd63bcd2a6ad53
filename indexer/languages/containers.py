"""The parts of a language's generic types: `dict[str, Item]` has Item at ELEMENT, and at `values`,
CALLED, EACH.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final, TypeAlias

from indexer.records.references import CALLED, EACH, ELEMENT, NAMED

PartPath: TypeAlias = tuple[str, ...]

_UNNAMED: Final = frozenset({"", ELEMENT, NAMED, EACH, CALLED})
_ENTRY = re.compile(r"[\w ]+:[^:]*(?=\n|$)")


def is_name(part: str) -> bool:
    """Whether a part is a member that a program can name."""
    return part not in _UNNAMED and not part.isdigit()


class Containers(Mapping[str, tuple[tuple[PartPath, int], ...]]):
    """A language's generic types by name: paths to parts, each with its argument's number.

    Calls of `same_methods` give what has the same parts, such as an iterator; those of
    `item_methods` an item. Compared by identity, so that answers can be kept.
    """

    def __init__(self, table: str, *, same_methods: str = "", item_methods: str = "") -> None:
        """Read entries such as `dict Mapping: []=1 *=0 values.().*=1`; -1 is the last argument."""
        self.same_methods = frozenset(same_methods.split())
        self.item_methods = frozenset(item_methods.split())
        self._shapes: dict[str, tuple[tuple[PartPath, int], ...]] = {}
        for entry in _ENTRY.findall(table):
            heads, _, parts = entry.partition(":")
            shape = tuple(
                (tuple(path.split(".")), int(number))
                for path, _, number in (part.partition("=") for part in parts.split())
            )
            self._shapes |= dict.fromkeys(heads.split(), shape)

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other

    def __getitem__(self, head: str) -> tuple[tuple[PartPath, int], ...]:
        return self._shapes[head]

    def __iter__(self) -> Iterator[str]:
        return iter(self._shapes)

    def __len__(self) -> int:
        return len(self._shapes)


NO_CONTAINERS: Final = Containers("")
