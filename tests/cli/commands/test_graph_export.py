"""`codesearch graph export`: the whole graph as a file, with all calls if they are wanted."""

import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pytest

from aeterna_code_search.client.target.local_token import LocalToken
from scripts.examples import example_repositories
from scripts.local_git import commit_all, new_repository
from scripts.local_service import ROOT, Organization, Service, clean_environment
from tests.cli.command import PROGRAM, codesearch
from tests.cli.conftest import MakeRepository
from tests.cli.terminal import in_terminal
from tests.e2e.conftest import write_files
from tests.e2e.holding_proxy import HoldingProxy, holding_proxy
from tests.e2e.indexing import index_here
from tests.waiting import wait_until

EXAMPLES = ("common-utils", "auth-service", "payments-api", "legacy-monolith", "reporting-jobs")
RETRY = "code:common-utils/src/acme_common/retry.py#retry_call"
NODES: tuple[dict[str, Any], ...] = (
    {"kind": "knowledge", "id": "ADR-1", "title": "Retry what fails in passing"},
    {"kind": "memory", "id": "mem-1", "title": "The gateway fails in passing on Mondays"},
    {
        "kind": "policy",
        "id": "POL-1",
        "title": "No sleeping",
        "policy": {"rule": "rule: {pattern: sleep($$$)}", "language": "python"},
    },
)
CALLS = "SELECT caller_project, path, line, caller, callee_project, callee FROM calls"


@pytest.fixture(scope="module")
def organization(service: Service, tmp_path_factory: pytest.TempPathFactory) -> Organization:
    """Some of the examples, with a decision, a memory and a policy that one definition violates."""
    made = organization_of(service, "graph-acme")
    repositories = example_repositories(tmp_path_factory.mktemp("git"))
    for name in EXAMPLES:
        index_here(made, repositories[name], name)
    for node in NODES:
        made.post("graph/nodes", **node)
    made.post("graph/links", **{"from": RETRY, "type": "implements", "to": "ADR-1"})
    wait_until(lambda: bool(made.get("graph/violations", project="common-utils")["count"]))
    return made


@pytest.fixture(scope="module")
def exported(organization: Organization, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The organisation's file, with calls: read it, no more."""
    directory = tmp_path_factory.mktemp("exported")
    done = export("graph.duckdb", "--calls", directory=directory, organization=organization)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    return directory / "graph.duckdb"


def environ(organization: Organization, url: str = "") -> dict[str, str]:
    return {
        "AETERNA_URL": url or organization.service.url,
        "AETERNA_TOKEN": organization.token,
        "AETERNA_ORGANIZATION": organization.slug,
    }


def export(
    *arguments: str, directory: Path, organization: Organization, url: str = ""
) -> subprocess.CompletedProcess[str]:
    named = environ(organization, url)
    return codesearch("graph", "export", *arguments, directory=directory, environ=named)


def rows(file: Path, statement: str) -> list[tuple[Any, ...]]:
    with duckdb.connect(str(file), read_only=True) as database:
        return database.execute(statement).fetchall()


def test_the_graph_is_a_file_for_duckdb(organization: Organization, tmp_path: Path) -> None:
    done = export("graph.duckdb", directory=tmp_path, organization=organization)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert re.fullmatch(r"graph.duckdb: [\d,]+ nodes, [\d,]+ edges.\n", done.stderr)
    file = tmp_path / "graph.duckdb"
    assert list(tmp_path.iterdir()) == [file]
    assert rows(file, "SELECT title FROM nodes WHERE id = 'ADR-1'") == [
        ("Retry what fails in passing",)
    ]
    of_record = "SELECT source FROM edges WHERE type = 'implements' AND target = 'ADR-1'"
    assert rows(file, of_record) == [(RETRY,)]
    assert ("calls",) not in rows(file, "SHOW TABLES")


def test_calls_are_those_of_every_repository(exported: Path) -> None:
    calls = rows(exported, CALLS)
    assert (
        *("auth-service", "acme_auth/app.py", 44, "create_app", "auth-service", "HandleLogin"),
    ) in calls
    users = {row[0] for row in calls if row[5] == "retry_call"}
    assert {"auth-service", "common-utils", "payments-api", "reporting-jobs"} <= users
    tables = {name for (name,) in rows(exported, "SHOW TABLES")}
    assert tables == {
        *("calls", "edges", "links", "most_called", "nodes", "repositories", "state"),
    }


def test_links_and_the_most_called_definitions_are_those_of_the_map(exported: Path) -> None:
    ends = "split_part(source, '#', 1), split_part(target, '#', 1)"
    links = rows(exported, f"SELECT {ends}, versions[1].package FROM links")  # noqa: S608
    assert ("payments-api", "common-utils", "acme-common") in links
    assert not [one for one in links if one[0] == one[1]]
    first = rows(exported, "SELECT project, projects, users[1].calls <= calls FROM most_called")[0]
    assert (first[0], first[1] >= 2, first[2]) == ("common-utils", True, True)


def test_ends_of_calls_are_nodes(exported: Path) -> None:
    ends = "(SELECT caller_id AS id FROM calls UNION SELECT callee_id FROM calls)"
    assert len(rows(exported, f"FROM {ends}")) > 200
    assert rows(exported, f"FROM {ends} ANTI JOIN nodes USING (id)") == []


def test_each_call_is_of_the_commit_that_is_indexed(
    exported: Path, organization: Organization
) -> None:
    status = organization.get("index/status")["projects"]
    indexed = {(one["project"], one["last_indexed_commit"]) for one in status}
    assert set(rows(exported, 'SELECT DISTINCT caller_project, "commit" FROM calls')) <= indexed


def test_a_file_that_is_there_is_overwritten_by_force_alone(
    organization: Organization, tmp_path: Path
) -> None:
    file = tmp_path / "graph.duckdb"
    file.write_text("mine")
    done = export("graph.duckdb", directory=tmp_path, organization=organization)
    assert done.returncode == 2
    assert "overwrite it with --force" in done.stderr
    assert file.read_text() == "mine"
    (tmp_path / "graph.duckdb.wal").write_text("of the file that was there")
    done = export("graph.duckdb", "--force", directory=tmp_path, organization=organization)
    assert done.returncode == 0, done.stderr
    assert rows(file, "SELECT count(*) FROM nodes")[0][0] > 0
    assert list(tmp_path.iterdir()) == [file]


def test_definitions_without_callers_are_a_table(
    organization: Organization, tmp_path: Path
) -> None:
    done = export("graph.duckdb", "--unused", directory=tmp_path, organization=organization)
    assert done.returncode == 0, done.stderr
    assert "definitions without callers" in done.stderr
    with duckdb.connect(str(tmp_path / "graph.duckdb"), read_only=True) as database:
        rows = database.execute(
            """SELECT qualified_name, list_transform(doubts, one -> one.code)
            FROM unused JOIN nodes USING (id, qualified_name)
            WHERE unused.project = 'common-utils'"""
        ).fetchall()
    assert ("is_id", ["published"]) in rows
    assert "retry_call" not in [name for name, _ in rows]


@pytest.mark.parametrize("name", [".", "missing/graph.duckdb"])
def test_where_no_file_can_be_is_said(
    organization: Organization, tmp_path: Path, name: str
) -> None:
    done = export(name, directory=tmp_path, organization=organization)
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert list(tmp_path.iterdir()) == []


def test_what_the_service_refuses_leaves_nothing_behind(
    organization: Organization, tmp_path: Path
) -> None:
    slug = organization.slug
    manage = organization.service.manage
    token = manage(
        "create_token",
        "--organization",
        slug,
        "--scopes",
        "search",
        "--repositories",
        "auth-service",
    )
    limited = Organization(organization.service, slug, token.stdout.split()[-1])
    done = export("graph.duckdb", "--calls", directory=tmp_path, organization=limited)
    assert done.returncode == 5
    assert "whole organisation" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_on_a_terminal_it_says_how_far_it_is(organization: Organization, tmp_path: Path) -> None:
    code, sent = in_terminal(
        "graph", "export", "graph.duckdb", "--calls",
        directory=tmp_path, environ=environ(organization),
    )  # fmt: skip
    assert code == 0
    assert "Preparing the graph" in sent
    assert re.search(r"graph.duckdb: [\d,]+ nodes, [\d,]+ edges, [\d,]+ calls\.", sent)


# Three pages of 5,000 references.
FIRST = "from large.first import first\n\n\ndef uses():\n"
LARGE = {
    "pyproject.toml": '[project]\nname = "large"\n',
    "large/first.py": "def first(): ...\n",
    **{f"large/{letter}.py": FIRST + "    first()\n" * 4_000 for letter in "abc"},
}
BY_PATH = "SELECT path, count(*) FROM calls GROUP BY path ORDER BY path"
WHOLE = [(f"large/{letter}.py", 4_000) for letter in "abc"]


def organization_of(service: Service, slug: str) -> Organization:
    return Organization(service, slug, LocalToken(service.data_dir, slug).bearer())


@pytest.fixture(scope="module")
def large(service: Service, tmp_path_factory: pytest.TempPathFactory) -> Organization:
    """An organisation whose calls have three pages: ask it, no more."""
    repository = new_repository(tmp_path_factory.mktemp("large"))
    write_files(repository, LARGE)
    commit_all(repository, "First commit")
    made = organization_of(service, "graph-large")
    index_here(made, repository, "large")
    return made


@contextmanager
def killed_export(organization: Organization, directory: Path) -> Iterator[HoldingProxy]:
    """A proxy of the service, after an export by way of it was killed with its first page read."""
    with holding_proxy(organization.service.url) as proxy:
        proxy.requests = lambda _, path: "/trace/calls" in path and "cursor=" in path
        process = subprocess.Popen(
            [*PROGRAM, "graph", "export", "graph.duckdb", "--calls"],
            cwd=directory,
            env=clean_environment(environ(organization, proxy.url)),
            stderr=subprocess.DEVNULL,
        )
        with process:
            assert proxy.held.wait(60)
            busy = export("graph.duckdb", directory=directory, organization=organization)
            assert "is being written by another export" in busy.stderr
            process.kill()
        assert (directory / "graph.duckdb.part").exists()
        assert not (directory / "graph.duckdb").exists()
        proxy.requests = lambda *_: False
        proxy.let_go.set()
        yield proxy


def go_on(organization: Organization, directory: Path, proxy: HoldingProxy) -> str:
    """Export to the end; what it says."""
    done = export(
        "graph.duckdb", "--calls", directory=directory, organization=organization, url=proxy.url
    )
    assert done.returncode == 0, done.stderr
    assert list(directory.iterdir()) == [directory / "graph.duckdb"]
    return done.stderr


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """Where nothing but the export is."""
    directory = tmp_path / "here"
    directory.mkdir()
    return directory


def test_an_export_that_was_killed_goes_on_where_it_was(large: Organization, here: Path) -> None:
    asked: list[str] = []
    with killed_export(large, here) as proxy:
        proxy.requests = lambda _, path: bool(asked.append(path))  # type: ignore[func-returns-value]
        assert "Resuming" in go_on(large, here, proxy)
    assert len(asked) == 2
    assert all("/trace/calls" in path and "cursor=" in path for path in asked)
    assert rows(here / "graph.duckdb", BY_PATH) == WHOLE
    distinct = "SELECT count(DISTINCT (path, line)) FROM calls"
    assert rows(here / "graph.duckdb", distinct) == [(12_000,)]


def test_a_repository_that_is_indexed_meanwhile_is_read_again(
    service: Service, make_repository: MakeRepository, here: Path
) -> None:
    changing = organization_of(service, "graph-changing")
    repository = make_repository("large", LARGE)
    index_here(changing, repository, "large")
    with killed_export(changing, here) as proxy:
        write_files(repository, {"large/a.py": FIRST + "    first()\n"})
        commit_all(repository, "Less")
        index_here(changing, repository, "large")
        go_on(changing, here, proxy)
    assert rows(here / "graph.duckdb", BY_PATH) == [("large/a.py", 1), *WHOLE[1:]]
    assert len(rows(here / "graph.duckdb", 'SELECT DISTINCT "commit" FROM calls')) == 1


def test_calls_are_read_again_where_the_service_does_not_know_the_place(
    large: Organization, here: Path
) -> None:
    with killed_export(large, here) as proxy:
        with duckdb.connect(str(here / "graph.duckdb.part")) as database:
            database.execute("UPDATE calls_progress SET cursor = 'of before a restore'")
        assert "reading all calls again" in go_on(large, here, proxy)
    assert rows(here / "graph.duckdb", BY_PATH) == WHOLE


def test_what_is_of_something_else_is_begun_anew(organization: Organization, here: Path) -> None:
    (here / "graph.duckdb.part").write_text("half of a download")
    (here / "graph.duckdb.part.wal").write_text("of something else")
    done = export("graph.duckdb", "--calls", directory=here, organization=organization)
    assert done.returncode == 0, done.stderr
    assert "Resuming" not in done.stderr
    assert list(here.iterdir()) == [here / "graph.duckdb"]


def queries() -> list[tuple[str, str]]:
    """The questions of the guide with their SQL."""
    text = (ROOT / "docs/how-to/knowledge-graph.md").read_text(encoding="utf-8")
    section = text.partition("\n## Questions in SQL\n")[2].partition("\n## ")[0]
    return re.findall(r"^\*\*(.+?)\*\*[^\n]*\n+```sql\n(.+?)```", section, re.DOTALL | re.MULTILINE)


def test_the_guide_has_five_questions() -> None:
    assert len(queries()) == 5


@pytest.mark.parametrize(("question", "statement"), queries())
def test_the_guide_s_questions_are_answered(exported: Path, question: str, statement: str) -> None:
    found = rows(exported, statement)
    assert found
    if question.startswith("Which shared functions"):
        assert statement.count("\n") == 1  # one line
        assert found[0][:2] == ("common-utils", "retry_call")
    if "decisions" in question:
        assert found[0][0] == "ADR-1"
