from pathlib import Path

import pytest

from benchmarks.pinned import MissingRepositoryError, PinnedRepository, history, lay_out
from scripts.local_git import commit_all, git, new_repository


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    directory = new_repository(tmp_path / "clones" / "acme")
    for name in ("src", "docs"):
        (directory / name).mkdir()
        (directory / name / "pool.txt").write_text("one\n")
        commit_all(directory, f"Add {name}")
    return directory


def pinned(clone: Path, revision: str, *paths: str) -> PinnedRepository:
    return PinnedRepository("acme", "nowhere", git(clone, "rev-parse", revision), paths)


def test_only_the_paths_that_the_commit_holds_are_laid_out(clone: Path, tmp_path: Path) -> None:
    for revision, expected in (("HEAD", ["docs", "src"]), ("HEAD~1", ["src"])):
        repository = pinned(clone, revision, "src", "docs")
        directory = lay_out(
            repository, tmp_path / revision, clones=clone.parent, cache=tmp_path / "cache"
        )
        assert sorted(path.name for path in directory.iterdir() if path.name != ".git") == expected


def test_commit_that_is_not_there_is_missing(clone: Path, tmp_path: Path) -> None:
    repository = PinnedRepository("acme", "nowhere", "0" * 40, ())
    with pytest.raises(MissingRepositoryError, match="does not hold commit"):
        lay_out(repository, tmp_path / "out", clones=clone.parent, cache=tmp_path / "cache")


def test_history_is_fetched_with_all_commits(clone: Path, tmp_path: Path) -> None:
    latest = git(clone, "rev-parse", "HEAD")
    repository = PinnedRepository("acme", clone.as_uri(), git(clone, "rev-parse", "HEAD~1"), ())
    for _ in range(2):
        directory = history(repository, latest, clones=None, cache=tmp_path / "cache")
        assert git(directory, "rev-list", "--count", latest) == "2"
    assert history(repository, latest, clones=clone.parent, cache=tmp_path / "cache") == clone
