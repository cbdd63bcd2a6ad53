"""For any history, the index after incremental runs equals that of a fresh full run."""

import itertools
import json
import tempfile
from pathlib import Path

from hypothesis import HealthCheck, Phase, event, example, given, note, settings
from hypothesis import strategies as st

from indexer.client.api import OpenRequest
from indexer.pipeline.fingerprint import EXTRACTOR
from indexer.pipeline.job import Job
from indexer.pipeline.report import Report
from indexer.records.runs import Requested
from scripts.local_git import git
from scripts.local_service import Organization
from tests.e2e.histories import (
    Branch,
    Step,
    cherry_pick_of,
    force_push,
    merge_of,
    octopus,
    put,
    steps,
)
from tests.e2e.indexing import carried_out, opened
from tests.property_settings import examples

MAIN = "refs/heads/main"
LEGACY = "цена = 1\n".encode("koi8-r")
SCRIPT = b"function one() {}\n"
WIDE = "größe = 1\n".encode("utf-16-le")
OF_DEFAULT = {"commit", "commit_change", "commit_patch", "terms"}
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


def run(acme: Organization, branch: Branch, project: str, ref: str = MAIN) -> Report:
    """The real run, in this process."""
    branch.git("update-ref", ref, "HEAD")
    with opened(acme, branch.path) as (repository, central):
        commit = repository.commit("HEAD")
        request = OpenRequest(acme.slug, project, ref, commit, EXTRACTOR, default_branch="main")
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


def of_branches(lines: list[str]) -> list[str]:
    """What a branch beside the default one has, of a dump."""
    return [line for line in lines if json.loads(line)["type"] not in OF_DEFAULT]


@settings(
    examples(6),
    database=None,
    print_blob=True,
    phases=(Phase.explicit, Phase.generate, Phase.shrink),
    suppress_health_check=[HealthCheck.too_slow],
)
@given(data=st.data())
def test_each_branch_ends_where_a_full_run_of_it_alone_does(
    acme: Organization, data: st.DataObject
) -> None:
    acme.service.manage("branches", "--organization", acme.slug, "release/*")
    project = f"branches-{next(_numbers)}"
    with tempfile.TemporaryDirectory(prefix="aeterna-branches-") as directory:
        clones = {MAIN: Branch.begin(Path(directory) / "main")}
        run(acme, clones[MAIN], project)
        for number in (1, 2):
            path = Path(directory) / f"release-{number}"
            git(Path(directory), "clone", "--quiet", str(clones[MAIN].path), str(path))
            git(path, "remote", "remove", "origin")
            clones[f"refs/heads/release/{number}"] = Branch(path)
        refs = st.sampled_from(sorted(clones))
        for _ in range(data.draw(st.integers(2, 6))):
            ref, other = data.draw(refs), data.draw(refs)
            between = st.sampled_from([merge_of(clones[other]), cherry_pick_of(clones[other])])
            pushed = data.draw(
                st.lists(st.one_of(steps(), steps(), between), min_size=1, max_size=3)
            )
            for step in pushed:
                step(clones[ref])
            report = run(acme, clones[ref], project, ref)
            note(f"{ref} {[step.__qualname__ for step in pushed]}: {report.mode}, {report.reason}")
        for ref, clone in clones.items():
            run(acme, clone, project, ref)
            run(acme, clone, f"{project}-{clone.path.name}")
    for ref, clone in clones.items():
        alone = dump(acme, f"{project}-{clone.path.name}")
        if ref == MAIN:
            assert dump(acme, project) == alone
        else:
            assert acme.dump(project, ref).splitlines() == of_branches(alone), ref
