"""The sample: which repositories, at which commits, and in which half each is."""

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from benchmarks.pinned import PinnedRepository

SAMPLE = Path(__file__).with_name("sample.toml")


class Half(StrEnum):
    """Rules and weights are chosen on the first alone; the second says what they are worth."""

    DEVELOPMENT = "development"
    HELD_OUT = "held_out"


@dataclass(frozen=True, slots=True)
class SampleRepository(PinnedRepository):
    """`licence` is its SPDX identifier.

    Subjects of commits are those after `earlier` up to `latest`, asked of `earlier`.
    """

    earlier: str
    latest: str
    half: Half
    language: str
    licence: str

    @property
    def at_earlier(self) -> PinnedRepository:
        """The same repository at the earlier commit."""
        return PinnedRepository(self.name, self.url, self.earlier, self.paths)


def halves(keys: Iterable[tuple[Half, object]]) -> list[Half]:
    """Return the halves that any of the keys begins with."""
    present = {half for half, _ in keys}
    return [half for half in Half if half in present]


def sample() -> list[SampleRepository]:
    """Return the repositories of sample.toml, in its order."""
    content = tomllib.loads(SAMPLE.read_text(encoding="utf-8"))
    return [
        SampleRepository(
            name=row["name"],
            url=row["url"],
            commit=row["commit"],
            paths=tuple(row.get("paths", ())),
            earlier=row["earlier"],
            latest=row["latest"],
            half=Half(row["half"]),
            language=row["language"],
            licence=row["licence"],
        )
        for row in content["repository"]
    ]
