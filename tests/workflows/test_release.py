"""The steps of release.yml that are ours, on a clone of a real repository."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from scripts.local_git import commit_all, git, new_repository
from scripts.release import move_major_tag, notes, publish, unpublished_pages
from tests.workflows.files import ROOT, load_workflow

RELEASE = ROOT / ".github" / "workflows" / "release.yml"
# Commands and steps that are copied, not names in a sentence.
NEEDS_RELEASE = re.compile(
    r"^(?:uv tool install|pip install) aeterna-code-search|uses: aeterna/code-search/\S+@v\d"
    r"|Copy \[`workflows/templates",
    re.MULTILINE,
)
CHANGELOG = (
    "# Changelog\n\n## Unreleased\n\n## 1.2.0, 2026-11-26\n\n* Finds more.\n\n## 1.1.0\n\n* X\n"
)


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone of a project whose version is 1.2.0."""
    git(tmp_path, "init", "--quiet", "--bare", "--initial-branch", "main", "origin.git")
    tree = new_repository(tmp_path / "clone")
    git(tree, "remote", "add", "origin", str(tmp_path / "origin.git"))
    (tree / "pyproject.toml").write_text('[project]\nname = "x"\nversion = "1.2.0"\n')
    (tree / "CHANGELOG.md").write_text(CHANGELOG)
    commit_all(tree, "First commit")
    git(tree, "push", "--quiet", "origin", "HEAD:main")
    git(tree, "fetch", "--quiet", "origin")
    return tree


def release(clone: Path, tag: str) -> str:
    """Tag a new commit; returns what moving the major tag says."""
    (clone / "file").write_text(tag)
    commit_all(clone, tag)
    git(clone, "tag", "--annotate", "--message", tag, tag)
    git(clone, "push", "--quiet", "origin", "HEAD:main", tag)
    return move_major_tag(clone, tag)


def at_origin(clone: Path, name: str) -> str:
    """The commit of a tag at the origin."""
    return git(clone.parent / "origin.git", "rev-parse", f"refs/tags/{name}^{{commit}}")


def test_the_major_tag_follows_the_newest_release(clone: Path) -> None:
    for tag in ("v1.2.0", "v1.9.0", "v1.10.0"):
        assert release(clone, tag) == f"v1 is now {tag}"
        assert at_origin(clone, "v1") == at_origin(clone, tag)


def test_a_release_of_an_older_line_moves_nothing(clone: Path) -> None:
    release(clone, "v1.10.0")
    assert release(clone, "v1.9.1") == "v1 stays at v1.10.0, which is newer than v1.9.1"
    assert at_origin(clone, "v1") == at_origin(clone, "v1.10.0")


def test_another_major_version_has_a_tag_of_its_own(clone: Path) -> None:
    release(clone, "v1.2.0")
    release(clone, "v2.0.0")
    release(clone, "v11.0.0")
    assert release(clone, "v1.2.1") == "v1 is now v1.2.1"
    assert at_origin(clone, "v2") == at_origin(clone, "v2.0.0")


def test_moving_again_changes_nothing(clone: Path) -> None:
    release(clone, "v1.2.0")
    assert move_major_tag(clone, "v1.2.0") == "v1 is now v1.2.0"


def test_the_notes_are_the_changelogs(clone: Path) -> None:
    git(clone, "tag", "v1.2.0")
    assert notes(clone, "v1.2.0") == "* Finds more.\n"


@pytest.mark.parametrize(
    ("tag", "reason"),
    [("v1.1.0", "not the version"), ("v1", "no release"), ("v1.2.0-rc1", "no release")],
)
def test_a_tag_that_is_not_the_version_is_refused(clone: Path, tag: str, reason: str) -> None:
    git(clone, "tag", tag)
    with pytest.raises(SystemExit, match=reason):
        notes(clone, tag)


def test_a_commit_that_is_not_on_main_is_refused(clone: Path) -> None:
    (clone / "file").write_text("x")
    commit_all(clone, "Elsewhere")
    git(clone, "tag", "v1.2.0")
    with pytest.raises(SystemExit, match="not on the branch main"):
        notes(clone, "v1.2.0")


def test_a_release_without_notes_is_refused(clone: Path) -> None:
    (clone / "CHANGELOG.md").write_text("# Changelog\n\n## Unreleased\n\n* Finds more.\n")
    git(clone, "tag", "v1.2.0")
    with pytest.raises(SystemExit, match="has no part"):
        notes(clone, "v1.2.0")


def test_it_runs_without_any_package(clone: Path) -> None:
    git(clone, "tag", "v1.2.0")
    command = [sys.executable, "-S", str(ROOT / "scripts" / "release.py"), "notes", "v1.2.0"]
    done = subprocess.run(command, cwd=clone, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "* Finds more.\n")


def test_only_what_is_built_is_attested_and_then_published() -> None:
    jobs = load_workflow(RELEASE)["jobs"]
    assert jobs["attest"]["needs"] == "build"
    assert jobs["release"]["needs"] == "attest"
    [step] = [one for one in jobs["attest"]["steps"] if "attest" in one["uses"]]
    assert step["with"] == {"subject-path": "build/dist/*"}


def test_no_token_stands_in_a_command_or_reaches_a_build() -> None:
    jobs = load_workflow(RELEASE)["jobs"]
    given = {
        name: [value for step in job["steps"] for value in step.get("env", {}).values()]
        for name, job in jobs.items()
    }
    assert given == {"build": [], "attest": [], "release": ["${{ github.token }}"] * 2}


UNTIL_RELEASE = "<!-- until the first release -->\n> Build it.\n<!-- /until the first release -->\n"


def test_what_documents_say_until_the_first_release_goes_before_it(clone: Path) -> None:
    page = clone / "README.md"
    page.write_text(f"# X\n\n{UNTIL_RELEASE}\nInstall it.\n")
    commit_all(clone, "A page")
    git(clone, "tag", "v1.2.0")
    git(clone, "push", "--quiet", "origin", "HEAD:main")
    git(clone, "fetch", "--quiet", "origin")
    with pytest.raises(SystemExit, match=r"README\.md says that nothing is published"):
        notes(clone, "v1.2.0")
    assert publish(clone) == "README.md\n"
    assert page.read_text() == "# X\n\nInstall it.\n"
    assert publish(clone) == ""


def test_each_page_that_installs_or_uses_a_release_says_until_then_what_works() -> None:
    released = re.search(r"^## \d", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    said = {str(page.relative_to(ROOT)) for page in unpublished_pages(ROOT)}
    pages = set(git(ROOT, "ls-files", "*.md").splitlines())
    pages -= {"CHANGELOG.md", "PACKAGE.md"}  # the second is read where the package is published
    needing = {page for page in pages if NEEDS_RELEASE.search((ROOT / page).read_text("utf-8"))}
    assert needing
    assert said == (set() if released else needing)
