"""A repository with several branches, as runs of the indexing API make it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from central.corpus.branch_lifecycle import change_default_branch, delete_branch
from central.corpus.dump import dump_lines
from central.repositories.models import Branch, Repository
from central.repositories.states import RunState
from indexer.records.files import FileRecord, Removal
from indexer.records.manifests import Dependency, Ecosystem, Manifest
from tests.central.protocol import Api, api_of, apply_queued, commit_of, file_record, tree_of

Files = dict[str, str]

MAIN = "main"
BRANCHES = (MAIN, "release/1", "release/2")


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
    default: str = MAIN
    heads: dict[str, Files] = field(default_factory=dict)
    indexed: dict[str, Files] = field(default_factory=dict)
    record: Callable[[str, str], FileRecord] = record_of

    def push(self, branch: str, files: Files, *, is_full: bool = False) -> list[RunState | None]:
        self.queue(branch, files, is_full=is_full)
        return apply_queued()

    def queue(self, branch: str, files: Files, *, is_full: bool = False) -> str:
        """Upload what a run of the branch sends; returns the run's id."""
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
        self.indexed[branch] = files
        return str(run["run_id"])

    def open(self, branch: str, files: Files) -> dict[str, Any]:
        answer = self.api.open(
            self.project,
            ref=f"refs/heads/{branch}",
            default_branch=self.default,
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

    def delete(self, branch: str) -> None:
        for stored in Branch.objects.filter(ref=f"refs/heads/{branch}"):
            delete_branch(stored)
        self.indexed.pop(branch, None)

    def make_default(self, branch: str) -> None:
        repository = Repository.objects.get(name=self.project)
        old, new = (f"refs/heads/{name}" for name in (self.default, branch))
        assert change_default_branch(repository, old=old, new=new)
        if branch not in self.indexed:  # it continues what there is
            self.indexed[branch] = self.indexed.pop(self.default)
        self.default = branch

    def dump(self, branch: str) -> list[str]:
        repository = Repository.objects.select_related("organization").get(name=self.project)
        if branch == self.default:
            return dump_lines(repository)
        return dump_lines(repository, Branch.objects.get(ref=f"refs/heads/{branch}"))


def without_terms(lines: list[str]) -> list[str]:
    return [line for line in lines if '"type":"terms"' not in line]


def fresh_dump(files: Files, *, with_terms: bool) -> list[str]:
    """The dump of a repository that has nothing else."""
    fresh = Service(api_of(), project="fresh")
    Repository.objects.filter(name="fresh").delete()
    fresh.push(MAIN, files)
    dump = fresh.dump(MAIN)
    return dump if with_terms else without_terms(dump)


def counters(of: Repository | Branch) -> dict[str, Any]:
    names = ("files", "skipped", "chunks", "symbols", "references", "languages")
    return {name: getattr(of, name) for name in names}
