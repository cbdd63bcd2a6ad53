"""Directories and globs over HTTP: entries, pages, and what is refused."""

from typing import Any
from urllib.parse import urlencode

import pytest

from central.repositories.models import Repository
from tests.central.factories import FileFactory, RepositoryFactory
from tests.central.protocol import Api, api_of
from tests.central.refusals import assert_problem

pytestmark = pytest.mark.django_db

PATHS = (
    "README.md",
    "src/kit/signer.py",
    "src/kit/deep/er/signer_test.py",
    "src/kit_100%/a_b.go",
    "src/kit_100%/x.go",
    "srcs/other.py",
    "zeta.py",
)


@pytest.fixture
def api() -> Api:
    """A token of acme."""
    return api_of()


@pytest.fixture
def repository(api: Api) -> Repository:
    """An indexed repository of acme with directories whose names are alike."""
    made: Repository = RepositoryFactory.create(
        organization=api.organization, name="kit", generation=1, last_indexed_commit="c" * 40
    )
    for path in PATHS:
        FileFactory.create(repository=made, path=path, content="x = 1\n", language="python")
    FileFactory.create(repository=made, path="data.bin", skipped="binary", language="", size=9)
    return made


def ask(api: Api, **query: object) -> Any:
    asked = urlencode({"org_id": "acme", "project": "kit"} | query)
    return api.request("GET", f"/api/v1/files?{asked}")


def names(api: Api, **query: object) -> list[str]:
    answer = ask(api, **query)
    assert answer.status_code == 200, answer.content
    return [one["path"] for one in answer.json()["entries"]]


@pytest.mark.usefixtures("repository")
def test_a_directory_has_its_directories_first_and_then_its_files(api: Api) -> None:
    answer = ask(api).json()
    assert [(one["name"], one["type"], one["files"]) for one in answer["entries"]] == [
        ("src", "dir", 4),
        ("srcs", "dir", 1),
        ("README.md", "file", None),
        ("data.bin", "file", None),
        ("zeta.py", "file", None),
    ]
    data = answer["entries"][3]
    assert (data["language"], data["size"], data["skipped"]) == (None, 9, "binary")
    assert answer["receipt"]["projects"][0]["commit"] == "c" * 40
    assert answer["receipt"]["complete"] is True
    assert answer["hint"] is None


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize("path", ["src", "src/", "/src/"])
def test_a_directory_is_not_one_whose_name_begins_alike(api: Api, path: str) -> None:
    assert names(api, path=path) == ["src/kit", "src/kit_100%"]
    assert names(api, path="src/kit_100%") == ["src/kit_100%/a_b.go", "src/kit_100%/x.go"]


@pytest.mark.usefixtures("repository")
def test_a_path_of_a_file_lists_it_alone(api: Api) -> None:
    assert names(api, path="src/kit/signer.py") == ["src/kit/signer.py"]


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize(
    ("glob", "path", "found"),
    [
        ("*.go", "", ["src/kit_100%/a_b.go", "src/kit_100%/x.go"]),
        ("src/**/signer*.py", "", ["src/kit/deep/er/signer_test.py", "src/kit/signer.py"]),
        ("/*.py", "", ["zeta.py"]),
        ("kit/", "", ["src/kit/deep/er/signer_test.py", "src/kit/signer.py"]),
        ("kit/*.py", "src", ["src/kit/signer.py"]),
        ("[rR]*.md", "", ["README.md"]),
        ("*.bin", "", ["data.bin"]),
    ],
)
def test_a_glob_is_one_of_gitignore_from_the_directory(
    api: Api, glob: str, path: str, found: list[str]
) -> None:
    assert names(api, glob=glob, path=path) == found


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize("query", [{}, {"glob": "*"}, {"glob": "*.py", "path": "src"}])
@pytest.mark.parametrize("limit", [1, 2, 3])
def test_pages_together_are_the_whole_answer(api: Api, query: dict[str, str], limit: int) -> None:
    whole = names(api, **query)
    found: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        page = ask(api, **query, limit=limit, **({"cursor": cursor} if cursor else {})).json()
        assert 0 < page["count"] <= limit
        found += [one["path"] for one in page["entries"]]
        cursor = page["next_cursor"]
    assert found == whole


@pytest.mark.usefixtures("repository")
def test_what_is_not_there_is_not_found_with_paths_that_are_near(api: Api) -> None:
    answer = ask(api, path="lib/kit/signer.py")
    assert_problem(answer, 404, "file_not_found")
    assert answer.json()["near"] == ["src/kit/signer.py"]
    assert_problem(ask(api, project="nothing"), 404, "repository_not_found")
    assert_problem(ask(api, project="kit", glob="*.py", path="nowhere"), 404, "file_not_found")


@pytest.mark.usefixtures("repository")
def test_an_empty_answer_says_why(api: Api) -> None:
    assert "no braces" in ask(api, glob="*.{ts,tsx}").json()["hint"]
    assert "No path matches" in ask(api, glob="*.rb").json()["hint"]


def test_a_repository_that_is_not_indexed_says_so(api: Api) -> None:
    RepositoryFactory.create(organization=api.organization, name="kit")
    answer = ask(api).json()
    (missing,) = answer["receipt"]["missing"]
    assert (missing["project"], missing["reason"]) == ("kit", "never_indexed")
    assert answer["hint"] == "Nothing of this repository is indexed yet."


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"limit": 0}, "limit"),
        ({"limit": 1_001}, "limit"),
        ({"limit": "many"}, "limit"),
        ({"globb": "*.py"}, "globb"),
        ({"glob": "!*.py"}, "glob"),
        ({"glob": "# a"}, "glob"),
        ({"glob": "a" * 1_001}, "glob"),
        ({"glob": "?" * 65}, "glob"),
        ({"glob": "a\0b"}, "glob"),
        ({"glob": "[z-a]"}, "glob"),
        ({"path": "a\0b"}, "path"),
        ({"project": ""}, "project"),
        ({"cursor": "nonsense"}, "cursor"),
    ],
)
def test_bad_input_is_refused_by_its_field(api: Api, query: dict[str, object], field: str) -> None:
    answer = ask(api, **query)
    assert_problem(answer, 400, "invalid")
    assert field in answer.json()["detail"]


@pytest.mark.usefixtures("repository")
def test_a_cursor_is_of_its_own_question(api: Api) -> None:
    cursor = ask(api, limit=1).json()["next_cursor"]
    assert_problem(ask(api, limit=1, path="src", cursor=cursor), 400, "invalid")


@pytest.mark.usefixtures("repository")
def test_an_unknown_field_is_told_the_near_one(api: Api) -> None:
    detail = ask(api, globb="x").json()["detail"]
    assert detail == "globb: There is no such field. Did you mean glob?"
