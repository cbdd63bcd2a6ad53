"""`python -m benchmarks history`: ten public repositories, the newest 1,000 commits of each.

Asks the questions of `questions.toml`, whose right commits are known, and counts how often one is
on top; measures what commits take to store and what they add to a merge; and the time of
`type:diff` beside zoekt over the same text. Writes build/history.json.
"""

import argparse
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks import pinned, tables
from benchmarks.history import cost, speed
from benchmarks.resource_usage import opened_database
from benchmarks.tables import Figure
from scripts.local_git import git
from scripts.local_service import Organization, running_service, temporary_workspace

_QUESTIONS = Path(__file__).with_name("questions.toml")
_RESULTS = 10
OUTPUT = Path("build/history.json")


@dataclass(frozen=True, slots=True)
class Question:
    """A text as users type it, and the commits that answer it."""

    project: str
    text: str
    commits: frozenset[str]
    source: str


def main(arguments: Sequence[str]) -> None:
    """Index the repositories, ask, and print the figures and what was not on top."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks history", description=__doc__)
    parser.add_argument("--repositories", type=Path, help="clones, for a machine without network")
    parser.add_argument("--workspace", type=Path, help="kept, and used again; default: a new one")
    parser.add_argument("--zoekt", type=Path, help="a directory with zoekt's programs")
    parser.add_argument("--questions-only", action="store_true", help="only the ranking")
    options = parser.parse_args(arguments)
    with temporary_workspace("aeterna-bench-history-") as temporary:
        workspace = (options.workspace or temporary).resolve()
        content = tomllib.loads(_QUESTIONS.read_text(encoding="utf-8"))
        directories = list(lay_out(content["repository"], workspace, options.repositories))
        with running_service(workspace / "data") as service:
            acme = service.organization("acme")
            for directory in directories:
                print(f"{directory.name}: indexing", flush=True)
                acme.index(directory, directory.name)
            figures = list(ranking(acme, list(questions(content["repository"]))))
            if not options.questions_only:
                with opened_database(service) as database:
                    figures += cost.storage(database, service.data_dir)
                    texts = speed.changed_texts(database)
                if options.zoekt:
                    figures += speed.beside_zoekt(acme, texts, options.zoekt.resolve(), workspace)
                else:
                    figures += speed.alone(acme, texts)
        if not options.questions_only:
            figures += cost.merges(workspace / "merges")
    tables.show(figures, OUTPUT)


def lay_out(rows: Sequence[dict[str, str]], workspace: Path, clones: Path | None) -> Iterator[Path]:
    """Yield a clone of each repository with all its commits, its head as the questions have it."""
    for row in rows:
        directory = workspace / "repositories" / row["name"]
        if not directory.exists():
            repository = pinned.PinnedRepository(row["name"], row["url"], row["head"], ())
            cache = workspace / "cache"
            source = pinned.history(repository, row["head"], clones=clones, cache=cache)
            directory.parent.mkdir(parents=True, exist_ok=True)
            git(directory.parent, "clone", "--quiet", "--no-checkout", str(source), row["name"])
            git(directory, "checkout", "--quiet", "-B", "main", row["head"])
            git(directory, "remote", "remove", "origin")  # whose branch would be tracked
        yield directory


def questions(rows: Sequence[dict[str, object]]) -> Iterator[Question]:
    """Yield the questions of `questions.toml`."""
    for row in rows:
        for asked in row["questions"]:  # type: ignore[attr-defined]
            commits = frozenset(asked["commits"])
            yield Question(str(row["name"]), asked["text"], commits, asked["source"])


def ranking(acme: Organization, asked: Sequence[Question]) -> Iterator[Figure]:
    """Ask each question of all repositories; yield how often the right commit is on top."""
    ranks = []
    for question in asked:
        query = "type:commit " + " ".join(question.text.translate(_PLAIN).split())
        found = [result["commit"] for result in acme.search(query, limit=_RESULTS)["results"]]
        places = [place for place, sha in enumerate(found, 1) if sha in question.commits]
        ranks.append(min(places, default=0))
        if ranks[-1] != 1:
            print(f"{ranks[-1] or '-'}  {question.project}: {question.text} ({question.source})")
    issues = [rank for rank, own in zip(ranks, asked, strict=True) if own.source != "paraphrase"]
    share = 100 / len(ranks)
    yield Figure("right commit on top", share * ranks.count(1), "%", 80, at_least=True)
    yield Figure("… among the first three", share * sum(0 < rank <= 3 for rank in ranks), "%")
    yield Figure("… among the first ten", share * sum(rank > 0 for rank in ranks), "%")
    if issues:
        on_top = 100 * issues.count(1) / len(issues)
        yield Figure(f"… on top, of {len(issues)} titles of issues", on_top, "%")


# What the query language reads as quotes, patterns and filters: people who paste a title drop it.
_PLAIN = str.maketrans(dict.fromkeys('"`/:()', " "))
