"""Counts to click: the filter that a click adds, and the search without it."""

from urllib.parse import parse_qs

import pytest
from django.http import QueryDict
from hypothesis import given
from hypothesis import strategies as st

from aeterna_code_search.contract.search import FacetCount, Facets
from central.query.parser import parse
from central.web.result_facets import FacetRow, facet_rows
from central.web.search_form import parse_search

FACETS = Facets(
    3,
    False,
    [FacetCount("common-utils", 2), FacetCount("go-kit", 1)],
    [FacetCount("go", 2), FacetCount("python", 1)],
    [FacetCount("src/a b/", 2), FacetCount("src/c+/", 1)],
    [FacetCount("@acme/web", 2), FacetCount("none", 1)],
)


def rows(address: str, facets: Facets | None = FACETS) -> dict[str, FacetRow]:
    asked = parse_search(QueryDict(address), organization="acme")
    return {row.title: row for row in facet_rows(asked, facets)}


def clicked(address: str, kind: str, value: str) -> str:
    (link,) = [one for one in rows(address)[kind].links if one.value == value]
    return link.address.removeprefix("?")


@pytest.mark.parametrize(
    "address", ["q=retry", "q=%22a+b%22", "q=a.b&mode=regex", "q=f($A)&mode=structural"]
)
@pytest.mark.parametrize(
    ("kind", "value"),
    [
        ("Repository", "common-utils"),
        ("Language", "go"),
        ("Directory", "src/a b/"),
        ("Directory", "src/c+/"),
        ("Owner", "@acme/web"),
        ("Owner", "none"),
    ],
)
def test_a_click_adds_the_filter_and_a_second_one_removes_it(
    address: str, kind: str, value: str
) -> None:
    narrowed = clicked(address, kind, value)
    (link,) = [one for one in rows(narrowed)[kind].links if one.value == value]
    assert link.is_chosen
    assert rows(narrowed)[kind].links[0] == link, "what is chosen comes first"
    assert parse_qs(link.address.removeprefix("?")) == parse_qs(address)


def test_filters_of_different_kinds_are_added_to_each_other() -> None:
    address = clicked("q=retry", "Language", "go")
    address = clicked(address, "Repository", "go-kit")
    (text,) = parse_qs(clicked(address, "Directory", "src/c+/"))["q"]
    assert str(parse(text)) == text == "file:/^src\\/c\\+\\// repo:/^go-kit$/ lang:go retry"


def test_fields_of_the_form_are_chosen_values_too() -> None:
    address = "q=retry&project=go-kit&language=go&path=src/"
    for kind, value, name in (
        ("Repository", "go-kit", "project"),
        ("Language", "go", "language"),
        ("Directory", "src/", "path"),
    ):
        (link,) = [one for one in rows(address)[kind].links if one.is_chosen]
        assert link.value == value
        assert name not in parse_qs(link.address.removeprefix("?"))


def test_a_filter_that_a_person_wrote_otherwise_is_no_value_to_remove() -> None:
    found = rows("q=repo:kit+-lang:go+file:/x$/+retry")
    assert not any(one.is_chosen for row in found.values() for one in row.links)


def test_where_there_is_nothing_to_choose_there_is_no_row() -> None:
    same = Facets(1, False, [FacetCount("a", 1)], [FacetCount("go", 1)], [], [])
    assert rows("q=retry", same) == {}
    assert rows("q=retry", None) == {}
    assert rows("q=%22open") == {}


@given(st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), min_size=1))
def test_any_name_is_found_again(name: str) -> None:
    facets = Facets(2, False, [FacetCount(name, 1), FacetCount("x" * 99, 1)], [], [], [])
    narrowed = [
        one.address for one in rows("q=retry", facets)["Repository"].links if one.value == name
    ]
    for address in narrowed:
        found = rows(address.removeprefix("?"), facets)["Repository"].links[0]
        assert (found.value, found.is_chosen) == (name, True)
