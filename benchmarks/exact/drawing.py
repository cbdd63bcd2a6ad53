"""Queries and lines drawn from indexed text by a fixed seed, never chosen by hand."""

import re
from collections.abc import Sequence
from pathlib import PurePosixPath
from random import Random

from benchmarks.exact.corpus import IndexedFile
from benchmarks.exact.queries import LANGUAGES, Field, Filter, Kind, Query

SEED = 19
_WORD = re.compile(r"[A-Za-z_]\w{3,30}")
_LEAST_LINE, _MOST_LINE = 8, 400  # characters
_FILTERED = 0.5  # of the queries have a filter
_NEGATED = 0.25  # of the filters


class Drawing:
    """Draws from files; the same files give the same queries."""

    def __init__(self, files: Sequence[IndexedFile], seed: int = SEED) -> None:
        self._random = Random(seed)  # noqa: S311  (nothing secret)
        self._files = [file for file in files if _WORD.search(file.content) and lines_of(file)]
        projects: dict[str, list[IndexedFile]] = {}
        for file in self._files:
            projects.setdefault(file.project, []).append(file)
        self._projects = list(projects.values())

    def queries(self, count: int) -> list[Query]:
        """Return queries of every kind in turn."""
        kinds = list(Kind)
        return [self.query(kinds[number % len(kinds)]) for number in range(count)]

    def query(self, kind: Kind) -> Query:
        """Return a query that matches at least in the file that it is drawn from."""
        file = self._file()
        text = self._text(kind, file)
        case = self._random.choice(("yes", "no", "auto"))
        filters = ()
        if self._random.random() < _FILTERED:
            filters = (self._filter(file),)
        return Query(kind, text, case, filters)

    def lines(self, count: int) -> list[tuple[IndexedFile, str]]:
        """Return lines without the space around them, each with its file."""
        files = [self._file() for _ in range(count)]
        return [(file, self._random.choice(lines_of(file))) for file in files]

    def _file(self) -> IndexedFile:
        """Return a file of any project: else the largest one would have most."""
        return self._random.choice(self._random.choice(self._projects))

    def _text(self, kind: Kind, file: IndexedFile) -> str:
        if kind is Kind.LINE:
            return self._random.choice(lines_of(file))
        word = self._word(file)
        match kind:
            case Kind.IDENTIFIER:
                return word
            case Kind.PREFIX:
                return self._random.choice((rf"\b{word}\b", rf"\w+{word[:5]}", rf"{word}\s*[(=:]"))
            case Kind.START:
                return self._random.choice((rf"^\s*{word}", rf"^{word}", rf"^[ \t]+{word[:6]}\w*"))
            case Kind.END:
                return self._random.choice((rf"{word}$", rf"[A-Z]\w+{word[-4:]}$", rf"{word}\W*$"))
            case Kind.CLASSES:
                return self._random.choice(
                    (rf"[A-Za-z_]+{word[-5:]}[0-9]?", rf"[^a-z]{word}", rf"{word}[^\w\s]{{2,}}")
                )
        return rf"({word}|{self._word(self._file())})\("

    def _word(self, file: IndexedFile) -> str:
        return self._random.choice(_WORD.findall(file.content))

    def _filter(self, file: IndexedFile) -> Filter:
        path = PurePosixPath(file.path)
        values = {
            Field.DIRECTORY: f"{path.parts[0]}/" if len(path.parts) > 1 else path.name,
            Field.SUFFIX: path.suffix if re.fullmatch(r"\.\w+", path.suffix) else "",
            Field.LANGUAGE: file.language if file.language in LANGUAGES else "",
            Field.PROJECT: file.project,
        }
        field = self._random.choice([one for one in Field if values[one]])
        return Filter(field, values[field], self._random.random() < _NEGATED)


def lines_of(file: IndexedFile) -> list[str]:
    """Return the lines of a file that can be a query, without the space around them."""
    stripped = (line.strip() for line in file.content.split("\n"))
    return [
        line for line in stripped if _LEAST_LINE <= len(line) <= _MOST_LINE and line.isprintable()
    ]
