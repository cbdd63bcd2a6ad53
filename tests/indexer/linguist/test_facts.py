"""Linguist's facts: where they come from, and that no pattern repeats without a bound."""

import re

import pytest

from indexer.languages import LANGUAGES_BY_NAME, named
from indexer.languages.registry import BY_LINGUIST, TEXT
from indexer.linguist import facts, language_named
from indexer.linguist.strategies import rules_of

_UNBOUNDED = re.compile(r"(?:\\.|\[(?:\\.|[^\]\\])+\]|[^\\*+])*[*+]", re.DOTALL)


def test_the_release_and_its_licence_are_stated() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+", facts().version)
    assert facts().licence.startswith("MIT, Copyright (c) ")


def test_every_language_of_ours_names_languages_of_linguist() -> None:
    assert set(facts().aliases.values()) >= BY_LINGUIST.keys()


@pytest.mark.parametrize("suffix", sorted(facts().rules))
def test_the_patterns_of_a_suffix_have_bounds(suffix: str) -> None:
    assert rules_of(suffix)
    for _, *patterns in facts().rules[suffix]:
        for pattern in (one for some in patterns for one in some):
            assert not _UNBOUNDED.match(pattern)


@pytest.mark.parametrize(
    ("name", "language"),
    [
        ("Python", "Python"),
        ("python3", "Python"),
        ("C++", "C++"),
        ("objective-c++", "Objective-C++"),
        ("Jupyter-Notebook", "Jupyter Notebook"),
        ("sh", "Shell"),
        ("", ""),
        ("no such language", ""),
    ],
)
def test_people_write_names_in_any_case_and_aliases(name: str, language: str) -> None:
    assert language_named(name) == language


def test_a_language_that_is_not_ours_is_text_and_an_unknown_name_is_none() -> None:
    assert named("py") is LANGUAGES_BY_NAME["python"]
    assert named("COBOL") is TEXT
    assert named("nonsense") is None
