"""Lines of a file over HTTP: which ones, how many, and why there are none."""

from typing import Any
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from central.files.content import FILE_ANSWER_BYTES, lines_of
from central.repositories.models import Repository
from central.tenancy.models import ApiToken
from tests.central.factories import FileFactory, MembershipFactory, RepositoryFactory
from tests.central.protocol import Api, api_of
from tests.central.refusals import assert_problem

TEXT = st.text(alphabet="ab\n\r\u2028é", max_size=40)


@pytest.fixture
def api(db: None) -> Api:
    """A token of acme."""
    return api_of()


@pytest.fixture
def repository(api: Api) -> Repository:
    """An indexed repository of acme."""
    made: Repository = RepositoryFactory.create(
        organization=api.organization,
        name="kit",
        generation=1,
        last_indexed_commit="c" * 40,
        web_url="https://forge.example/acme/kit",
    )
    FileFactory.create(repository=made, path="src/a.py", content="one\ntwo\nthree\n")
    return made


def ask(api: Api, **query: object) -> Any:
    asked = urlencode({"org_id": "acme", "project": "kit", "path": "src/a.py"} | query)
    return api.request("GET", f"/api/v1/files/content?{asked}")


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize(
    ("query", "content", "lines"),
    [
        ({}, "one\ntwo\nthree\n", (1, 3)),
        ({"start_line": 2}, "two\nthree\n", (2, 3)),
        ({"start_line": 2, "end_line": 2}, "two\n", (2, 2)),
        ({"end_line": 99}, "one\ntwo\nthree\n", (1, 3)),
    ],
)
def test_the_lines_that_are_asked_for(
    api: Api, query: dict[str, int], content: str, lines: tuple[int, int]
) -> None:
    answer = ask(api, **query).json()
    assert answer["content"] == content
    assert (answer["start_line"], answer["end_line"], answer["total_lines"]) == (*lines, 3)
    assert answer["truncated"] is False
    assert answer["language"] == "python"
    assert answer["commit"] == "c" * 40
    assert answer["url"] == (
        f"https://forge.example/acme/kit/blob/{'c' * 40}/src/a.py#L{lines[0]}-L{lines[1]}"
    )


def test_a_long_file_is_read_in_answers_that_say_where_they_end(
    api: Api, repository: Repository
) -> None:
    content = "".join(f"line {number} é\n" for number in range(40_000))
    FileFactory.create(repository=repository, path="long.py", content=content)
    read, line = "", 1
    while line <= 40_000:
        answer = ask(api, path="long.py", start_line=line).json()
        assert len(answer["content"].encode()) <= FILE_ANSWER_BYTES
        read += answer["content"]
        line = answer["end_line"] + 1
        assert answer["truncated"] is (line <= 40_000)
        assert not answer["truncated"] or answer["hint"].endswith(f"start_line={line}.")
    assert read == content


def test_a_line_that_no_answer_holds_ends_inside(api: Api, repository: Repository) -> None:
    FileFactory.create(repository=repository, path="wide.txt", content="é" * 200_000 + "\nend")
    answer = ask(api, path="wide.txt").json()
    assert answer["content"] == "é" * 100_000
    assert (answer["start_line"], answer["end_line"]) == (1, 1)
    assert answer["truncated"] is True
    assert "the next line is start_line=2" in answer["hint"]
    assert ask(api, path="wide.txt", start_line=2).json()["content"] == "end"


def test_a_skipped_file_says_why_and_what_to_do(api: Api, repository: Repository) -> None:
    FileFactory.create(repository=repository, path="a.bin", skipped="binary", language="")
    answer = ask(api, path="a.bin").json()
    assert answer["content"] is None
    assert answer["skipped"] == "binary"
    assert not answer["generated"]
    assert "NUL byte" in answer["hint"]
    assert answer["hint"].endswith("read it at url.")
    assert answer["url"].endswith("/a.bin#L1")


def test_the_encoding_and_a_mark_are_told(api: Api, repository: Repository) -> None:
    FileFactory.create(
        repository=repository, path="old.cs", content="größe", encoding="utf-16-le", size=12
    )
    FileFactory.create(repository=repository, path="skipped", skipped="encoding_invalid", size=3)
    answer = ask(api, path="old.cs").json()
    assert (answer["encoding"], answer["byte_order_mark"]) == ("utf-16-le", True)
    answer = ask(api, path="skipped").json()
    assert (answer["encoding"], answer["byte_order_mark"]) == (None, False)


def test_an_empty_file_is_empty(api: Api, repository: Repository) -> None:
    FileFactory.create(repository=repository, path="empty.py")
    answer = ask(api, path="empty.py").json()
    assert (answer["content"], answer["total_lines"], answer["skipped"]) == ("", 0, None)


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize("path", ["src", "src/", ".", "/"])
def test_a_directory_is_told_from_what_is_not_there(api: Api, path: str) -> None:
    answer = ask(api, path=path)
    assert_problem(answer, 404, "file_not_found")
    assert answer.json()["detail"].startswith("This path is a directory, not a file: list it")
    assert "directory" not in ask(api, path="sr").json()["detail"]


@pytest.mark.usefixtures("repository")
def test_what_is_not_there_is_not_found_with_paths_that_are_near(api: Api) -> None:
    answer = ask(api, path="lib/a.py")
    assert_problem(answer, 404, "file_not_found")
    assert answer.json()["near"] == ["src/a.py"]
    assert_problem(ask(api, project="nothing"), 404, "repository_not_found")


@pytest.mark.usefixtures("repository")
@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"start_line": 4}, "start_line"),
        ({"start_line": 0}, "start_line"),
        ({"start_line": "first"}, "start_line"),
        ({"start_line": 3, "end_line": 2}, "end_line"),
        ({"end_line": 10**8}, "end_line"),
        ({"path": ""}, "path"),
        ({"path": "a\0"}, "path"),
        ({"line": 3}, "line"),
    ],
)
def test_bad_input_is_refused_by_its_field(api: Api, query: dict[str, object], field: str) -> None:
    answer = ask(api, **query)
    assert_problem(answer, 400, "invalid")
    assert field in answer.json()["detail"]


@given(text=TEXT)
def test_lines_one_by_one_are_the_text(text: str) -> None:
    total = lines_of(text, 1, 0).total
    assert "".join(lines_of(text, line, line).content for line in range(1, total + 1)) == text
    assert total == text.count("\n") + (not text.endswith("\n") and text != "")


def test_a_file_has_its_owners_and_only_members_read_addresses(
    repository: Repository, api: Api
) -> None:
    rules = "* @acme/all jane@acme.example\n/docs/\n"
    FileFactory.create(repository=repository, path="CODEOWNERS", content=rules)
    FileFactory.create(repository=repository, path="docs/a.md", content="x\n")
    assert ask(api).json()["owners"] == ["@acme/all", "an e-mail address"]
    assert ask(api, path="docs/a.md").json()["owners"] == []
    member = MembershipFactory.create(organization=api.organization).user
    ApiToken.objects.update(owner=member)
    assert ask(api).json()["owners"] == ["@acme/all", "jane@acme.example"]
