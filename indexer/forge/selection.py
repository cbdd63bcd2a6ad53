"""The choice among an owner's repositories: topics, archived, forks, size and names. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, Final

from indexer.errors import ConfigurationError
from indexer.forge.repositories import ForgeRepository
from indexer.globs import PATTERN_WILDCARDS

FORGE_PATTERNS: Final = 100  # of names, and as many topics, in a selection
_LONGEST_PATTERN = 200
_KILOBYTES = 1_024


@dataclass(frozen=True, slots=True)
class Selection:
    """Which repositories are meant. `include` and `exclude` are patterns of names, `*` any text.

    Archived repositories and forks are left out unless they are asked for. A repository needs one
    of `topics`, if any are given.
    """

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    archived: bool = False
    forks: bool = False
    max_megabytes: int | None = None

    @classmethod
    def of(cls, members: Mapping[str, Any]) -> "Selection":
        """Read stored or parsed members; one that is missing has its default."""
        lists = {name: tuple(members.get(name, ())) for name in ("include", "exclude", "topics")}
        return cls(
            **lists,
            archived=members.get("archived", False),
            forks=members.get("forks", False),
            max_megabytes=members.get("max_megabytes"),
        )

    def check(self) -> None:
        """Raise ConfigurationError for patterns beyond the limits."""
        for name, words in (
            ("include", self.include),
            ("exclude", self.exclude),
            ("topics", self.topics),
        ):
            if len(words) > FORGE_PATTERNS:
                raise ConfigurationError(f"{name}: at most {FORGE_PATTERNS} are possible")
            for word in words:
                _check_pattern(name, word)
        if self.max_megabytes is not None and self.max_megabytes < 1:
            raise ConfigurationError("the largest size is a number of megabytes above 0")

    def reason_against(self, repository: ForgeRepository) -> str:
        """Return why the repository is left out; "" if it is chosen."""
        checks = (
            (self._is_named(repository.name), "its name is not chosen"),
            (self.archived or not repository.archived, "archived"),
            (self.forks or not repository.fork, "a fork"),
            (self._has_topic(repository.topics), "it has none of the topics"),
            (self._is_small(repository.kilobytes), f"larger than {self.max_megabytes} MB"),
        )
        return next((why for holds, why in checks if not holds), "")

    def _is_named(self, name: str) -> bool:
        if _fits(name, self.exclude):
            return False
        return not self.include or _fits(name, self.include)

    def _has_topic(self, topics: Sequence[str]) -> bool:
        return not self.topics or not set(self.topics).isdisjoint(topics)

    def _is_small(self, kilobytes: int) -> bool:
        return self.max_megabytes is None or kilobytes <= self.max_megabytes * _KILOBYTES


def _fits(name: str, patterns: Sequence[str]) -> bool:
    """Compare without case, as the forge does."""
    return any(fnmatchcase(name.lower(), pattern.lower()) for pattern in patterns)


def _check_pattern(name: str, word: str) -> None:
    is_long = len(word) > _LONGEST_PATTERN or word.count("*") > PATTERN_WILDCARDS
    if not word or is_long or not word.isprintable():
        raise ConfigurationError(
            f"{name}: '{word[:50]}' must have 1 to {_LONGEST_PATTERN} printable characters and at "
            f"most {PATTERN_WILDCARDS} wildcards"
        )
