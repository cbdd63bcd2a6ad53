"""What services say to programs is said to people in the words of the pages."""

import re
from pathlib import Path

import pytest
from django.test import Client

import central
from central.sentences import Sentence
from central.web.messages import SENTENCES, for_people
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


def test_each_template_is_of_a_sentence_that_a_service_says() -> None:
    sources = "".join(path.read_text() for path in SERVICES.rglob("*.py"))
    assert [code for code in SENTENCES if sources.count(f'"{code}"') < 2] == []


def test_a_sentence_has_other_words_for_people_and_other_text_stays_as_it_is() -> None:
    fact = Sentence.of("may_lack", "{count} {noun}: see receipt.missing.", count=2, noun="projects")
    advice = Sentence.of("unknown_to_pages", "Wait {{a}} moment.")
    assert for_people(Sentence.joined([fact, advice])) == (
        "2 projects in scope may lack something, as said above. Wait {a} moment."
    )
    assert for_people("No chunk holds these words.") == "No chunk holds these words."
