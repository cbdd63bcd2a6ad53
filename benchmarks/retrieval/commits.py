"""Subjects of commits as queries: what is right are the source files that the commit changed.

The index is of an earlier commit, so that nothing of the change is in what is searched.
"""

import re
import tomllib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from benchmarks.retrieval.queries import Kind, Query, digest, is_aside, whole_file
from indexer.languages import detect

WORDS = Path(__file__).with_name("commit_words.toml")
PER_REPOSITORY = 22
PER_FILE = 3
MAX_FILES = 3
MIN_WORDS, MAX_WORDS = 4, 30
_SEED = "retrieval-commits-1"
_CONVENTIONAL = re.compile(r"^\[?([a-z ]+)\]?(?:\(([^)]*)\))?!?:\s+", re.IGNORECASE)
_TICKET = re.compile(
    r"\s*[\[(]?(?:(?:fix(?:e[sd])?|clos(?:e[sd]?|ing)|resolves?|refs?|see|gh)[:\s-]*)?"
    r"(?:#\d+|\b[A-Z]{2,}-\d+)(?:\s*,\s*#\d+)*[\])]?[:.]?",
    re.IGNORECASE,
)
_WORD = re.compile(r"[a-z][\w'-]*", re.IGNORECASE)


class Words(NamedTuple):
    """What commit_words.toml says, in lower case."""

    left_out: frozenset[str]
    kinds: frozenset[str]


class Commit(NamedTuple):
    """A commit's id, its subject, and the status letter of each path that it changed."""

    id: str
    subject: str
    status: dict[str, str]


@cache
def words() -> Words:
    """Return the committed lists."""
    content = tomllib.loads(WORDS.read_text(encoding="utf-8"))
    return Words(frozenset(content["left_out"]), frozenset(content["kinds"]))


def read_log(output: str) -> Iterator[Commit]:
    """Yield the commits of `git log --name-status --no-renames --format=%x1e%H%x1f%s`."""
    for entry in output.split("\x1e")[1:]:
        head, *rows = entry.splitlines()
        commit, _, subject = head.partition("\x1f")
        pairs = (row.split("\t", 1) for row in rows if "\t" in row)
        yield Commit(commit, subject, {path: status for status, path in pairs})


def question(subject: str) -> str | None:
    """Return a subject as a query, without its kind and issue numbers; None if it is unfit."""
    text = " ".join(_TICKET.sub(" ", _without_kind(subject)).split()).strip(" .:-")
    found = [word.lower() for word in _WORD.findall(text)]
    if not MIN_WORDS <= len(found) <= MAX_WORDS or not text.isascii():
        return None
    return None if words().left_out & {*found, *_WORD.findall(subject.lower())} else text


def commit_queries(
    repository: str, commits: Iterable[Commit], sources: Collection[str]
) -> list[Query]:
    """Return queries drawn by a digest. `sources`: the files with definitions."""
    asked = [
        (commit, text, paths)
        for commit in commits
        if (paths := _changed(commit, sources)) and (text := question(commit.subject))
    ]
    chosen: list[Query] = []
    texts: set[str] = set()
    in_file: Counter[str] = Counter()
    for _, text, paths in sorted(asked, key=lambda one: digest(_SEED, repository, one[0].id)):
        named = any(path.rpartition("/")[2].lower() in text.lower() for path in paths)
        is_full = any(in_file[path] >= PER_FILE for path in paths)
        if named or is_full or text.lower() in texts:
            continue
        texts.add(text.lower())
        in_file.update(paths)
        targets = tuple(whole_file(path, 2) for path in paths)
        chosen.append(Query(repository, text, Kind.COMMIT, targets))
        if len(chosen) == PER_REPOSITORY:
            break
    return chosen


def _changed(commit: Commit, sources: Collection[str]) -> list[str]:
    """Return the source files of a commit; none if they are too many or not all in the index."""
    paths = sorted(path for path in commit.status if _is_source(path))
    fits = 1 <= len(paths) <= MAX_FILES
    known = all(commit.status[path] == "M" and path in sources for path in paths)
    return paths if fits and known else []


def _is_source(path: str) -> bool:
    return detect(path, b"").grammar is not None and not is_aside(path)


def _without_kind(subject: str) -> str:
    """Return `router: x` for `fix(router): x` and `x` for `fix: x`; other words stay."""
    found = _CONVENTIONAL.match(subject)
    if not found or found[1].lower().strip() not in words().kinds:
        return subject
    rest = subject[found.end() :]
    return f"{found[2]}: {rest}" if found[2] else rest
