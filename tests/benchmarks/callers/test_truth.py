"""What is true of a family, from its sites."""

from dataclasses import replace
from pathlib import Path

from benchmarks.callers.truth import load, save
from tests.benchmarks.callers.tiny import CACHE, CACHE_GET, OPEN, SITES, STORE, STORE_GET, TRUTH


def test_a_caller_calls_or_hands_over() -> None:
    assert [site.line for site in TRUTH.callers[OPEN]] == [7, 9, 10]


def test_a_mention_lists_a_definition_or_calls_a_variable_that_holds_it() -> None:
    assert [site.line for site in TRUTH.mentions[OPEN]] == [11, 13]


def test_inheriting_is_a_call_of_the_class() -> None:
    assert [site.kind for site in TRUTH.callers[STORE]] == ["inherit", "call"]


def test_names_alone_find_every_call_of_that_name_but_no_argument() -> None:
    assert [site.line for site in TRUTH.calls_by_name["open"]] == [7, 8, 9]


def test_a_method_overrides_those_of_the_bases() -> None:
    assert TRUTH.overridden(CACHE_GET) == {STORE_GET}
    assert TRUTH.overridden(STORE_GET) == set()
    assert TRUTH.overridden(STORE) == set()


def test_a_type_may_implement_an_interface_without_naming_it() -> None:
    nameless = replace(TRUTH, sites=SITES[1:])
    assert nameless.overridden(CACHE_GET) == set()
    assert replace(nameless, implemented=((CACHE, STORE),)).overridden(CACHE_GET) == {STORE_GET}


def test_what_is_saved_is_loaded(tmp_path: Path) -> None:
    unread = frozenset({("lib", "lib/windows.py")})
    more = {"unread": unread, "implemented": ((CACHE, STORE),), "is_partial": True}
    for truth in (TRUTH, replace(TRUTH, **more)):
        save(truth, tmp_path / "truth.json.gz")
        assert load(tmp_path / "truth.json.gz") == truth
