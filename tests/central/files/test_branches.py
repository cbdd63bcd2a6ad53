"""Files of a branch over HTTP: what it has, what it lacks, and what is of the default one only."""

from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import override_settings

from central.repositories.models import Branch, Repository
from tests.central.branches import Service
from tests.central.protocol import Api, api_of

pytestmark = pytest.mark.django_db

POLICY = 'branches = ["release/*"]\n'
MAIN = {".codesearch.toml": POLICY, "a.py": "one\n", "kit/b.py": "two\nlines\n"}
RELEASE = {".codesearch.toml": POLICY, "a.py": "three\n", "old/c.py": "one\n"}


@pytest.fixture
def service() -> Service:
    """A repository with a release branch that differs from main."""
    made = Service(api_of())
    made.push("main", MAIN)
    made.push("release/1", RELEASE)
    return made


def ask(api: Api, what: str = "", **query: object) -> Any:
    asked = urlencode({"org_id": "acme", "project": "shop"} | query)
    return api.request("GET", f"/api/v1/files{what}?{asked}")


def paths(service: Service, **query: object) -> list[str]:
    answer = ask(service.api, **query)
    assert answer.status_code == 200, answer.content
    return [found["path"] for found in answer.json()["entries"]]


@pytest.mark.parametrize("ref", ["release/1", "refs/heads/release/1"])
def test_a_branch_has_its_own_files_and_content(service: Service, ref: str) -> None:
    assert paths(service, ref=ref) == ["old", ".codesearch.toml", "a.py"]
    assert paths(service, ref=ref, glob="*.py") == ["a.py", "old/c.py"]
    answer = ask(service.api, "/content", path="a.py", ref=ref).json()
    branch = Branch.objects.get()
    assert (answer["content"], answer["commit"]) == ("three\n", branch.last_indexed_commit)
    [project] = answer["receipt"]["projects"]
    assert (project["ref"], project["commit"]) == ("release/1", branch.last_indexed_commit)


@pytest.mark.parametrize(
    "query", [{}, {"ref": "main"}, {"ref": "refs/heads/main"}, {"ref": "HEAD"}]
)
def test_the_default_branch_is_read_by_any_of_its_names(
    service: Service, query: dict[str, str]
) -> None:
    assert paths(service, **query) == ["kit", ".codesearch.toml", "a.py"]
    answer = ask(service.api, "/content", path="a.py", **query).json()
    assert answer["content"] == "one\n"
    assert answer["receipt"]["projects"][0]["ref"] == "main"


def test_a_file_that_the_branch_lacks_is_not_found(service: Service) -> None:
    answer = ask(service.api, "/content", path="kit/b.py", ref="release/1")
    assert (answer.status_code, answer.json()["code"]) == (404, "file_not_found")
    assert ask(service.api, "/content", path="old/c.py").status_code == 404


@pytest.mark.parametrize("ref", ["release/2", "release/*", "elease/1", "\0", "x" * 255])
def test_a_branch_of_another_name_is_not_found(service: Service, ref: str) -> None:
    for what, path in (("", ""), ("/content", "a.py"), ("/history", "a.py"), ("/blame", "a.py")):
        answer = ask(service.api, what, path=path, ref=ref)
        if ref == "\0" and answer.status_code == 400:
            continue  # a text without NUL
        assert (answer.status_code, answer.json()["code"]) == (404, "branch_not_found"), what
        assert "it has main, release/1" in answer.json()["detail"]


def test_a_branch_that_must_be_indexed_again_says_so(service: Service) -> None:
    Branch.objects.update(default_generation=0)
    answer = ask(service.api, "/content", path="a.py", ref="release/1")
    assert (answer.status_code, answer.json()["code"]) == (404, "branch_not_indexed")


@pytest.mark.parametrize("what", ["/history", "/blame"])
def test_history_and_blame_of_another_branch_are_refused(service: Service, what: str) -> None:
    answer = ask(service.api, what, path="a.py", ref="release/1")
    assert (answer.status_code, answer.json()["code"]) == (400, "branch_not_supported")
    assert "leave ref out" in answer.json()["detail"]
    assert ask(service.api, what, path="a.py", ref="main").status_code == 200


def test_pages_of_a_branch_follow_one_another_and_no_other(service: Service) -> None:
    first = ask(service.api, ref="release/1", limit=1).json()
    [second] = paths(service, ref="release/1", limit=1, cursor=first["next_cursor"])
    assert (first["entries"][0]["path"], second) == ("old", ".codesearch.toml")
    assert ask(service.api, limit=1, cursor=first["next_cursor"]).status_code == 400


@override_settings(PUBLIC_URL="https://search.example")
def test_an_address_on_this_service_names_the_branch(service: Service) -> None:
    Repository.objects.update(web_url="")
    answer = ask(service.api, "/content", path="a.py", ref="release/1").json()
    assert answer["url"] == ("https://search.example/o/acme/r/shop/file/a.py?ref=release%2F1#L1-L1")
