"""Linguist's facts: names, suffixes, interpreters and patterns of languages."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

Names = Sequence[str]


@dataclass(frozen=True, slots=True)
class Facts:
    """Languages by alias, file name, interpreter and suffix. Aliases and suffixes are lower case.

    `rules` are as in the file: languages, patterns that must be found, patterns that must not.
    """

    version: str
    licence: str
    aliases: Mapping[str, str]
    file_names: Mapping[str, Names]
    interpreters: Mapping[str, Names]
    suffixes: Mapping[str, Names]
    generic_suffixes: Names
    rules: Mapping[str, Sequence[tuple[Names, Names, Names]]]


class Rule:
    """Languages whose files have each of some patterns and none of others."""

    def __init__(self, languages: Names, present: Names, absent: Names) -> None:
        self.languages: Final = languages
        self._present = [re.compile(pattern.encode(), re.MULTILINE) for pattern in present]
        self._absent = [re.compile(pattern.encode(), re.MULTILINE) for pattern in absent]

    def fits(self, content: bytes) -> bool:
        """Whether the rule is met."""
        return all(pattern.search(content) for pattern in self._present) and not any(
            pattern.search(content) for pattern in self._absent
        )


@cache
def facts() -> Facts:
    """Return the facts of the release that `version` names."""
    text = Path(__file__).with_name("data.json").read_text("utf-8")
    found: dict[str, Any] = json.loads(text)
    return Facts(**found)


@cache
def rules_of(suffix: str) -> tuple[Rule, ...]:
    """Return the rules that decide between the languages of a suffix, in order."""
    return tuple(Rule(*rule) for rule in facts().rules.get(suffix, ()))


def language_named(name: str) -> str:
    """Return the language with a name or alias, as people write it; "" if there is none."""
    if not name:  # of most files: the data is not loaded
        return ""
    aliases = facts().aliases
    name = name.lower()
    return aliases.get(name) or aliases.get(name.partition(",")[0], "")
