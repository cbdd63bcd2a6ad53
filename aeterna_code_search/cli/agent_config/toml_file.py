"""Edits of TOML, which keep comments and the order."""

from collections.abc import MutableMapping, Sequence
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError


class TomlFile:
    """The text of a file. Raises ValueError if it cannot be read."""

    def __init__(self, text: str) -> None:
        self._text = text
        try:
            self.content: dict[str, Any] = tomlkit.parse(text).unwrap()
        except TOMLKitError as exc:
            raise ValueError(str(exc)) from exc

    def with_member(self, path: Sequence[str], value: object) -> str:
        """Return the text with `value` at `path`; tables on the way are created."""
        *ways, last = path
        document = tomlkit.parse(self._text)
        table: MutableMapping[str, Any] = document
        for key in ways:
            if key not in table:
                table[key] = tomlkit.table(is_super_table=True)
            table = table[key]
            if not isinstance(table, MutableMapping):
                raise ValueError(f"{key} is not a table")
        table[last] = value
        return tomlkit.dumps(document)

    def without_member(self, path: Sequence[str]) -> str:
        """Return the text without the member at `path`, if there is one."""
        *ways, last = path
        document = tomlkit.parse(self._text)
        table: Any = document
        for key in ways:
            if not isinstance(table, MutableMapping) or key not in table:
                return self._text
            table = table[key]
        if not isinstance(table, MutableMapping) or last not in table:
            return self._text
        del table[last]
        return tomlkit.dumps(document)
