"""The scores as Markdown and JSON: each way of ranking by half and class, and the ablation."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.retrieval.ablation import Change
from benchmarks.retrieval.experiment import OURS
from benchmarks.retrieval.measures import Difference, Scores, difference, mean
from benchmarks.retrieval.queries import Kind
from benchmarks.retrieval.sample import Half
from benchmarks.tables import Figure

MARKDOWN, JSON = Path("build/retrieval.md"), Path("build/retrieval.json")
PEER = "semble"
TITLES = {
    Kind.ARCHITECTURE: "architecture",
    Kind.SYMBOL: "symbol",
    Kind.NATURAL: "natural, written",
    Kind.DERIVED: "natural, doc comments",
}


@dataclass
class Table:
    """Scores of every query by way, half and kind; all ways have a kind's queries in one order."""

    scores: dict[str, dict[tuple[Half, Kind], list[Scores]]] = field(default_factory=dict)

    def add(self, way: str, half: Half, kind: Kind, scores: Scores) -> None:
        """One more query."""
        self.scores.setdefault(way, {}).setdefault((half, kind), []).append(scores)

    def of(self, way: str, half: Half, kinds: Iterable[Kind] = tuple(Kind)) -> list[Scores]:
        """Of one half, the scores of some kinds."""
        own = self.scores[way]
        return [one for kind in kinds for one in own.get((half, kind), ())]

    def lead(self, way: str, half: Half, kinds: Iterable[Kind], measure: int = 0) -> Difference:
        """How much better ours is than another way."""
        kinds = tuple(kinds)
        ours, theirs = self.of(OURS, half, kinds), self.of(way, half, kinds)
        return difference([one[measure] for one in ours], [one[measure] for one in theirs])


def markdown(single: Table, whole: Table, changes: Sequence[Change]) -> str:
    """All tables."""
    lines = []
    for title, table in (("One repository", single), ("All repositories of a half", whole)):
        for half in Half:
            lines += [f"### {title}: {_name(half)}", "", *_comparison(table, half), ""]
    for half in Half:
        lines += [f"### Ablation: {_name(half)}", "", *_ablation(changes, half), ""]
    return "\n".join(lines)


def _name(half: Half) -> str:
    return half.value.replace("_", "-")


def _comparison(table: Table, half: Half) -> Iterator[str]:
    """MRR@10 / NDCG@10 / Recall@10 of each way; below, what ours has over each peer."""
    groups = {TITLES[kind]: (kind,) for kind in Kind if table.of(OURS, half, (kind,))}
    groups["all"] = tuple(Kind)
    counts = [f"{title} ({len(table.of(OURS, half, kinds))})" for title, kinds in groups.items()]
    yield f"| | {' | '.join(counts)} |"
    yield f"|---|{'---|' * len(groups)}"
    for way in table.scores:
        means = (mean(table.of(way, half, kinds)) for kinds in groups.values())
        cells = (" / ".join(f"{value:.3f}".removeprefix("0") for value in one) for one in means)
        yield f"| {way} | {' | '.join(cells)} |"
    for way in table.scores:
        if way != OURS:
            cells = (_signed(table.lead(way, half, kinds)) for kinds in groups.values())
            yield f"| ours - {way}, MRR | {' | '.join(cells)} |"


def _ablation(changes: Sequence[Change], half: Half) -> Iterator[str]:
    """ΔMRR@10 and ΔNDCG@10 of each setting; negative: it would be worse."""
    kinds = [kind for kind in Kind if (half, kind) in changes[0].mrr]
    yield f"| | {' | '.join(TITLES[kind] for kind in kinds)} |"
    yield f"|---|{'---|' * len(kinds)}"
    for change in changes:
        cells = (
            f"{_signed(change.mrr[half, kind])}; {change.ndcg[half, kind].mean:+.3f}"
            if change.mrr[half, kind].mean or change.ndcg[half, kind].mean
            else "0"
            for kind in kinds
        )
        yield f"| {change.name} | {' | '.join(cells)} |"


def _signed(value: Difference) -> str:
    text = f"{value.mean:+.3f} [{value.low:+.3f}, {value.high:+.3f}]"
    return f"**{text}**" if value.is_certain else text


def figures(single: Table) -> Iterator[Figure]:
    """What is promised of the held-out half, beside its bound."""
    half = Half.HELD_OUT
    for kind in Kind:
        ours, theirs = (mean(single.of(way, half, (kind,))).mrr for way in (OURS, PEER))
        yield Figure(f"held-out MRR@10, {TITLES[kind]}", ours, "", theirs, True)
    yield Figure(
        "held-out MRR@10, all",
        mean(single.of(OURS, half)).mrr,
        "",
        mean(single.of(PEER, half)).mrr,
        True,
    )


def write(text: str, tables: Mapping[str, Table]) -> None:
    """Both files; the JSON holds the scores of every query."""
    MARKDOWN.parent.mkdir(exist_ok=True)
    MARKDOWN.write_text(text + "\n", encoding="utf-8")
    content = {
        name: [
            {"way": way, "half": half, "kind": kind, "scores": scores}
            for way, groups in table.scores.items()
            for (half, kind), scores in groups.items()
        ]
        for name, table in tables.items()
    }
    JSON.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
