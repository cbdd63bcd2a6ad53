"""Call sites of Ruby and PHP, drawn at random and judged by reading the code.

`drawn/<family>.tsv` has a site a line: project, path, line, column, name, kind, the definitions
that it means, and those that it may mean besides (overrides, what a base is at run time). A
definition is `project:path:qualified name`; "-" is none. No line uses a drawn name twice.
"""

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import httpx

from benchmarks.callers.query import LEVELS, Bound, Edge, Line, edges
from benchmarks.callers.repositories import Family
from benchmarks.tables import Figure
from scripts.local_service import Service

SITES = Path(__file__).with_suffix("")
LANGUAGES = frozenset({"ruby", "php"})  # whose families have such a truth


@dataclass(frozen=True, slots=True)
class Drawn:
    """A site and its truth."""

    line: Line
    name: str
    kind: str
    means: frozenset[Bound]
    may_mean: frozenset[Bound]

    def answers(self, found: Sequence[Edge], level: str) -> set[Bound]:
        """What is answered for it, less what is neither right nor wrong."""
        return {
            edge.bound
            for edge in found
            if edge.bound[2].rpartition(".")[2] == self.name
            and (level == "medium" or edge.confidence == level)
        } - self.may_mean


def sites(family: Family) -> Iterator[Drawn]:
    """The drawn sites of a family."""
    with (SITES / f"{family.name}.tsv").open(encoding="utf-8", newline="") as file:
        for project, path, line, _column, name, kind, *truth in csv.reader(file, delimiter="\t"):
            means, may_mean = (_definitions(text) for text in truth)
            yield Drawn((project, path, int(line)), name, kind, means, may_mean)


def _definitions(text: str) -> frozenset[Bound]:
    rows = (one.split(":", 2) for one in text.split() if one != "-")
    return frozenset((project, path, name) for project, path, name in rows)


def figures(
    family: Family, workspace: Path, service: Service, *, verbose: bool
) -> Iterator[Figure]:
    """Index the family as an organisation of its own and judge what is answered for each site."""
    organization = service.organization(f"drawn-{family.name}")
    for repository in family.repositories:
        organization.index(workspace / family.name / repository.name, repository.name)
    headers = {"Authorization": f"Bearer {organization.token}"}
    by_line: dict[Line, list[Edge]] = {}
    with httpx.Client(base_url=service.url, headers=headers, timeout=120) as client:
        for edge in edges(client, organization.slug):
            by_line.setdefault(edge.line, []).append(edge)
    drawn = list(sites(family))
    for kind in sorted({one.kind for one in drawn}):
        for level in LEVELS:
            yield from _scores(family, kind, level, drawn, by_line)
    for one in drawn if verbose else ():
        found = by_line.get(one.line, [])
        answers = one.answers(found, "medium")
        if answers != one.means:
            print(family.name, one.kind, one.line, one.name, sep="\t")
            print("   means", sorted(one.means), "high:", sorted(one.answers(found, "high")))
            print("   answered", sorted(answers))


def _scores(
    family: Family, kind: str, level: str, drawn: Sequence[Drawn], found: dict[Line, list[Edge]]
) -> Iterator[Figure]:
    """Recall and precision of the sites of one kind, and how many answers are wrong."""
    right = true = wrong = 0
    for one in (one for one in drawn if one.kind == kind):
        answers = one.answers(found.get(one.line, []), level)
        true += bool(one.means)
        right += bool(one.means & answers)
        wrong += len(answers - one.means)
    title = f"{family.name}, {kind}, {level}"
    yield Figure(f"{title}: sites that mean something", true, "")
    yield Figure(f"{title}: recall", right / max(true, 1), "")
    yield Figure(f"{title}: precision", right / max(right + wrong, 1), "")
    yield Figure(f"{title}: wrong", wrong, "")
