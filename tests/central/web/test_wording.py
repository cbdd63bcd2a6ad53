"""What services say to programs is said to people in the words of the pages."""

import re
from pathlib import Path

import pytest
from django.test import Client

import central
from central.web.messages import _ON_PAGES, for_people
from tests.central.factories import MembershipFactory

SERVICES = Path(central.__file__).parent
NAMES_OF_THE_API = re.compile(r"receipt|/api/|credential|\btoken\b|mode=|confidence=|POST")


@pytest.mark.django_db
@pytest.mark.parametrize(
    "address",
    [
        "?q=retry&project=nope",
        "?q=retry",
        "symbol?name=nowhere",
        "graph?name=nowhere",
        "r/nope",
        "r/nope/violations",
        "knowledge/ADR-99",
        "knowledge/code:no/where.py",
        "knowledge?project=nope",
        "runs/5a0c7a0e-0b1e-4f0e-9a53-111111111111",
    ],
)
def test_what_is_not_there_is_told_without_names_of_the_api(client: Client, address: str) -> None:
    client.force_login(MembershipFactory(organization__slug="acme").user)
    html = client.get(f"/o/acme/{address}").content.decode()
    main = re.sub(r"<[^>]*>", "", html.partition("<main")[2].partition("</main>")[0])
    assert NAMES_OF_THE_API.search(main) is None


def test_each_replacement_is_of_something_that_a_service_says() -> None:
    sources = "".join(path.read_text() for path in SERVICES.rglob("*.py"))
    said = re.sub(r'"\s+f?"', "", sources)  # one sentence on several lines
    assert [name for name in _ON_PAGES if said.count(name) < 2] == []


def test_other_text_stays_as_it_is() -> None:
    assert for_people("No chunk holds these words.") == "No chunk holds these words."
