"""`python -m benchmarks questions`: ask the service what developers and agents type.

Prints, for each class and half, how often the right place is first and among the first three.
"""

import argparse
import itertools
import json
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

import httpx
from rich.console import Console
from rich.table import Table

from benchmarks import pinned
from scripts.local_service import Organization, running_service, temporary_workspace

_HERE = Path(__file__).parent
_FIRST, _RESULTS = 3, 10


class Half(StrEnum):
    """Nothing is tuned on the half that is kept apart."""

    TUNING = "tuning"
    APART = "kept apart"


@dataclass(frozen=True, slots=True)
class Question:
    """A query, with the places and words of `questions.toml`."""

    kind: str
    half: Half
    text: str
    right: tuple[str, ...]
    says: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The rank of the first right result, from 1; None if it is not among the first ten.

    Where no result is expected, 1 is an answer that says so.
    """

    question: Question
    rank: int | None


def main(arguments: Sequence[str]) -> None:
    """Index the repositories, ask, and print the table and what was not first."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks questions", description=__doc__)
    parser.add_argument("--repositories", type=Path, help="clones, for a machine without network")
    parser.add_argument("--half", type=Half, choices=list(Half), help="only this half")
    parser.add_argument("--json", type=Path, help="write each question's rank")
    options = parser.parse_args(arguments)
    with (
        temporary_workspace("aeterna-bench-questions-") as workspace,
        running_service(workspace / "data") as service,
    ):
        organization = service.organization("acme")
        for directory in _laid_out(workspace, options.repositories):
            organization.index(directory, directory.name)
        asked = [one for one in questions() if options.half in (None, one.half)]
        outcomes = [ask(organization, question) for question in asked]
    _show(outcomes)
    if options.json:
        ranks = {outcome.question.text: outcome.rank for outcome in outcomes}
        options.json.write_text(json.dumps(ranks, indent=1))


def questions() -> Iterator[Question]:
    """Return all questions; every second one of a class is kept apart."""
    content = tomllib.loads((_HERE / "questions.toml").read_text(encoding="utf-8"))
    for kind, table in content.items():
        for row, half in zip(table["questions"], itertools.cycle(Half), strict=False):
            places, words = tuple(row.get("right", ())), tuple(row.get("says", ()))
            yield Question(kind, half, row["text"], places, words)


def ask(organization: Organization, question: Question) -> Outcome:
    """Ask the service and judge its answer."""
    response = httpx.post(
        f"{organization.service.url}/api/v1/search",
        headers={"Authorization": f"Bearer {organization.token}"},
        json={"org_id": organization.slug, "query": question.text, "limit": _RESULTS},
        timeout=60,
    )
    return Outcome(question, _rank(question, response.json()))


def _rank(question: Question, answer: dict[str, Any]) -> int | None:
    results = answer.get("results", [])
    if not (question.right or question.says):
        return 1 if not results or answer["confidence"] != "strong" else None
    beside = json.dumps({name: value for name, value in answer.items() if name not in _ECHOES})
    if question.says and not any(word in beside for word in question.says):
        return None
    if not question.right:
        return 1
    ranks = (
        rank
        for rank, result in enumerate(results, start=1)
        if any(_holds(result, place) for place in question.right)
    )
    return next(ranks, None)


_ECHOES = ("results", "query", "queries")


def _holds(result: dict[str, Any], place: str) -> bool:
    path, _, line = place.partition(":")
    if f"{result['project']}/{result['file']}" != path:
        return False
    lines = {row["line"] for row in result.get("lines") or ()}
    within = range(result["start_line"], result["end_line"] + 1)
    return not line or int(line) in lines or int(line) in within


def _laid_out(workspace: Path, clones: Path | None) -> Iterator[Path]:
    content = tomllib.loads((_HERE / "repositories.toml").read_text(encoding="utf-8"))
    for row in content["repository"]:
        repository = pinned.PinnedRepository(
            row["name"], row["url"], row["commit"], tuple(row.get("paths", ()))
        )
        yield pinned.lay_out(
            repository, workspace / "repositories", clones=clones, cache=workspace / "cache"
        )


def _show(outcomes: Sequence[Outcome]) -> None:
    table = Table("class", "half", "questions", "first", "in the first three")
    kinds = list(dict.fromkeys(outcome.question.kind for outcome in outcomes))
    for kind, half in itertools.product([*kinds, ""], [*Half, None]):
        chosen = [
            outcome
            for outcome in outcomes
            if kind in ("", outcome.question.kind) and half in (None, outcome.question.half)
        ]
        if chosen:
            row = (str(len(chosen)), _share(chosen, 1), _share(chosen, _FIRST))
            table.add_row(kind or "all", half or "both", *row)
    console = Console(width=100)
    console.print(table)
    for outcome in outcomes:
        if outcome.rank != 1 and outcome.question.half is Half.TUNING:
            text = " ".join(outcome.question.text.split())[:80]
            console.print(f"{outcome.question.kind}: {outcome.rank or '-'}: {text}", markup=False)


def _share(outcomes: Iterable[Outcome], most: int) -> str:
    right = [outcome.rank is not None and outcome.rank <= most for outcome in outcomes]
    return f"{sum(right) / len(right):.0%}"
