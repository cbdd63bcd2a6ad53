"""The sample: families of public repositories, at which commits, and what of them is taken."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks import pinned
from benchmarks.pinned import PinnedRepository

FAMILIES = Path(__file__).with_name("families.toml")


@dataclass(frozen=True, slots=True)
class Repository(PinnedRepository):
    """`packages` are the directories of what it publishes."""

    packages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Family:
    """Repositories of one `language` that use one another.

    `held_out`: no rule is tuned on it, so it is measured only when it is asked for by name.
    `tools` and `libraries` are what the truth needs from the language's package registry: the
    tool itself, and the types of what the sample builds on.
    """

    name: str
    language: str
    held_out: bool
    tools: tuple[str, ...]
    libraries: tuple[str, ...]
    repositories: tuple[Repository, ...]


def families() -> dict[str, Family]:
    """What families.toml says, by name. A family without a `language` is named as it."""
    content = tomllib.loads(FAMILIES.read_text(encoding="utf-8"))
    return {name: _family(name, table) for name, table in content.items()}


def _family(name: str, table: dict[str, Any]) -> Family:
    repositories = []
    for row in table["repositories"]:
        paths = (
            (*row["packages"], *row["further"], *table["root_files"]) if "further" in row else ()
        )
        url = f"{row.get('host', table['host'])}/{row['name']}"
        repositories.append(
            Repository(row["name"], url, row["commit"], paths, tuple(row.get("packages", ())))
        )
    return Family(
        *(name, table.get("language", name), table.get("held_out", False)),
        *(tuple(table["tools"]), tuple(table["libraries"]), tuple(repositories)),
    )


def lay_out(family: Family, workspace: Path, *, clones: Path | None, cache: Path) -> None:
    """Make `workspace/<name>` for each repository, as `pinned.lay_out` does."""
    for repository in family.repositories:
        pinned.lay_out(repository, workspace, clones=clones, cache=cache)
