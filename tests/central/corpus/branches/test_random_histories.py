"""Random histories over several branches: each has the index that it would have as the only one."""

from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from central.repositories.models import Branch, Repository
from central.repositories.states import RunState
from tests.central.branches import BRANCHES, MAIN, Files, Service, counters, fresh_dump
from tests.central.protocol import api_of
from tests.property_settings import examples

PATHS = ("a.py", "kit/__init__.py", "kit/b.py", "kit/tools/c.py")
MANIFESTS = ("pyproject.toml", "kit/pyproject.toml")
SOURCES = ("", "one\n", "two\nlines\n", "three\n")
PACKAGES = ("shop 1.0", "shop 2.0 requests", "cart 1.0 requests flask")


contents = st.fixed_dictionaries(
    {},
    optional={
        **{path: st.sampled_from(SOURCES) for path in PATHS},
        **{path: st.sampled_from(PACKAGES) for path in MANIFESTS},
    },
)


@dataclass(frozen=True)
class Push:
    """A branch gets the files of a branch, of itself or of none, with changes."""

    branch: str
    merged: str
    changes: Files
    is_full: bool

    def run(self, service: Service) -> None:
        files = {**service.heads.get(self.merged, {}), **self.changes}
        assert service.push(self.branch, files, is_full=self.is_full) == [RunState.APPLIED]


@dataclass(frozen=True)
class Deletion:
    """A branch is deleted at the forge, unless it is the default one."""

    branch: str

    def run(self, service: Service) -> None:
        if self.branch != service.default:
            service.delete(self.branch)


@dataclass(frozen=True)
class NewDefault:
    """A branch becomes the default one."""

    branch: str

    def run(self, service: Service) -> None:
        if self.branch != service.default:
            service.make_default(self.branch)


branches = st.sampled_from(BRANCHES)
pushes = st.builds(Push, branches, st.sampled_from((*BRANCHES, "")), contents, st.booleans())
steps = st.one_of(
    pushes, pushes, pushes, st.builds(Deletion, branches), st.builds(NewDefault, branches)
)


@pytest.mark.django_db
@settings(examples(25))
@given(start=contents, history=st.lists(steps, min_size=1, max_size=8))
def test_each_branch_has_the_index_of_its_files_alone(
    start: Files, history: list[Push | Deletion | NewDefault]
) -> None:
    api = api_of()
    type(api.organization).objects.update(branches=["release/*", MAIN])
    Repository.objects.all().delete()
    service = Service(api)
    service.push(MAIN, start)
    for step in history:
        step.run(service)
    for branch, files in service.indexed.items():
        is_default = branch == service.default
        assert service.dump(branch) == fresh_dump(files, with_terms=is_default), branch
        shown = Branch.objects.filter(ref=f"refs/heads/{branch}").first()
        index = shown or Repository.objects.get(name="shop")
        assert counters(index) == counters(Repository.objects.get(name="fresh"))


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
        with_terms = branch == MAIN
        assert service.dump(branch) == fresh_dump(indexed, with_terms=with_terms), branch


@pytest.mark.django_db
def test_a_full_run_derives_packages_again_after_applies_of_a_version_without_branches(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    api = api_of()
    type(api.organization).objects.update(branches=["release/*"])
    service = Service(api)
    files = {"kit/b.py": "one\n", "pyproject.toml": "shop 1.0 flask"}
    service.push(MAIN, files)
    service.push("release/1", {**files, "kit/b.py": "three\n"})
    with monkeypatch.context() as patched:
        patched.setattr(Repository, "branch_bits", 0)
        service.push(MAIN, {**files, "pyproject.toml": "cart 2.0"})
        service.push(MAIN, files)
    Branch.objects.update(default_generation=0)
    service.push("release/1", service.heads["release/1"])
    assert service.dump("release/1") == fresh_dump(service.heads["release/1"], with_terms=False)
