"""For any history, the index after incremental runs equals that of a fresh full run."""

import itertools
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, Phase, event, example, given, note, settings
from hypothesis import strategies as st

from indexer.client.api import OpenRequest
from indexer.pipeline.fingerprint import EXTRACTOR
from indexer.pipeline.job import Job
from indexer.pipeline.report import Report
from indexer.records.runs import Requested
from scripts.local_service import Organization
from tests.e2e.histories import Branch, Step, force_push, octopus, put, steps
from tests.e2e.indexing import carried_out, opened
from tests.property_settings import examples

MAIN = "refs/heads/main"
LEGACY = "цена = 1\n".encode("koi8-r")
SCRIPT = b"function one() {}\n"
WIDE = "größe = 1\n".encode("utf-16-le")
_numbers = itertools.count()


def declared(charset: bytes) -> Step:
    """A file that declares an encoding for Python."""
    return put(".editorconfig", b"[*.py]\ncharset = " + charset + b"\n")


def languages(line: bytes) -> Step:
    """A file that declares languages."""
    return put(".gitattributes", line + b"\n")


def history_rule(line: bytes) -> Step:
    """What the project's file says of its history."""
    return put(".codesearch.toml", b"[history]\n" + line + b"\n")


def run(acme: Organization, branch: Branch, project: str) -> Report:
    """The real run, in this process."""
    with opened(acme, branch.path) as (repository, central):
        request = OpenRequest(acme.slug, project, MAIN, repository.commit("HEAD"), EXTRACTOR)
        return carried_out(Job(request, Requested.AUTO, timeout_seconds=30), repository, central)


def dump(acme: Organization, project: str) -> list[str]:
    """The canonical dump, asked of the server as `manage.py dump_index` asks it."""
    return acme.dump(project).splitlines()


@settings(
    examples(8),
    database=None,
    print_blob=True,
    phases=(Phase.explicit, Phase.generate, Phase.shrink),
    suppress_health_check=[HealthCheck.too_slow],
)
@example([[put("a.py", LEGACY)], [declared(b"koi8-r")], [declared(b"cp866")], [declared(b"")]])
@example([[put("a.py", LEGACY), declared(b"koi8-r")], [force_push(0, None)]])
@example(
    [[languages(b"a.py linguist-language=Ruby\n*_pb2.py linguist-language=Text")], [languages(b"")]]
)
@example([[put("web/dist/index.js", SCRIPT)], [put("web/action.yml", b"")], [force_push(0, None)]])
@example([[put("a.py", WIDE)], [declared(b"utf-16le")], [declared(b"utf-16be")], [declared(b"")]])
@example([[octopus("a.py", b"x = 1\n")], [force_push(0, b"y = 1\n")], [octopus("a.py", b"")]])
@example([[put("a.py", b"a\n")], [history_rule(b"lines = false")], [history_rule(b"")]])
@example([[history_rule(b"commits = false")], [put("a.py", b"a\n")], [history_rule(b"")]])
@given(history=st.lists(st.lists(steps(), min_size=1, max_size=4), min_size=1, max_size=4))
def test_incremental_runs_end_where_a_full_run_does(
    acme: Organization, history: list[list[Step]]
) -> None:
    project = f"history-{next(_numbers)}"
    with tempfile.TemporaryDirectory(prefix="aeterna-history-") as directory:
        branch = Branch.begin(Path(directory) / "clone")
        run(acme, branch, project)
        for pushed in history:
            for step in pushed:
                step(branch)
            report = run(acme, branch, project)
            event(report.reason)
            note(f"{[step.__qualname__ for step in pushed]}: {report.mode}, {report.reason}")
        run(acme, branch, f"{project}-afresh")
    assert dump(acme, project) == dump(acme, f"{project}-afresh")
