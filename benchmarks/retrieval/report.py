"""The scores as Markdown: ways of ranking by half and kind, changes since a run, ablation."""

from collections.abc import Iterable, Iterator, Mapping

from benchmarks.retrieval.ablation import Ablation
from benchmarks.retrieval.experiment import OURS
from benchmarks.retrieval.measures import Difference, Scores, mean
from benchmarks.retrieval.queries import Kind
from benchmarks.retrieval.results import FILE_NDCG, MRR, Change, Table, since
from benchmarks.retrieval.sample import Half, halves
from benchmarks.tables import Figure

PEER = "semble"
TITLES = {
    Kind.ARCHITECTURE: "architecture",
    Kind.SYMBOL: "symbol",
    Kind.NATURAL: "natural, written",
    Kind.DERIVED: "doc comments",
    Kind.COMMIT: "commits",
}
SCOPES = {"single": "One repository", "whole": "All repositories of a half"}
WHOLE = "whole"


def comparison(tables: Mapping[str, Table]) -> Iterator[str]:
    """Yield tables of the ways of ranking, by scope and half."""
    for scope, table in tables.items():
        for half in (half for half in Half if table.of(OURS, half)):
            present = [kind for kind in Kind if table.of(OURS, half, (kind,))]
            groups = _groups(present)
            title = f"{SCOPES[scope]}: {_name(half)}"
            yield from ("", f"### {title}", "")
            yield from _head(
                f"{title} ({len(table.of(OURS, half, kinds))})" for title, kinds in groups.items()
            )
            for way in table.ways:
                means = (mean(table.of(way, half, kinds)) for kinds in groups.values())
                yield _row(way, (_cell(one, scope) for one in means))
            for way in (way for way in table.ways if way == PEER):
                for measured, measure in (("file NDCG", FILE_NDCG), ("MRR", MRR)):
                    leads = (table.lead(way, half, kinds, measure) for kinds in groups.values())
                    yield _row(f"ours - {way}, {measured}", map(_signed, leads))


def changes(before: Mapping[str, Table], after: Mapping[str, Table]) -> Iterator[str]:
    """Yield tables of what changed in our answers since another run."""
    for scope, table in after.items():
        found = since(before.get(scope, Table()), table)
        for half in halves(found):
            kinds = [kind for kind in Kind if (half, kind) in found]
            yield from ("", f"### Since the run before, {SCOPES[scope]}: {_name(half)}", "")
            yield from _head(TITLES[kind] for kind in kinds)
            yield _row("file NDCG", (_signed(found[half, kind].files) for kind in kinds))
            yield _row("MRR", (_signed(found[half, kind].definitions) for kind in kinds))


def ablation(by_scope: Mapping[str, Iterable[Ablation]]) -> Iterator[str]:
    """Yield tables of settings: Δ of file NDCG@10; Δ of MRR@10. Negative: it would be worse."""
    for scope, settings in by_scope.items():
        own = list(settings)
        for half in halves(own[0].changes):
            kinds = [kind for kind in Kind if (half, kind) in own[0].changes]
            yield from ("", f"### Ablation, {SCOPES[scope]}: {_name(half)}", "")
            yield from _head(TITLES[kind] for kind in kinds)
            for setting in own:
                cells = (_change(setting.changes[half, kind]) for kind in kinds)
                yield _row(setting.name, cells)


def figures(tables: Mapping[str, Table]) -> Iterator[Figure]:
    """Yield what is promised of the held-out half, beside its bound."""
    for scope, table in tables.items():
        ours, theirs = (mean(table.of(way, Half.HELD_OUT)) for way in (OURS, PEER))
        title = f"held-out, {SCOPES[scope].lower()}"
        yield Figure(f"{title}: file NDCG@10", ours.file_ndcg, "", theirs.file_ndcg, True)
        yield Figure(f"{title}: MRR@10", ours.mrr, "", theirs.mrr, True)


def _groups(kinds: Iterable[Kind]) -> dict[str, tuple[Kind, ...]]:
    return {**{TITLES[kind]: (kind,) for kind in kinds}, "all": tuple(Kind)}


def _name(half: Half) -> str:
    return half.value.replace("_", "-")


def _head(titles: Iterable[str]) -> Iterator[str]:
    cells = list(titles)
    yield _row("", cells)
    yield f"|---|{'---|' * len(cells)}"


def _row(title: str, cells: Iterable[str]) -> str:
    return f"| {title} | {' | '.join(cells)} |"


def _cell(scores: Scores, scope: str) -> str:
    """Format file NDCG / files / share in the right project; MRR / NDCG / recall.

    The share stands only where all repositories are searched.
    """
    shares = (scores.file_ndcg, scores.mrr, scores.ndcg, scores.recall)
    file_ndcg, *definitions = (f"{value:.3f}".removeprefix("0") for value in shares)
    project = f" / {scores.in_project:.0%}" if scope == WHOLE else ""
    return f"{file_ndcg} / {scores.files:.1f}{project}; {' / '.join(definitions)}"


def _change(change: Change) -> str:
    if not (change.files.mean or change.definitions.mean):
        return "0"
    return f"{_signed(change.files)}; {_signed(change.definitions)}"


def _signed(value: Difference) -> str:
    text = f"{value.mean:+.3f} [{value.low:+.3f}, {value.high:+.3f}]"
    return f"**{text}**" if value.is_certain else text
