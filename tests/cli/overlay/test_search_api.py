"""Who is asked what, in a real checkout with a real snapshot; the services' answers are canned."""

import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from aeterna_code_search.cli.overlay.search_api import with_overlay
from aeterna_code_search.cli.overlay.worktree import WorkTree
from aeterna_code_search.cli.watch.lock import lock_checkout, write_watch_record
from aeterna_code_search.cli.watch.snapshot import Snapshots
from aeterna_code_search.client.api import SearchApi, ServiceApi
from aeterna_code_search.client.target.target import IndexTarget
from indexer.client.credentials import StaticToken
from indexer.errors import CentralRefusedError, CentralUnreachableError
from tests.cli.overlay.rows import (
    CENTRAL,
    LOCAL,
    Row,
    definition,
    end,
    found,
    hit,
    link,
    traced,
)
from tests.indexer.repositories import Sandbox

BEFORE = "import retry\n\n\ndef charge():\n    retry.call()\n    retry.again()\n"
AFTER = BEFORE.replace("\n\n\n", "\n\n# New.\n\n\n").replace("again()", "again(1)")


class Service(ServiceApi):
    """Answers, or refuses, as it was told to, and keeps the questions."""

    def __init__(self, *answers: Row | Exception) -> None:
        self.answers = list(answers)
        self.questions: list[Row] = []

    def search(self, body: Mapping[str, Any]) -> Row:
        return self._answer(body)

    def trace(self, what: str, parameters: Mapping[str, Any]) -> Row:
        return self._answer({"what": what, **parameters})

    def status(self, project: str | None = None) -> Row:
        return self._answer({"project": project})

    def _answer(self, question: Mapping[str, Any]) -> Row:
        self.questions.append(dict(question))
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


@dataclass
class Desk:
    """A checkout of which the service knows commit `base`, watched at `commit`."""

    target: IndexTarget
    base: str
    commit: str
    central: Service = field(default_factory=Service)
    local: Service = field(default_factory=Service)

    def search_api(self) -> SearchApi:
        return with_overlay(self.central, self.target)

    def central_found(self, *hits: Row, **members: Any) -> Row:
        answer = found(hits, **members)
        answer["receipt"]["projects"][0]["commit"] = self.base
        return answer

    def local_found(self, *hits: Row) -> Row:
        answer = found(hits, project=LOCAL)
        answer["receipt"]["projects"][0]["commit"] = self.commit
        return answer

    def traced(self, project: str, definitions: list[Row], links: list[Row], what: str) -> Row:
        answer = traced(definitions, links, project=project, what=what)
        commit = self.commit if project == LOCAL else self.base
        answer["receipt"]["projects"][0]["commit"] = commit
        return answer


@pytest.fixture
def unwatched(tmp_path: Path) -> Desk:
    sandbox = Sandbox(tmp_path / "checkout")
    base = sandbox.commit("First", {"a.py": BEFORE, "b.py": "pass\n"})
    target = IndexTarget(
        url="http://127.0.0.1:1",
        organization="acme",
        project=CENTRAL,
        credentials=StaticToken("secret"),
        is_local=False,
        data_dir=tmp_path / "data",
        root=sandbox.path,
    )
    return Desk(target, base, base)


@pytest.fixture
def desk(unwatched: Desk, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    """In the work tree, a.py is changed."""
    desk, root = unwatched, unwatched.target.root
    assert root is not None
    (root / "a.py").write_text(AFTER)
    monkeypatch.setattr(WorkTree, "api", lambda _: desk.local)
    with lock_checkout(desk.target.data_dir, root) as directory:
        snapshots = Snapshots(root, directory)
        snapshots.reset()
        desk.commit = snapshots.create() or ""
        snapshots.repository.close()
        write_watch_record(directory, root=root, project=LOCAL, commit=desk.commit)
        yield desk


def refusal(code: str) -> CentralRefusedError:
    return CentralRefusedError("No such symbol.", code=code, status=404)


def test_without_a_watcher_only_the_service_is_asked(unwatched: Desk) -> None:
    answer = unwatched.central_found(hit("a.py", 1, 1.0))
    unwatched.central.answers = [answer]

    assert unwatched.search_api().search({"query": "charge"}) == answer
    assert unwatched.central.questions == [{"query": "charge"}]


def test_a_local_place_is_asked_directly(unwatched: Desk) -> None:
    target = IndexTarget(
        **{name: getattr(unwatched.target, name) for name in IndexTarget.__slots__}
        | {"is_local": True}
    )

    assert with_overlay(unwatched.central, target) is unwatched.central


def test_the_same_is_asked_of_both(desk: Desk) -> None:
    body = {"query": "charge", "limit": 3, "exclude_projects": ["web"], "language": "python"}
    desk.central.answers = [desk.central_found(hit("a.py", 1, 1.0), hit("b.py", 1, 0.5))]
    desk.local.answers = [desk.local_found(hit("a.py", 4, 1.0, project=LOCAL))]

    answer = desk.search_api().search(body)

    assert desk.central.questions == [body]
    assert desk.local.questions == [
        {"query": "charge", "limit": 6, "language": "python", "include_projects": [LOCAL]}
    ]
    assert [(one["file"], one["start_line"]) for one in answer["results"]] == [
        ("a.py", 4),
        ("b.py", 1),
    ]
    local = answer["receipt"]["local"]
    assert (local["commit"], local["base_commit"], local["files"]) == (desk.commit, desk.base, 1)


def test_both_are_asked_for_files_and_a_changed_one_is_the_work_trees(desk: Desk) -> None:
    span = {"start_line": 9, "end_line": 12, "score": 0.25}
    central = [hit("a.py", 1, 1.0, spans=[span, span]), hit("b.py", 1, 0.5, spans=[span])]
    desk.central.answers = [desk.central_found(*central)]
    desk.local.answers = [desk.local_found(hit("a.py", 4, 1.0, project=LOCAL, spans=[span]))]

    answer = desk.search_api().search({"query": "charge", "group_by": "file"})

    assert {desk.central.questions[0]["group_by"], desk.local.questions[0]["group_by"]} == {"file"}
    shown = [(one["file"], one["start_line"], len(one["spans"])) for one in answer["results"]]
    assert shown == [("a.py", 4, 1), ("b.py", 1, 1)]


@pytest.mark.parametrize(
    "filters", [{"include_projects": ["web"]}, {"exclude_projects": [CENTRAL]}]
)
def test_a_question_that_is_not_about_the_project_is_the_services(desk: Desk, filters: Row) -> None:
    desk.central.answers = [desk.central_found()]

    desk.search_api().search({"query": "charge", **filters})

    assert desk.local.questions == []


@pytest.mark.parametrize("what", ["definition", "references"])
def test_a_position_is_the_indexed_files(desk: Desk, what: str) -> None:
    """Lines and columns are of the indexed commit, as those of `read_file`."""
    place = {"project": CENTRAL, "file": "a.py", "line": 5, "column": 10}
    desk.central.answers = [desk.central_found()]

    desk.search_api().trace(what, place)

    assert (desk.central.questions, desk.local.questions) == ([{"what": what, **place}], [])


def test_the_services_failure_is_the_answers(desk: Desk) -> None:
    desk.central.answers = [CentralUnreachableError("away")]
    desk.local.answers = [desk.local_found()]

    with pytest.raises(CentralUnreachableError, match="away"):
        desk.search_api().search({"query": "charge"})


def test_without_the_local_index_the_answer_is_not_complete(desk: Desk) -> None:
    desk.central.answers = [desk.central_found(hit("a.py", 1, 1.0))]
    desk.local.answers = [CentralUnreachableError("away")]

    answer = desk.search_api().search({"query": "charge"})

    receipt = answer["receipt"]
    assert len(answer["results"]) == 1
    assert not receipt["complete"]
    assert receipt["missing"] == [{"project": CENTRAL, "reason": "local_index_unavailable"}]
    assert receipt["local_error"] == "away"
    assert "local" not in receipt


def test_a_commit_that_is_not_in_the_clone_makes_every_file_a_changed_one(desk: Desk) -> None:
    desk.base = "f" * 40
    desk.central.answers = [desk.central_found(hit("b.py", 1, 1.0))]
    desk.local.answers = [desk.local_found(hit("b.py", 1, 1.0, project=LOCAL))]

    answer = desk.search_api().search({"query": "pass"})

    assert [one["local"] for one in answer["results"]] == [True]
    assert answer["receipt"]["local"]["files"] is None


def test_the_next_page_goes_on_where_local_hits_took_the_place_of_centrals(desk: Desk) -> None:
    desk.central.answers = [
        desk.central_found(hit("b.py", 1, 1.0), hit("b.py", 2, 0.1)),
        desk.central_found(hit("b.py", 1, 1.0), next_cursor="second"),
        desk.central_found(hit("b.py", 2, 0.1), hit("a.py", 1, 0.1)),
    ]
    desk.local.answers = [
        desk.local_found(hit("b.py", 1, 1.0, project=LOCAL), hit("a.py", 4, 0.9, project=LOCAL))
        for _ in range(2)
    ]

    first = desk.search_api().search({"query": "charge", "limit": 2})
    second = desk.search_api().search(
        {"query": "charge", "limit": 2, "cursor": first["next_cursor"]}
    )

    assert [one["file"] for one in first["results"]] == ["b.py", "a.py"]
    assert [(one["file"], one["start_line"]) for one in second["results"]] == [("b.py", 2)]
    assert desk.central.questions[1:] == [
        {"query": "charge", "limit": 1},
        {"query": "charge", "limit": 2, "cursor": "second"},
    ]


def test_every_local_hit_is_on_some_page(desk: Desk) -> None:
    lines = (4, 5, 6, 7, 8)
    page = desk.central_found(hit("b.py", 1, 1.0), hit("b.py", 2, 0.1))
    desk.central.answers = [page] * 20
    mine = [hit("a.py", line, 1.0 - line / 10, project=LOCAL) for line in lines]
    desk.local.answers = [desk.local_found(*mine)] * 20

    shown, cursor = [], ""
    while cursor is not None:
        at = {"cursor": cursor} if cursor else {}
        answer = desk.search_api().search({"query": "charge", "limit": 2, **at})
        assert answer["count"] <= 2
        shown += [one["start_line"] for one in answer["results"] if one.get("local")]
        cursor = answer["next_cursor"]

    assert shown == list(lines)


def test_a_local_hit_on_a_further_local_page_is_on_some_page_too(desk: Desk) -> None:
    same = [hit("b.py", line, 1.0 / line, project=LOCAL) for line in (1, 2)]
    further = {**desk.local_found(*same), "next_cursor": "more"}
    last = desk.local_found(hit("a.py", 4, 0.2, project=LOCAL))
    desk.central.answers = [desk.central_found(hit("b.py", 1, 1.0))] * 2
    desk.local.answers = [further, further, last]

    first = desk.search_api().search({"query": "charge", "limit": 1})
    second = desk.search_api().search(
        {"query": "charge", "limit": 1, "cursor": first["next_cursor"]}
    )

    assert [one["file"] for one in first["results"]] == ["b.py"]
    assert [(one["file"], one["start_line"]) for one in second["results"]] == [("a.py", 4)]
    assert second["next_cursor"] is None
    assert [asked.get("cursor") for asked in desk.local.questions] == [None, None, "more"]


@pytest.mark.parametrize("cursor", ["local-99-1-", "local-1-201-", "local-x", "theirs"])
def test_a_cursor_that_it_did_not_write_is_the_services_to_judge(desk: Desk, cursor: str) -> None:
    desk.central.answers = [desk.central_found()]

    desk.search_api().search({"query": "charge", "cursor": cursor})

    assert desk.central.questions == [{"query": "charge", "cursor": cursor}]


def test_a_snapshot_that_goes_while_lines_are_followed_is_said_to_be(desk: Desk) -> None:
    charge, retry = end("a.py", "charge", 4), end("r.py", "call", 1, project="retry")
    defined = definition("r.py", "call", 1, project="retry")
    answer = desk.traced(CENTRAL, [defined], [link(charge, 5, retry)], "callers")
    desk.central.answers = [desk.central_found(), answer]
    desk.local.answers = [desk.local_found(), refusal("symbol_not_found")]
    desk.search_api().search({"query": "call"})  # which files differ is known from here on
    [objects] = desk.target.data_dir.glob("watch/*/objects")
    shutil.rmtree(objects)

    receipt = desk.search_api().trace("callers", {"symbol": "call"})["receipt"]

    assert receipt["missing"] == [{"project": CENTRAL, "reason": "local_index_unavailable"}]


def test_calls_to_other_projects_are_put_on_the_work_trees_lines(desk: Desk) -> None:
    """The line of one call moved, that of the other was edited."""
    charge, retry = end("a.py", "charge", 4), end("r.py", "call", 1, project="retry")
    defined = definition("r.py", "call", 1, project="retry")
    links = [link(charge, 5, retry), link(charge, 6, retry)]
    desk.central.answers = [desk.traced(CENTRAL, [defined], links, "callers")]
    desk.local.answers = [refusal("symbol_not_found")]

    answer = desk.search_api().trace("callers", {"symbol": "call"})

    [row] = answer["callers"]
    assert AFTER.splitlines()[row["line"] - 1] == "    retry.call()"
    assert AFTER.splitlines()[row["caller"]["line"] - 1] == "def charge():"
    assert [one["reason"] for one in answer["receipt"]["missing"]] == ["links_on_edited_lines"]


def test_a_line_is_the_work_trees(desk: Desk) -> None:
    """So the local index says what is defined there, and the service is asked by that name."""
    mine = definition("a.py", "charge", 6, project=LOCAL)
    desk.local.answers = [desk.traced(LOCAL, [mine], [], "callers")]
    desk.central.answers = [desk.traced(CENTRAL, [definition("a.py", "charge", 4)], [], "callers")]

    desk.search_api().trace("callers", {"symbol": "charge", "file": "a.py", "line": 6})

    [asked] = desk.local.questions
    assert (asked["line"], asked["project"], asked["caller_projects"]) == (6, LOCAL, [LOCAL])
    assert desk.central.questions == [{"what": "callers", "symbol": "charge", "file": "a.py"}]


def test_a_symbol_that_only_the_work_tree_has_is_answered(desk: Desk) -> None:
    mine = definition("a.py", "fresh", 3, project=LOCAL)
    desk.central.answers = [
        refusal("symbol_not_found"),
        {"projects": [{"project": CENTRAL, "last_indexed_commit": desk.base}]},
    ]
    desk.local.answers = [desk.traced(LOCAL, [mine], [], "callees")]

    answer = desk.search_api().trace("callees", {"symbol": "fresh"})

    assert [one["project"] for one in answer["definitions"]] == [CENTRAL]
    assert answer["receipt"]["local"]["files"] == 1


def test_that_others_were_not_asked_locally_is_no_hint(desk: Desk) -> None:
    mine = desk.traced(LOCAL, [definition("a.py", "fresh", 3, project=LOCAL)], [], "callers")
    desk.central.answers = [
        refusal("symbol_not_found"),
        {"projects": [{"project": CENTRAL, "last_indexed_commit": desk.base}]},
    ]
    desk.local.answers = [{**mine, "hint": "caller_projects leaves the other projects out."}]

    assert desk.search_api().trace("callers", {"symbol": "fresh"})["hint"] is None


def test_a_symbol_that_nobody_has_is_refused_by_the_service(desk: Desk) -> None:
    desk.central.answers = [refusal("symbol_not_found")]
    desk.local.answers = [refusal("symbol_not_found")]

    with pytest.raises(CentralRefusedError, match="No such symbol"):
        desk.search_api().trace("graph", {"symbol": "nothing"})


def test_another_refusal_is_the_answer(desk: Desk) -> None:
    desk.central.answers = [refusal("invalid")]
    desk.local.answers = [desk.traced(LOCAL, [], [], "callers")]

    with pytest.raises(CentralRefusedError):
        desk.search_api().trace("callers", {"symbol": "charge"})


def test_the_local_uses_are_read_to_the_last_page(desk: Desk) -> None:
    mine = definition("a.py", "charge", 6, project=LOCAL)
    callee = end("a.py", "charge", 6, project=LOCAL)
    rows = [link(end("a.py", "f", 1, project=LOCAL), line, callee) for line in (8, 9)]
    pages = [desk.traced(LOCAL, [mine], [row], "callers") for row in rows]
    pages[0]["next_cursor"] = "more"
    desk.local.answers = list(pages)
    desk.central.answers = [desk.traced(CENTRAL, [definition("a.py", "charge", 4)], [], "callers")]

    answer = desk.search_api().trace("callers", {"symbol": "charge"})

    assert [one["line"] for one in answer["callers"]] == [8, 9]


def test_the_status_says_what_is_in_front(desk: Desk) -> None:
    desk.central.answers = [{"projects": [{"project": CENTRAL, "last_indexed_commit": desk.base}]}]

    local = desk.search_api().status()["local"]

    assert (local["project"], local["commit"], local["files"]) == (CENTRAL, desk.commit, 1)


def test_a_snapshot_that_is_gone_is_said_to_be(desk: Desk) -> None:
    [objects] = desk.target.data_dir.glob("watch/*/objects")
    shutil.rmtree(objects)
    desk.central.answers = [
        desk.central_found(hit("a.py", 1, 1.0)),
        {"projects": [{"project": CENTRAL, "last_indexed_commit": desk.base}]},
    ]
    desk.local.answers = [desk.local_found(hit("a.py", 4, 1.0, project=LOCAL))]

    answer = desk.search_api().search({"query": "charge"})
    status = desk.search_api().status()

    assert [one["start_line"] for one in answer["results"]] == [1]
    assert not answer["receipt"]["complete"]
    assert desk.commit in status["local_error"]
