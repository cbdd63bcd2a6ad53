"""Which service answers the tool, and what an agent is told where one does not."""

import asyncio
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from aeterna_code_search.client.target.embedded import _CHILDREN
from indexer.client.api import OpenRequest
from scripts.local_git import commit_all, git, new_repository
from scripts.local_service import Organization, Service, running_service
from tests.e2e.conftest import prepared_data_directory, write_files
from tests.e2e.indexing import index_here, opened
from tests.embedding_servers import KEY, Trouble, openai_server
from tests.integrations.langchain.conftest import FILES, MakeTool
from tests.integrations.langchain.test_tool import QUERY, ask, failure
from tests.listening import listening

RETRY = json.dumps({"query": "retry with backoff"})


@pytest.fixture(scope="module")
def acme(service: Service, tmp_path_factory: pytest.TempPathFactory) -> Organization:
    """An organisation of a service that is asked by its address and a token."""
    acme = service.organization("acme")
    root = new_repository(tmp_path_factory.mktemp("git") / "mail")
    write_files(root, {"mail.py": "def deliver_mail(envelope):\n    '''Send an e-mail.'''\n"})
    commit_all(root, "First commit")
    index_here(acme, root, "mail")
    return acme


@pytest.fixture
def central(acme: Organization, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Organization:
    """The same, named by the environment; this machine has no service of its own."""
    monkeypatch.setenv("AETERNA_URL", acme.service.url)
    monkeypatch.setenv("AETERNA_TOKEN", acme.token)
    monkeypatch.setenv("AETERNA_ORGANIZATION", acme.slug)
    monkeypatch.setenv("AETERNA_DATA_DIR", str(tmp_path / "none"))
    return acme


def new_checkout(path: Path, files: dict[str, str] | None = None) -> Path:
    root = new_repository(path)
    write_files(root, files or {"mail.py": "def deliver_mail(envelope):\n    '''Send.'''\n"})
    commit_all(root, "First commit")
    return root


def test_a_central_server_answers_of_the_checkouts_project(
    central: Organization, make_tool: MakeTool, tmp_path: Path
) -> None:
    tool = make_tool(directory=new_checkout(tmp_path / "mail"))
    answer = ask(tool, '{"query": "send an e-mail"}')
    assert answer["success"]
    assert [row["name"] for row in answer["results"]] == ["deliver_mail"]
    info = tool.get_info()
    assert info["index_path"] == central.service.url
    assert info["index_exists"] is True
    assert info["index_size"] == 1
    assert central.token not in repr(tool) + str(tool) + json.dumps(info)


def test_a_project_that_is_not_indexed_there_has_no_index(
    central: Organization, make_tool: MakeTool, tmp_path: Path
) -> None:
    root = new_checkout(tmp_path / "letters")
    tool = make_tool(directory=root)
    answer = ask(tool)
    assert answer == failure(answer["error"])
    assert answer["error"].startswith(
        f"No index found at {central.service.url}. Index your codebase first"
    )
    assert str(root) in answer["error"]
    assert tool.reload_index() is False
    info = tool.get_info()
    assert (info["index_exists"], info["index_size"]) == (False, 0)


def test_a_project_that_was_never_indexed_has_no_index(
    central: Organization, make_tool: MakeTool, tmp_path: Path
) -> None:
    """It is known to the service: a run was opened, and given up."""
    root = new_checkout(tmp_path / "drafts")
    give_up_a_run(central, root, "drafts")
    answer = ask(make_tool(directory=root))
    assert answer == failure(answer["error"])
    assert answer["error"].startswith(f"No index found at {central.service.url}.")


def give_up_a_run(organization: Organization, root: Path, project: str) -> None:
    request = OpenRequest(
        org_id=organization.slug,
        project_id=project,
        ref="refs/heads/main",
        commit_sha=git(root, "rev-parse", "HEAD"),
        extractor="test-1",
        repository_id=None,
    )
    with opened(organization, root) as (_, client):
        client.abandon_run(client.open_run(request).run_id, "cancelled")


def test_an_index_that_is_behind_is_said_to_be(
    central: Organization, make_tool: MakeTool, tmp_path: Path
) -> None:
    root = new_checkout(tmp_path / "post")
    index_here(central, root, "post")
    tool = make_tool(directory=root, similarity_threshold=0.0)
    assert "incomplete" not in ask(tool)
    write_files(root, {"more.py": "def stamp(letter):\n    return letter\n"})
    commit_all(root, "More")
    give_up_a_run(central, root, "post")
    answer = ask(tool)
    assert answer["success"]
    assert answer["count"] == 1
    assert answer["incomplete"] == (
        "Results may be missing from post (newer commits are not indexed yet)."
    )
    none = ask(make_tool(directory=root, similarity_threshold=1.0))
    assert none == failure(f"Search failed: Nothing was found. {answer['incomplete']}")


def test_a_wrong_token_is_refused_and_not_repeated(
    central: Organization,
    make_tool: MakeTool,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.setenv("AETERNA_TOKEN", "aet_wrong-token")
    tool = make_tool(directory=tmp_path, projects=["mail"], similarity_threshold=0.0)
    answer = ask(tool)
    assert answer == failure(answer["error"])
    assert answer["error"].startswith("Search failed: the service refused (HTTP 401, ")
    assert "check AETERNA_TOKEN" in answer["error"]
    assert "aet_wrong-token" not in answer["error"]
    assert tool.reload_index() is False
    info = tool.get_info()
    assert info["index_exists"] is None
    assert "check AETERNA_TOKEN" in info["index_error"]
    monkeypatch.setenv("AETERNA_TOKEN", central.token)
    assert tool.reload_index() is True
    assert ask(tool)["success"]


def test_a_service_that_is_away_is_no_empty_answer(
    central: Organization, make_tool: MakeTool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("AETERNA_URL", "http://127.0.0.1:9")
    answer = ask(make_tool(directory=tmp_path))
    assert answer == failure(answer["error"])
    assert answer["error"].startswith("Search failed: http://127.0.0.1:9 did not answer (")


def test_a_token_goes_to_no_server_that_only_the_checkout_names(
    make_tool: MakeTool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    named = '[server]\nurl = "https://collector.example"\norganization = "acme"\n'
    root = new_checkout(tmp_path / "hostile", {".codesearch.toml": named, "a.py": "a = 1\n"})
    write_files(root, {"config.yaml": "rag: {enabled: true}\n"})
    monkeypatch.setenv("AETERNA_TOKEN", "aet_a-token")
    answer = ask(make_tool(directory=root))
    assert answer == failure(answer["error"])
    assert "collector.example" in answer["error"]
    assert "aet_a-token" not in answer["error"]


class Odd(BaseHTTPRequestHandler):
    """What answers at the address is no service of ours."""

    answer = b""

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(self.answer)))
        self.end_headers()
        self.wfile.write(self.answer)

    def log_message(self, format: str, *arguments: Any) -> None:
        pass


@pytest.mark.parametrize(
    "answer",
    [
        b"<html>Sign in</html>",
        b"[]",
        b"null",
        b'"x"',
        b"{}",
        b'{"results": [], "receipt": {}}',
        b'{"results": [{}], "receipt": {"projects": ["x"], "missing": []}}',
        b'{"results": ["x"], "receipt": {"projects": ["x"], "missing": []}}',
        b'{"results": 5, "receipt": {"projects": ["x"], "missing": []}}',
        b'{"results": [{"similarity": "x"}], "receipt": {"projects": ["x"], "missing": []}}',
    ],
)
def test_an_odd_answer_is_an_error(
    central: Organization,
    make_tool: MakeTool,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    answer: bytes,
) -> None:
    handler = type("Answering", (Odd,), {"answer": answer})
    with listening(handler) as url:
        monkeypatch.setenv("AETERNA_URL", url)
        told = ask(make_tool(directory=tmp_path))
    assert told == failure(told["error"])
    assert told["error"].startswith("Search failed: ")


def test_an_embedder_that_is_away_is_no_empty_answer(
    make_tool: MakeTool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    files = {"src/backoff.py": "def retry_with_backoff(call):\n    return call()\n"}
    with prepared_data_directory() as data_dir, openai_server() as openai:
        variables = {"OPENAI_API_KEY": KEY, "OPENAI_BASE_URL": openai.url}
        provider = {"CODESEARCH_EMBEDDER_PROVIDER": "openai"}
        with running_service(data_dir, variables | provider) as service:
            root = new_checkout(tmp_path / "backoff", files)
            index_here(service.organization("local"), root, "backoff", **variables)
            monkeypatch.setenv("AETERNA_DATA_DIR", str(data_dir))
            tool = make_tool(directory=root)
            assert ask(tool, RETRY)["count"] == 1
            openai.troubles += [Trouble.BROKEN] * 50
            answer = ask(tool, '{"query": "retry and back off"}')
    assert answer == failure(answer["error"])
    assert "backoff (lexical results only: its embedder is unavailable)" in answer["error"]


def test_a_service_of_this_machine_that_ended_is_started_again(
    make_tool: MakeTool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """By one of the threads that ask meanwhile; all are answered."""
    with prepared_data_directory() as data_dir:
        monkeypatch.setenv("AETERNA_DATA_DIR", str(data_dir))
        monkeypatch.setenv("AETERNA_IDLE_MINUTES", "0")
        root = new_checkout(tmp_path / "again", dict(FILES))
        with running_service(data_dir) as service:
            index_here(service.organization("local"), root, "again")
            tool = make_tool(directory=root)
            first = ask(tool)
            assert first["success"]
            service.kill()
            with ThreadPoolExecutor(4) as pool:
                answers = list(pool.map(lambda _: ask(tool), range(8)))
            assert answers == [first] * 8
        tool.close()
        assert _CHILDREN[-1].wait(60) == 0  # nobody uses it any more


def test_threads_share_a_tool(make_tool: MakeTool) -> None:
    """Also while it is opened, closed and opened again."""
    tool = make_tool()
    single = ask(tool)
    barrier = threading.Barrier(8)

    def search(number: int) -> list[dict[str, Any]]:
        barrier.wait(10)
        answers = []
        for _ in range(5):
            if number == 0:
                tool.reload_index()
            answers.append(ask(tool))
        return answers

    with ThreadPoolExecutor(8) as pool:
        for answers in pool.map(search, range(8)):
            assert answers == [single] * 5


def test_the_event_loop_goes_on_while_the_tool_searches(
    make_tool: MakeTool, central: Organization, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The service answers only once the loop has done something else meanwhile."""
    let_go = threading.Event()

    class Waiting(Odd):
        def do_POST(self) -> None:
            assert let_go.wait(30)
            super().do_POST()

    with listening(Waiting) as url:
        monkeypatch.setenv("AETERNA_URL", url)
        tool = make_tool(directory=tmp_path)

        async def ask_and_go_on() -> list[str]:
            searches = [asyncio.create_task(tool.ainvoke(QUERY)) for _ in range(3)]
            await asyncio.sleep(0)
            asyncio.get_running_loop().call_later(0.05, let_go.set)
            return list(await asyncio.gather(*searches))

        answers = asyncio.run(ask_and_go_on())
    assert [json.loads(answer)["success"] for answer in answers] == [False] * 3
