"""The sample: which repositories, at which commits."""

import tomllib
from pathlib import Path

from benchmarks.pinned import PinnedRepository

SAMPLE = Path(__file__).with_name("sample.toml")


def sample() -> list[PinnedRepository]:
    """Return what sample.toml says, in its order."""
    content = tomllib.loads(SAMPLE.read_text(encoding="utf-8"))
    return [
        PinnedRepository(row["name"], row["url"], row["commit"], ())
        for row in content["repository"]
    ]
