"""The extractor of a run: the version of all that a record of a file depends on, but the file.

It has parts, so that a change of one language reads again the files of that language.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final, Self

from indexer.records.files import FileRecord
from indexer.records.languages import EMBEDDED_LANGUAGES

# The parts that are no language.
HOSTS: Final = "hosts"  # files that hold code of other languages
MANIFESTS: Final = "manifests"  # files with a manifest
SELECTION: Final = "selection"  # skipped files
EVERYTHING: Final = "everything"  # what all files share, if that is older

_NUMBERS: Final = re.compile(r"aeterna-([0-9]+(?:[.][0-9]+)*)(?:-.*)?")
# Ends the text of a record whose language another file declares. No run has it, so that a full run
# reads the file again, whatever the other file says now.
_DECLARED: Final = "declared"


@dataclass(frozen=True, slots=True)
class Extractor:
    """`shared` concerns every file; `versions` are those of the parts that changed since it did.

    As text `aeterna-1 go=2 manifests=3`, at most 200 characters: a service that knows no parts
    compares it as a whole.
    """

    shared: str
    versions: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read it; a text of another form is all `shared`."""
        shared, *parts = text.split(" ")
        if not all("=" in part for part in parts):
            return cls(text)
        return cls(shared, dict(part.split("=", 1) for part in parts))

    def __str__(self) -> str:
        return self._text(self.versions)

    def of_record(self, record: FileRecord) -> str:
        """Return the text that has the parts alone on which the record depends."""
        text = self._text(
            [
                *_parts(record.language),
                *([MANIFESTS] if record.manifest else []),
                *([SELECTION] if record.skipped else []),
            ]
        )
        return f"{text} {_DECLARED}" if record.language_declared else text

    def older_parts(self, newest: Self) -> tuple[str, ...]:
        """Return the parts whose version is lower than in `newest`; () if no number says so.

        EVERYTHING alone if it is that of what all files share. Other releases of grammars, and
        texts of another form, have no order.
        """
        if self.shared != newest.shared:
            ours, other = _numbers(self.shared), _numbers(newest.shared)
            return (EVERYTHING,) if ours and ours < other else ()
        return tuple(
            part
            for part, version in newest.versions.items()
            if _is_lower(self.versions.get(part, "1"), version)
        )

    def changed_parts(self) -> dict[str, str]:
        """Return the text of the changed parts on which files of each language depend.

        Also that of each other part, by its own name. Without a change there is none.
        """
        names = {*self.versions, *EMBEDDED_LANGUAGES}
        texts = {name: " ".join(self._changed(_parts(name))) for name in sorted(names)}
        return {name: text for name, text in texts.items() if text}

    def _text(self, names: Iterable[str]) -> str:
        return " ".join([self.shared, *self._changed(names)])

    def _changed(self, names: Iterable[str]) -> list[str]:
        return [f"{name}={self.versions[name]}" for name in names if name in self.versions]


def depends_on(language: str, part: str) -> bool:
    """Whether files of a language depend on a part."""
    return part in _parts(language)


def _parts(language: str) -> tuple[str, ...]:
    """Return the parts on which files of a language depend; a part's own name for any other."""
    embedded = EMBEDDED_LANGUAGES.get(language)
    return (language,) if embedded is None else (HOSTS, *embedded)


def _numbers(shared: str) -> list[int]:
    found = _NUMBERS.fullmatch(shared)
    return [int(number) for number in found[1].split(".")] if found else []


def _is_lower(left: str, other: str) -> bool:
    return left.isdecimal() and other.isdecimal() and int(left) < int(other)
