"""The choice among an owner's repositories."""

from typing import Any

import pytest

from indexer.errors import ConfigurationError
from indexer.forge.repositories import ForgeRepository
from indexer.forge.selection import FORGE_PATTERNS, Selection
from indexer.globs import PATTERN_WILDCARDS


def repository(**changes: Any) -> ForgeRepository:
    plain: dict[str, Any] = {
        "id": 1,
        "owner_id": 2,
        "owner": "acme",
        "name": "shop-api",
        "default_branch": "main",
        "visibility": "private",
    }
    return ForgeRepository(**(plain | changes))


@pytest.mark.parametrize(
    ("selection", "changes", "why"),
    [
        ({}, {}, ""),
        ({}, {"archived": True}, "archived"),
        ({"archived": True}, {"archived": True}, ""),
        ({}, {"fork": True}, "a fork"),
        ({"forks": True}, {"fork": True}, ""),
        ({"include": ("shop-*",)}, {}, ""),
        ({"include": ("SHOP-*",)}, {}, ""),
        ({"include": ("cart",)}, {}, "its name is not chosen"),
        ({"include": ("shop-*",), "exclude": ("*-api",)}, {}, "its name is not chosen"),
        ({"topics": ("go", "web")}, {"topics": ("web",)}, ""),
        ({"topics": ("go",)}, {"topics": ("web",)}, "it has none of the topics"),
        ({"max_megabytes": 1}, {"kilobytes": 1_024}, ""),
        ({"max_megabytes": 1}, {"kilobytes": 1_025}, "larger than 1 MB"),
    ],
)
def test_a_repository_is_chosen_or_left_out_with_the_reason(
    selection: dict[str, Any], changes: dict[str, Any], why: str
) -> None:
    assert Selection(**selection).reason_against(repository(**changes)) == why


@pytest.mark.parametrize(
    "selection",
    [
        {"include": ("a",) * (FORGE_PATTERNS + 1)},
        {"exclude": ("",)},
        {"topics": ("a" * 201,)},
        {"include": ("*" * (PATTERN_WILDCARDS + 1),)},
        {"include": ("a\n",)},
        {"max_megabytes": 0},
    ],
)
def test_patterns_beyond_the_limits_are_refused(selection: dict[str, Any]) -> None:
    with pytest.raises(ConfigurationError):
        Selection(**selection).check()
