"""Random histories over several branches: each has the index that it would have as the only one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from central.corpus.dump import dump_lines
from central.repositories.models import Branch, Repository
from central.repositories.states import RunState
from indexer.records.files import FileRecord, Removal
from indexer.records.manifests import Dependency, Ecosystem, Manifest
from tests.central.protocol import Api, api_of, apply_queued, commit_of, file_record, tree_of

Files = dict[str, str]

MAIN = "main"
BRANCHES = (MAIN, "release/1", "release/2")
PATHS = ("a.py", "kit/__init__.py", "kit/b.py", "kit/tools/c.py")
MANIFESTS = ("pyproject.toml", "kit/pyproject.toml")
SOURCES = ("", "one\n", "two\nlines\n", "three\n")
PACKAGES = ("shop 1.0", "shop 2.0 requests", "cart 1.0 requests flask")


def record_of(path: str, content: str) -> FileRecord:
    record = file_record(path, content)
    if not path.endswith(".toml"):
        return record
    name, version, *dependencies = content.split()
    asked = tuple(Dependency(name, "") for name in dependencies)
    manifest = Manifest(Ecosystem.PYPI, name, version, dependencies=asked)
    return replace(record, language="toml", imports=(), references=(), manifest=manifest)


@dataclass
class Service:
    """A repository, what each branch has at its head, and what is indexed of it."""

    api: Api
    project: str = "shop"
    heads: dict[str, Files] = field(default_factory=dict)
    indexed: dict[str, Files] = field(default_factory=dict)
    record: Callable[[str, str], FileRecord] = record_of

    def push(self, branch: str, files: Files, *, is_full: bool = False) -> list[RunState | None]:
        self.heads[branch] = files
        run = self.open(branch, files)
        before = self.indexed.get(branch)
        if is_full or before is None or not run["base_commit"]:
            changed = self.api.put_tree(run, tree_of(files)).json()["changed"]
            records: list[FileRecord | Removal] = [
                self.record(path, files[path]) for path in changed
            ]
            mode = "full"
        else:
            records = [self.record(*item) for item in files.items() if item not in before.items()]
            records += [Removal(path) for path in before if path not in files]
            mode = "incremental"
        self.send(run, records, mode)
        states = apply_queued()
        self.indexed[branch] = files
        return states

    def open(self, branch: str, files: Files) -> dict[str, Any]:
        answer = self.api.open(
            self.project,
            ref=f"refs/heads/{branch}",
            default_branch=MAIN,
            commit_sha=commit_of({**files, "of": branch}),
        )
        assert answer.status_code == 201, answer.content
        opened: dict[str, Any] = answer.json()
        return opened

    def send(self, run: Mapping[str, Any], records: list[Any], mode: str) -> None:
        if records:
            assert self.api.put_batch(run, 1, records).status_code == 204
        state = self.api.state(run)
        body = self.api.announcement(
            run,
            project_id=self.project,
            mode=mode,
            commit_sha=state["commit_sha"],
            batches=int(bool(records)),
        )
        answer = self.api.deliver(run, body)
        assert answer.status_code == 202, answer.content

    def dump(self, branch: str) -> list[str]:
        repository = Repository.objects.select_related("organization").get(name=self.project)
        if branch == MAIN:
            return without_terms(dump_lines(repository))
        return dump_lines(repository, Branch.objects.get(ref=f"refs/heads/{branch}"))


def without_terms(lines: list[str]) -> list[str]:
    return [line for line in lines if '"type":"terms"' not in line]


def fresh_dump(files: Files) -> list[str]:
    """The dump of a repository that has nothing else."""
    fresh = Service(api_of(), project="fresh")
    Repository.objects.filter(name="fresh").delete()
    fresh.push(MAIN, files)
    return fresh.dump(MAIN)


def counters(of: Repository | Branch) -> dict[str, Any]:
    names = ("files", "skipped", "chunks", "symbols", "references", "languages")
    return {name: getattr(of, name) for name in names}


contents = st.fixed_dictionaries(
    {},
    optional={
        **{path: st.sampled_from(SOURCES) for path in PATHS},
        **{path: st.sampled_from(PACKAGES) for path in MANIFESTS},
    },
)


@st.composite
def steps(draw: st.DrawFn) -> list[tuple[str, str, Files, bool]]:
    """Pushes: the branch, the branch whose files it takes, changes to them, and if all is sent."""
    return draw(
        st.lists(
            st.tuples(
                st.sampled_from(BRANCHES),
                st.sampled_from((*BRANCHES, "")),
                contents,
                st.booleans(),
            ),
            min_size=1,
            max_size=8,
        )
    )


@pytest.mark.django_db
@given(start=contents, pushes=steps())
def test_each_branch_has_the_index_of_its_files_alone(
    start: Files, pushes: list[tuple[str, str, Files, bool]]
) -> None:
    api = api_of()
    type(api.organization).objects.update(branches=["release/*"])
    Repository.objects.all().delete()
    service = Service(api)
    service.push(MAIN, start)
    for branch, merged, changes, is_full in pushes:
        files = {**service.heads.get(merged or branch, start), **changes}
        if not merged:
            files = changes
        assert service.push(branch, files, is_full=is_full) == [RunState.APPLIED]
    for branch, files in service.indexed.items():
        assert service.dump(branch) == fresh_dump(files), branch
    fresh = Repository.objects.get(name="fresh")
    shown = Branch.objects.filter(ref=f"refs/heads/{branch}").first()
    assert counters(shown or Repository.objects.get(name="shop")) == counters(fresh)


@pytest.mark.django_db
def test_a_branch_keeps_its_packages_when_the_default_branch_renames_them() -> None:
    api = api_of()
    type(api.organization).objects.update(branches=["release/*"])
    service = Service(api)
    files = {"kit/b.py": "one\n", "kit/__init__.py": "", "pyproject.toml": "shop 1.0 flask"}
    service.push(MAIN, files)
    service.push("release/1", {**files, "a.py": "two\nlines\n"})
    service.push(MAIN, {**files, "pyproject.toml": "cart 2.0"})
    service.push("release/2", {**files, "pyproject.toml": "shop 1.1 flask"})
    service.push(MAIN, {"pyproject.toml": "shop 3.0", "a.py": "one\n"})
    for branch, indexed in service.indexed.items():
        assert service.dump(branch) == fresh_dump(indexed), branch
