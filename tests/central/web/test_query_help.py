"""The help page, the document and the parser say the same of the query language."""

import re
from pathlib import Path

import pytest
from django.test import Client

from central.query.filters import CASE, NAMES_OF_COMMITS, TYPES, FilterName
from central.query.modes import TEXT_MODES
from central.query.parser import parse
from central.web.query_help import EXAMPLES, FILTERS, MODES, RULES, TERMS
from tests.central.factories import MembershipFactory

DOCUMENT = Path(__file__).parents[3] / "docs/reference/query.md"
CODE = re.compile(r"`([^`]+)`")


def table(heading: str) -> list[list[str]]:
    """The cells of the first table below a heading, without its head."""
    section = DOCUMENT.read_text(encoding="utf-8").partition(f"\n## {heading}\n")[2]
    rows = re.search(r"^\|.*(?:\n\|.*)*", section, re.MULTILINE)
    assert rows
    cells = [re.split(r"(?<!\\)\|", row)[1:-1] for row in rows[0].splitlines()[2:]]
    return [[cell.strip().replace("\\|", "|") for cell in row] for row in cells]


def test_terms_filters_and_modes_are_those_of_the_document() -> None:
    assert table("Terms") == [list(term) for term in TERMS]
    assert table("Filters") == [[one.name, one.others, one.value] for one in FILTERS]
    assert table("Modes") == [[f"`{mode.name}`", mode.meaning] for mode in MODES]


def test_filters_types_and_modes_are_those_of_the_parser() -> None:
    names = {
        name.rstrip(":"): one.name.strip("`:")
        for one in FILTERS
        for name in CODE.findall(f"{one.name} {one.others}")
    }
    assert names == NAMES_OF_COMMITS
    [types] = [one for one in FILTERS if one.name == f"`{FilterName.TYPE}:`"]
    assert set(CODE.findall(types.value)) == TYPES
    [case] = [one for one in FILTERS if one.name == f"`{CASE}:`"]
    for value in CODE.findall(case.value):
        parse(f"case:{value} x")
    assert [mode.name for mode in MODES] == list(TEXT_MODES)


@pytest.mark.parametrize(
    "text",
    [
        *(text for text, _ in EXAMPLES),
        *(one.example for one in FILTERS),
        *(code for term in TERMS for code in CODE.findall(term.example) if "…" not in code),
    ],
)
def test_an_example_can_be_read_and_is_what_it_says(text: str) -> None:
    assert str(parse(str(parse(text)))) == str(parse(text))


@pytest.mark.django_db
def test_the_page_has_all_of_it_and_examples_lead_to_their_search(client: Client) -> None:
    member = MembershipFactory.create(organization__slug="acme")
    client.force_login(member.user)
    html = client.get("/o/acme/query").content.decode()
    for one in FILTERS:
        assert f"<code>{one.name.strip('`')}</code>" in html
    assert "<code>/func (New|Make)\\w+/</code>" in html
    assert html.count("<li>") >= len(RULES)
    addresses = re.findall(r'href="(/o/acme/\?q=[^"]*)" data-result', html)
    assert len(addresses) == len(EXAMPLES) + len(FILTERS)
    for address in addresses:
        assert client.get(address).status_code == 200, address
