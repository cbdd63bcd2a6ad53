"""All call edges of an organisation, a page at a time."""

from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from central.corpus.models import Reference, Symbol
from central.repositories.models import Repository
from central.tenancy.models import ApiToken, Scope
from central.trace import call_edges
from central.trace.stored.follower import CallEdges
from scripts.local_service import ROOT
from tests.central.plans import MODES, rows_handled, statements_sent
from tests.central.protocol import Api, api_of
from tests.central.refusals import assert_problem
from tests.central.trace.conftest import Ask
from tests.central.trace.corpus import analyse, change_files, organization_of, pyproject, repository

KIT = {
    "pyproject.toml": pyproject("acme-kit"),
    "acme_kit/mail.py": "def send(): ...\n",
    "acme_kit/shapes.py": """\
        class Shape:
            def area(self): ...

        class Square(Shape):
            def area(self): ...
        """,
}
APP = {
    "pyproject.toml": pyproject("acme-app", "acme-kit"),
    "app/a.py": """\
        from acme_kit.mail import send
        from acme_kit.shapes import Shape

        def notify():
            send()

        def size(shape: Shape):
            return shape.area()

        send()
        """,
    "app/b.py": "from acme_kit.mail import send\n\ndef again():\n    send()\n    send()\n",
}
Pages = Callable[..., Iterator[Any]]


@pytest.fixture
def pages(ask: Ask) -> Pages:
    """The answers, to the last one, from a cursor on."""

    def pages(cursor: str | None = "") -> Iterator[Any]:
        while cursor is not None:
            answer = ask("calls", **({"cursor": cursor} if cursor else {}))
            assert answer.status_code == 200, answer.content
            yield answer.json()
            cursor = answer.json()["next_cursor"]

    return pages


@pytest.fixture
def corpus() -> tuple[Repository, Repository]:
    return repository("kit", KIT), repository("app", APP)


def edges(*answers: Any) -> list[tuple[str, str, str, str]]:
    return [
        (f"{one['path']}:{one['line']}", one["caller"], one["callee"], one["confidence"])
        for answer in answers
        for one in answer["calls"]
    ]


def parts(answer: Any) -> list[tuple[str, bool, bool]]:
    return [(one["project"], one["begins"], one["ends"]) for one in answer["projects"]]


def test_an_edge_says_who_calls_what_where_and_how_sure_it_is(corpus: object, pages: Pages) -> None:
    (answer,) = pages()
    assert (
        answer["calls"][0]
        == {
            "caller": "notify",
            "caller_project": "app",
            "path": "app/a.py",
            "line": 5,
            "callee": "send",
            "callee_project": "kit",
            "callee_path": "acme_kit/mail.py",
            "kind": "call",
            "rule": "import",
            "confidence": "high",
            "commit": Repository.objects.get(name="app").last_indexed_commit,
        }
        or edges(answer)[0][1] == "Square"
    )
    assert sorted(edges(answer)) == [
        ("acme_kit/shapes.py:4", "Square", "Shape", "high"),
        ("app/a.py:10", "<module>", "send", "high"),
        ("app/a.py:5", "notify", "send", "high"),
        ("app/a.py:8", "size", "Shape.area", "high"),
        ("app/a.py:8", "size", "Square.area", "medium"),
        ("app/b.py:4", "again", "send", "high"),
        ("app/b.py:5", "again", "send", "high"),
    ]
    assert parts(answer) == [("kit", True, True), ("app", True, True)]
    assert (answer["next_cursor"], answer["missing"], answer["cut"]) == (None, [], [])


def test_pages_of_any_size_hold_the_same(
    corpus: object, pages: Pages, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    (whole,) = pages()
    for size, files in product((1, 2, 3, 4), (1, 2, 500)):
        with subtests.test(size=size, files=files):
            monkeypatch.setattr(call_edges, "CALLS_REFERENCES", size)
            monkeypatch.setattr(call_edges, "CALLS_FILES", files)
            cut = list(pages())
            assert edges(*cut) == edges(whole)
            assert all(page["references"] <= size for page in cut)
            assert sum(page["references"] for page in cut) == whole["references"]
            reported = [part for page in cut for part in parts(page)]
            for name in ("kit", "app"):
                of_one = [part for part in reported if part[0] == name]
                assert [begins for _, begins, _ in of_one].count(True) == 1
                assert [ends for _, _, ends in of_one].count(True) == 1


def test_a_page_ends_where_it_looked_often_enough(
    corpus: object, pages: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(call_edges, "CALLS_LOOKS", 1)
    first, second = pages()
    assert (parts(first), parts(second)) == ([("kit", True, True)], [("app", True, True)])


def test_a_page_has_no_more_edges_than_its_limit(
    corpus: object, pages: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    (whole,) = pages()
    monkeypatch.setattr(call_edges, "CALLS_LISTED", 1)
    cut = list(pages())
    assert edges(*cut) == edges(whole)
    assert max(len(one["calls"]) for one in cut) == 2  # of one reference: it and its override
    assert parts(cut[-1]) == [("app", False, True)]


def test_a_repository_that_is_indexed_while_it_is_read_begins_anew(
    corpus: tuple[Repository, Repository], pages: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(call_edges, "CALLS_REFERENCES", 2)
    reading = pages()
    read = [next(reading)]
    while ("app", True, False) not in parts(read[-1]):
        read.append(next(reading))
    change_files(corpus[1], {"app/a.py": "from acme_kit.mail import send\nsend()\n"})
    following = list(pages(read[-1]["next_cursor"]))
    assert parts(following[0])[0][:2] == ("app", True)
    assert edges(*following) == [
        ("app/a.py:2", "<module>", "send", "high"),
        ("app/b.py:4", "again", "send", "high"),
        ("app/b.py:5", "again", "send", "high"),
    ]
    generations = [one["generation"] for answer in following for one in answer["projects"]]
    assert set(generations) == {2}


def test_of_a_repository_that_is_gone_nothing_more_is_read(
    corpus: tuple[Repository, Repository], pages: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(call_edges, "CALLS_REFERENCES", 1)
    *_, cursor = (page["next_cursor"] for page in pages() if page["next_cursor"])
    corpus[1].delete()
    (last,) = pages(cursor)
    assert (last["calls"], last["projects"], last["next_cursor"]) == ([], [], None)


def test_what_may_be_missing_is_told_with_the_last_page(
    corpus: object, pages: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = Repository.objects.create(
        organization=organization_of(), name="new", tracked_ref="refs/h/m"
    )
    monkeypatch.setattr(call_edges, "CALLS_REFERENCES", 3)
    *others, last = (page["missing"] for page in pages())
    assert others == [[]] * len(others)
    since = new.created_at.isoformat().replace("+00:00", "Z")
    assert last == [{"project": "new", "reason": "never_indexed", "since": since}]


def test_an_organisation_without_code_has_one_empty_page(pages: Pages) -> None:
    (answer,) = pages()
    assert (answer["calls"], answer["projects"], answer["next_cursor"]) == ([], [], None)


def test_a_cursor_is_of_one_organisation(corpus: object, ask: Ask) -> None:
    stranger = api_of(organization_of("globex"))
    cursor = call_edges.encode_cursor(
        salt=call_edges._SALT, asked="acme", position=[1, 1, "kit", "", 0]
    )
    assert ask("calls", cursor=cursor).status_code == 200
    answer = stranger.request("GET", f"/api/v1/trace/calls?org_id=globex&cursor={cursor}")
    assert_problem(answer, 400, "invalid")
    assert_problem(ask("calls", cursor="made-up"), 400, "invalid")


def test_a_credential_that_sees_a_part_is_refused(corpus: object) -> None:
    limited = api_of(organization_of(), repositories=["kit", "app"])
    answer = limited.request("GET", "/api/v1/trace/calls?org_id=acme")
    assert_problem(answer, 403, "whole_organization_required")
    without = api_of(organization_of(), scopes=[Scope.INDEX])
    answer = without.request("GET", "/api/v1/trace/calls?org_id=acme")
    assert_problem(answer, 403, "insufficient_scope")


def test_a_job_s_token_is_refused(corpus: object) -> None:
    job = api_of(organization_of())
    ApiToken.objects.filter(pk=ApiToken.objects.latest("pk").pk).update(is_short_lived=True)
    answer = job.request("GET", "/api/v1/trace/calls?org_id=acme")
    assert_problem(answer, 403, "job_token_refused")


def test_the_examples_edges_are_those_of_callers_and_callees(
    api: Api, ask_live: Ask, pages: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every definition of a library and of its callers is traced, one by one, from stored edges."""
    for name in ("common-utils", "auth-service", "partner-portal", "go-kit", "risk-model"):
        repository(name, example(name))
    analyse()
    monkeypatch.setattr(call_edges, "CALLS_REFERENCES", 97)
    listed = {
        (one["caller_project"], one["path"], one["line"], one["caller"], one["callee_project"],
         one["callee_path"], one["callee"], one["rule"], one["confidence"])
        for page in pages()
        for one in page["calls"]
    }  # fmt: skip
    assert len(listed) > 200
    while CallEdges().update(api.organization.pk):
        pass
    analyse()
    assert traced(ask_live, "callers") == listed
    inside = {edge for edge in listed if edge[3] != "<module>"}
    assert traced(ask_live, "callees") == inside


def traced(ask: Ask, what: str) -> set[tuple[Any, ...]]:
    found = set()
    rows = Symbol.objects.values_list("repository__name", "file__path", "qualified_name")
    for project, path, symbol in rows.distinct():
        query = {"symbol": symbol, "project": project, "file": path, "limit": 200}
        answer = ask(what, **query)
        assert answer.status_code == 200, answer.content
        assert answer.json()["next_cursor"] is None
        found |= {
            (one["project"], one["file"], one["line"],
             one["caller"]["qualified_name"] or "<module>", one["callee"]["project"],
             one["callee"]["file"], one["callee"]["qualified_name"], one["rule"], one["confidence"])
            for one in answer.json()[what]
        }  # fmt: skip
    return found


def example(name: str) -> dict[str, str]:
    root: Path = ROOT / "examples" / "acme" / name
    files = (path for path in sorted(root.rglob("*")) if path.is_file())
    return {path.relative_to(root).as_posix(): path.read_text() for path in files}


def test_a_page_is_read_by_key_whatever_else_is_indexed(
    corpus: tuple[Repository, Repository], pages: Pages
) -> None:
    """References of other repositories are not read."""
    many = "".join(f"def f{n}():\n    f{n}()\n" for n in range(400))
    large = {f"large/{n}.py": many for n in range(5)}
    repository("large", large, organization=organization_of("other"))
    assert Reference.objects.count() > 2_000
    with statements_sent() as sent:
        list(pages())
    reading = [one for one in sent if "corpus_file" in one.sql and "LIMIT" in one.sql]
    assert reading
    for one in reading:
        for mode in MODES:
            assert rows_handled(one, mode) < 1_000
