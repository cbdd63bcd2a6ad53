import json
from pathlib import Path

from benchmarks.retrieval.baseline import answers_file, ask
from benchmarks.retrieval.index import Place
from scripts.local_git import commit_all, new_repository


def repository(directory: Path, text: str) -> Path:
    new_repository(directory)
    (directory / "pool.py").write_text(text)
    commit_all(directory, "Files")
    return directory


def test_what_was_asked_before_of_the_same_files_is_not_asked_again(tmp_path: Path) -> None:
    group = [repository(tmp_path / "acme", "def close(): ...\n")]
    file = answers_file(tmp_path, group)
    file.parent.mkdir()
    file.write_text(json.dumps({"close leases": [["acme", "pool.py", 1, 1]]}))
    asked = ask(tmp_path, [group], [["close leases", "close leases"]])
    assert asked == [[[Place("acme", "pool.py", 1, 1)]] * 2]
    assert not (tmp_path / "semble").exists()


def test_answers_are_kept_by_names_and_content_of_the_files(tmp_path: Path) -> None:
    first = repository(tmp_path / "a" / "acme", "def close(): ...\n")
    same = repository(tmp_path / "b" / "acme", "def close(): ...\n")
    renamed = repository(tmp_path / "b" / "other", "def close(): ...\n")
    changed = repository(tmp_path / "c" / "acme", "def open(): ...\n")
    files = [answers_file(tmp_path, [one]) for one in (first, same, renamed, changed)]
    assert files[0] == files[1]
    assert len({*files, answers_file(tmp_path, [first, renamed])}) == 4
