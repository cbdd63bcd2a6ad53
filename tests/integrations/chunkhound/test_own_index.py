"""Our own index where ChunkHound has none: the embedded service, as a user's machine has it."""

import fcntl
from collections.abc import Iterator
from pathlib import Path

import pytest

from aeterna_code_search.integrations.chunkhound import code, search
from central.runtime.data_directory import running_server
from scripts.local_git import commit_all, new_repository
from scripts.local_service import Organization, Service, running_service
from tests.e2e.conftest import prepared_data_directory, write_files
from tests.e2e.indexing import index_here
from tests.embedding_servers import Server
from tests.integrations.chunkhound.conftest import CHUNKS, SOURCES, Home
from tests.integrations.chunkhound.databases import write_database
from tests.integrations.chunkhound.test_search import entries, files
from tests.waiting import wait_until

pytestmark = pytest.mark.timeout(600)  # seconds; a service starts

ACCOUNTS = '''\
"""Accounts of customers."""

LIMIT = 10


class Ledger:
    """Balances of customers, kept by day."""

    # Adds money to an account: payments and refunds.
    def deposit(self, amount):
        self.total += amount

    def withdraw(self, amount):
        """Take money out of an account, unless it would be overdrawn."""
        if amount > self.total:
            raise ValueError(amount)
        self.total -= amount
'''


@pytest.fixture(scope="module")
def service() -> Iterator[Service]:
    with prepared_data_directory() as directory, running_service(directory) as running:
        yield running


@pytest.fixture(scope="module")
def checkout(service: Service, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository that our index holds, with another one beside it."""
    organization = service.organization("local")
    for name, sources in {
        "shop": SOURCES | {"billing/accounts.py": ACCOUNTS},
        "other": {"login.py": "def other_login():\n    '''Authentication logic of another.'''\n"},
    }.items():
        directory = new_repository(tmp_path_factory.getbasetemp() / "own" / name)
        write_files(directory, sources)
        commit_all(directory, "First commit")
        index_here(Organization(service, "local", organization.token), directory, name)
    return tmp_path_factory.getbasetemp() / "own/shop"


@pytest.fixture
def shop(service: Service, checkout: Path, home: Home, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The repository, on a machine whose service answers for it; there is no key."""
    home.secrets.unlink()
    monkeypatch.setenv("AETERNA_URL", service.url)
    monkeypatch.setenv("AETERNA_ORGANIZATION", "local")
    monkeypatch.setenv("AETERNA_TOKEN", service.organization("local").token)
    monkeypatch.setenv("AETERNA_PROJECT", "shop")
    monkeypatch.chdir(checkout)
    return checkout


def test_a_project_without_a_database_is_searched_in_our_index(shop: Path, openai: Server) -> None:
    found = entries(code.search(query="authentication logic"))
    assert {"src/login.py", "tests/test_login.py"} <= {entry["file"] for entry in found}
    assert "login.py" not in {entry["file"] for entry in found}  # of the other repository
    login = next(entry for entry in found if entry["file"] == "src/login.py")
    assert (login["type"], login["language"]) == ("function", "python")
    assert login["lines"] == "4-10"  # our index joins two small functions
    assert login["code"].startswith("def login(user, password):")
    scores = [float(entry["score"]) for entry in found]
    assert scores == sorted(scores, reverse=True)
    assert 0 < scores[0] <= 1
    assert not openai.requests


def test_its_filters_are_those_of_the_tool(shop: Path) -> None:
    query = "validation of a token or a call"
    assert {e["language"] for e in entries(code.search(query=query, language="Go"))} == {"go"}
    for chunk_type in ("function", "class"):
        found = entries(code.search(query=query, chunk_type=chunk_type))
        assert {entry["type"] for entry in found} == {chunk_type}
    found = files(code.search(query=query, exclude="TEST|mock|fixture", limit=100))
    assert "src/login.py" in found
    assert not [name for name in found if "test" in name.lower() or "mock" in name.lower()]
    assert len(entries(code.search(query=query, limit=2))) == 2
    assert code.search(query=query, language="rust") == f"No results found for: {query}"
    assert 'There is no language "cobol"' in code.search(query=query, language="cobol")


def test_comments_are_those_that_document_a_definition(shop: Path) -> None:
    """They are no chunks of our index, so that they have the score of what they document."""
    query = "take money out of an account"
    found = entries(code.search(query=query, chunk_type="comment", limit=100))
    assert {entry["type"] for entry in found} == {"comment"}
    comments = {entry["code"].strip(): entry for entry in found}
    withdraw = comments['"""Take money out of an account, unless it would be overdrawn."""']
    assert (withdraw["name"], withdraw["lines"]) == ("withdraw", "14-14")
    deposit = comments["# Adds money to an account: payments and refunds."]
    assert (deposit["name"], deposit["lines"]) == ("deposit", "9-9")
    assert '"""Balances of customers, kept by day."""' in comments
    assert "// error handling validation of a call" in comments
    (whole,) = [
        entry
        for entry in entries(code.search(query=query, chunk_type="class", limit=100))
        if entry["name"] == "Ledger"
    ]
    assert whole["score"] == withdraw["score"] == deposit["score"]
    assert len(entries(code.search(query=query, chunk_type="comment", limit=1))) == 1


def test_expansion_shows_the_lines_of_the_indexed_file(shop: Path) -> None:
    lines = ACCOUNTS.splitlines()
    (ledger,) = entries(code.search(query="customer ledger", chunk_type="class", expand=2, limit=1))
    assert (ledger["name"], ledger["lines"]) == ("Ledger", "4-17")
    assert ledger["code"].split("\n") == lines[3:17]
    (comment,) = entries(
        code.search(query="customer ledger", chunk_type="comment", expand=2, limit=1)
    )
    assert (comment["name"], comment["lines"]) == ("Ledger", "5-9")
    assert comment["code"].split("\n") == lines[4:9]


def test_a_batch_merges_and_keeps_the_best(shop: Path) -> None:
    both = entries(code.search_batch(queries="authentication logic|withdraw money", limit=100))
    places = [(entry["file"], entry["lines"]) for entry in both]
    assert len(places) == len(set(places))
    for query in ("authentication logic", "withdraw money"):
        (best,) = entries(code.search(query=query, limit=1))
        assert (best["file"], best["lines"], best["score"]) in {
            (entry["file"], entry["lines"], entry["score"]) for entry in both
        }


def test_a_directory_of_a_checkout_is_a_project_of_its_own(shop: Path) -> None:
    query = "authentication logic"
    found = files(code.search(query=query, path=str(shop / "src"), limit=100))
    assert found >= {"login.py", "tokens.py", "Mock_Login.py"}
    assert "test_login.py" not in found
    assert "login.py" in files(code.search(query=query, path="src", exclude="src/|mock"))


def test_the_status_counts_what_our_index_holds(shop: Path, service: Service) -> None:
    assert code.status() == (
        f"Project indexed: {shop}\nDatabase: {service.url}\nFiles: 6\nChunks: "
        + code.status().partition("Chunks: ")[2]
    )
    assert "\nLanguages: python: 5, go: 1" in code.status()


def test_a_database_of_chunkhound_comes_first(shop: Path, home: Home, openai: Server) -> None:
    database = shop / ".chunkhound/db/chunks.db"
    write_database(database, CHUNKS[:1])
    try:
        assert code.search(query="query").startswith("OPENAI_API_KEY not configured")
        assert f"Database: {database}\n" in code.status()
    finally:
        database.unlink()
    assert "Error: Project not indexed." in code.search(query="q", db=".chunkhound/db/chunks.db")


def test_a_repository_that_the_service_does_not_hold(
    shop: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AETERNA_PROJECT")
    unknown = new_repository(tmp_path / "unknown")
    write_files(unknown, {"a.py": "x = 1\n"})
    commit_all(unknown, "First commit")
    (tmp_path / "no-checkout").mkdir()
    for root in (unknown, tmp_path / "no-checkout"):
        for text in (code.search(query="q", path=str(root)), code.status(path=str(root))):
            assert f"Run: chunkhound index {root}\n" in text
            assert f"Expected database at: {root}/.chunkhound/db/chunks.db" in text


def test_a_service_of_this_machine_stays_for_the_next_question(
    home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It takes seconds to start, and ends when nobody uses it."""
    repository = new_repository(tmp_path / "empty")
    with prepared_data_directory() as data:
        with running_service(data):
            pass  # now there is one to ask
        monkeypatch.setenv("AETERNA_DATA_DIR", str(data))
        monkeypatch.setenv("AETERNA_IDLE_MINUTES", "0")
        assert f"Run: chunkhound index {repository}" in code.status(path=str(repository))

        with (data / "users.lock").open() as lock, pytest.raises(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)

        search._service.cache_clear()
        wait_until(lambda: running_server(data) is None)


def test_a_service_that_is_away_says_so(shop: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AETERNA_URL", "http://127.0.0.1:9")
    assert code.search(query="q").startswith(
        "Error: The index at http://127.0.0.1:9 is unavailable: "
    )


def test_a_server_that_only_the_checkout_names_is_not_asked(
    shop: Path, monkeypatch: pytest.MonkeyPatch, service: Service
) -> None:
    monkeypatch.delenv("AETERNA_URL")
    (shop / ".codesearch.toml").write_text('[server]\nurl = "https://search.example.com"\n')
    try:
        text = code.search(query="q")
    finally:
        (shop / ".codesearch.toml").unlink()
    assert text.startswith("Error: The index at ")
    assert "confirm" in text
    assert service.organization("local").token not in text


def test_index_build_logging(service: Service, checkout: Path) -> None:
    """Specification 1: a built index is logged with its path and its files."""
    lines = [
        line
        for line in service.log.read_text().splitlines()
        if '"span": "code.index.build"' in line and '"path": "local/shop"' in line
    ]
    (line,) = lines
    assert '"fileCount": 6' in line
