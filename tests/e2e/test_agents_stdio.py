"""`codesearch mcp` in a checkout: uncommitted work stands in front of what central says.

Central has two repositories, of which one uses the other. An agent works in a clone of the first,
which a watcher keeps indexed on this machine.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from scripts.local_git import commit_all, git, new_repository
from scripts.local_service import Organization, clean_environment
from scripts.local_watcher import Watcher, running_watcher
from tests.e2e.agents import (
    Agent,
    agent_over_http,
    agent_over_stdio,
    new_organization,
    settings_of,
    stdio_server,
    text_of,
)
from tests.e2e.conftest import prepared_data_directory, write_files
from tests.e2e.indexing import index_here

LEDGER = {
    "pyproject.toml": '[project]\nname = "acme-ledger"\nversion = "1.0.0"\n',
    "acme_ledger/__init__.py": "def post_entry(amount):\n    return amount\n",
}
INVOICES = """\
from acme_ledger import post_entry


def charge(invoice):
    return post_entry(invoice.total)


def settle(invoices):
    return [charge(invoice) for invoice in invoices]
"""
REMINDERS = """\
from billing.invoices import charge


def remind(invoice):
    return charge(invoice)
"""
BILLING = {
    "pyproject.toml": '[project]\nname = "billing"\nversion = "1.0.0"\n'
    'dependencies = ["acme-ledger>=1"]\n',
    "billing/__init__.py": "",
    "billing/invoices.py": INVOICES,
    "billing/reminders.py": REMINDERS,
}
UNCOMMITTED = INVOICES.replace(
    "\n\ndef charge",
    """

def write_off_bad_debt(invoice):
    \"\"\"Give up on an invoice that nobody will ever pay.\"\"\"
    return charge(invoice)


def charge""",
    1,
)


@dataclass(frozen=True)
class Desk:
    """A clone with a watcher, the agent that works in it, and one that asks central itself."""

    clone: Path
    settings: dict[str, str]
    watcher: Watcher
    agent: Agent
    central: Agent

    def write(self, name: str, content: str | None) -> None:
        """Change a file at one stroke, or remove it, and wait until that is indexed."""
        path = self.clone / name
        if content == (path.read_text(encoding="utf-8") if path.exists() else None):
            return
        if content is None:
            path.unlink()
        else:
            written = self.clone.parent / "written"
            written.write_text(content, encoding="utf-8")
            written.replace(path)
        self.watcher.line_where(lambda line: line["event"] == "updated")


@pytest.fixture(scope="module")
def acme(examples: Organization, tmp_path_factory: pytest.TempPathFactory) -> Organization:
    """An organisation of its own on the service of the examples."""
    organization = new_organization(examples.service, "desk")
    for name, files in {"ledger": LEDGER, "billing": BILLING}.items():
        directory = new_repository(tmp_path_factory.getbasetemp() / "central" / name)
        write_files(directory, files)
        commit_all(directory, "First commit")
        index_here(organization, directory, name)
    return organization


@pytest.fixture(scope="module")
def office(acme: Organization, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    origin = tmp_path_factory.getbasetemp() / "central" / "billing"
    with prepared_data_directory() as data_dir:
        clone = data_dir.parent / "billing"
        git(clone.parent, "clone", "--quiet", str(origin), str(clone))
        settings = settings_of(acme, data_dir)
        with (
            running_watcher(clone, data_dir, settings) as watcher,
            agent_over_stdio(stdio_server(clone, settings), clone.parent / "log") as agent,
            agent_over_http(acme.service.url, acme.token) as central,
        ):
            yield Desk(clone, settings, watcher, agent, central)


@pytest.fixture
def desk(office: Desk) -> Desk:
    """The clone as it was cloned, and watched."""
    for name, content in BILLING.items():
        office.write(name, content)
    return office


def test_a_clean_clone_is_answered_by_central_alone(desk: Desk) -> None:
    ours = desk.agent.ask("code_search", query="charge an invoice")
    theirs = desk.central.ask("code_search", query="charge an invoice")

    assert ours["results"] == theirs["results"]
    assert "local" not in ours["receipt"]


def test_uncommitted_work_is_found_and_never_reaches_central(desk: Desk) -> None:
    desk.write("billing/invoices.py", UNCOMMITTED)

    ours = desk.agent.ask("code_search", query="write off bad debt")
    theirs = desk.central.ask("code_search", query="write off bad debt")

    best = ours["results"][0]
    assert (best["project"], best["local"]) == ("billing", True)
    assert "write_off_bad_debt" in best["name"]
    [project] = [row for row in theirs["receipt"]["projects"] if row["project"] == "billing"]
    assert ours["receipt"]["local"]["base_commit"] == project["commit"]
    assert ours["receipt"]["local"]["files"] == 1
    assert not [row for row in theirs["results"] if "write_off" in row["content"]]
    assert desk.central.refusal("code_trace_callers", symbol="write_off_bad_debt")["status"] == 404


def test_a_trace_has_the_lines_of_the_work_tree(desk: Desk) -> None:
    desk.write("billing/invoices.py", UNCOMMITTED)

    answer = desk.agent.ask("code_trace_callers", symbol="charge")

    lines = UNCOMMITTED.splitlines()
    sites = {
        (row["file"], row["line"], row["caller"]["name"], row.get("local", False))
        for row in answer["callers"]
        if row["kind"] == "call"
    }
    assert sites == {
        ("billing/invoices.py", line_of(lines, "return charge"), "write_off_bad_debt", True),
        ("billing/invoices.py", line_of(lines, "[charge("), "settle", True),
        ("billing/reminders.py", 5, "remind", False),
    }
    [definition] = answer["definitions"]
    assert definition["line"] == line_of(lines, "def charge")


def test_calls_into_other_repositories_move_with_their_lines(desk: Desk) -> None:
    """Only central knows the other repository, only the work tree the line."""
    desk.write("billing/invoices.py", UNCOMMITTED)

    callers = desk.agent.ask("code_trace_callers", symbol="post_entry")["callers"]
    callees = desk.agent.ask("code_trace_callees", symbol="charge")["callees"]

    expected = ("billing/invoices.py", line_of(UNCOMMITTED.splitlines(), "post_entry(inv"), True)
    told = [(row["file"], row["line"], row["local"]) for row in callers if row["kind"] == "call"]
    assert told == [expected]
    assert [row["callee"]["project"] for row in callees if row["line"] == expected[1]] == ["ledger"]


def test_a_new_symbol_is_answered_by_the_work_tree(desk: Desk) -> None:
    desk.write("billing/invoices.py", UNCOMMITTED)

    graph = desk.agent.ask("code_graph", symbol="write_off_bad_debt")
    text = text_of(desk.agent.call("code_trace_callees", symbol="write_off_bad_debt"))

    assert graph["root"] == ["code:billing/billing/invoices.py#write_off_bad_debt"]
    assert "(uncommitted)" in text


def test_a_deleted_file_is_gone(desk: Desk) -> None:
    desk.write("billing/reminders.py", None)

    answer = desk.agent.ask("code_search", query="remind of an invoice")

    assert "billing/reminders.py" not in {row["file"] for row in answer["results"]}


def test_the_status_tells_of_the_work_tree(desk: Desk) -> None:
    desk.write("billing/invoices.py", UNCOMMITTED)

    answer = desk.agent.ask("code_index_status")

    assert answer["local"]["project"] == "billing"
    assert answer["local"]["files"] == 1


@pytest.mark.parametrize(
    "words", [("search", "write", "off", "bad", "debt"), ("trace", "callers", "charge")]
)
def test_the_commands_answer_as_the_tools_do(desk: Desk, words: tuple[str, ...]) -> None:
    desk.write("billing/invoices.py", UNCOMMITTED)

    done = subprocess.run(
        [sys.executable, "-m", "aeterna_code_search.cli", *words, "--json"],
        cwd=desk.clone,
        env=clean_environment(desk.settings),
        capture_output=True,
        text=True,
        check=True,
    )

    answer = json.loads(done.stdout)
    assert answer["receipt"]["local"]["files"] == 1
    rows = answer.get("results") or answer["callers"]
    assert "write_off_bad_debt" in json.dumps([row for row in rows if row.get("local")])


def line_of(lines: list[str], text: str) -> int:
    """The first line that holds the text."""
    return next(number for number, line in enumerate(lines, start=1) if text in line)
