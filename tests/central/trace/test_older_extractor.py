"""Answers about repositories that an older extractor has read."""

import pytest

from central.repositories.models import Repository
from indexer.pipeline.versions import NEWEST
from tests.central.protocol import api_of
from tests.central.trace.conftest import Ask
from tests.central.trace.corpus import organization_of, pyproject, repository

FILES = {"pyproject.toml": pyproject("acme-shop"), "acme/shop.py": "def score(x):\n    return x\n"}


@pytest.fixture(autouse=True)
def _shops() -> None:
    for name in ("shop", "secret", "cart"):
        repository(name, FILES)
    Repository.objects.update(extractor=str(NEWEST))
    Repository.objects.exclude(name="cart").update(extractor=NEWEST.shared, languages={"python": 1})


def test_it_counts_the_visible_repositories_and_leaves_the_answer_complete(ask: Ask) -> None:
    answer = ask("callers", symbol="score").json()
    assert answer["receipt"]["older_extractor"] == {"count": 2, "sample": ["secret", "shop"]}
    assert answer["receipt"]["complete"]
    assert "2 projects in scope were read by an older extractor" in answer["hint"]


def test_it_counts_none_that_the_credential_does_not_see() -> None:
    api = api_of(organization_of(), repositories=["shop", "cart"])
    answer = api.request("GET", "/api/v1/trace/graph?org_id=acme&symbol=score").json()
    assert answer["receipt"]["older_extractor"] == {"count": 1, "sample": ["shop"]}


@pytest.mark.parametrize(("project", "count"), [("cart", 0), ("shop", 1)])
def test_it_counts_only_what_the_question_is_about(ask: Ask, project: str, count: int) -> None:
    answer = ask("callers", symbol="score", caller_projects=project).json()
    assert answer["receipt"]["older_extractor"]["count"] == count
    assert ("older extractor" in answer["hint"]) == bool(count)


def test_an_index_of_a_newer_indexer_is_not_older(ask: Ask) -> None:
    Repository.objects.update(extractor=str(NEWEST).replace("manifests=", "manifests=9"))
    receipt = ask("callers", symbol="score").json()["receipt"]
    assert receipt["older_extractor"] == {"count": 0, "sample": []}
