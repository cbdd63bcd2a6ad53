"""What a training gave, as Markdown: the model's README, and what is printed."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from benchmarks.training.evaluation import MEASURES, Outcome, Way
from benchmarks.training.training_loop import Learnt


@dataclass(frozen=True, slots=True)
class Source:
    """A repository that was learnt from, and how many pairs of it."""

    name: str
    commit: str
    sentences: int
    names: int


@dataclass(frozen=True, slots=True)
class Provenance:
    """What a model was made of. `beginning` is what its table was before."""

    name: str
    beginning: str
    settings: str
    seed: int
    sources: tuple[Source, ...]
    unlearnt: tuple[str, ...]
    outcomes: Mapping[str, Outcome] = field(default_factory=dict)


def readme(provenance: Provenance, learnt: Learnt) -> str:
    """The text of the model folder's README.md."""
    best = learnt.best
    return "\n".join(
        [
            "---",
            "library_name: model2vec",
            "tags: [code-search, static-embeddings, model2vec]",
            "---",
            f"# {provenance.name}: a static code-search model of one's own",
            "",
            f"Made by `python -m benchmarks training` of Aeterna Code Search from "
            f"{provenance.beginning}; seed {provenance.seed}, {provenance.settings}. Epoch "
            f"{best.number} of {learnt.epochs[-1].number} was the best on development files: "
            f"MRR@10 {learnt.epochs[0].development:.3f} → {best.development:.3f}.",
            "",
            "## Figures",
            "",
            table(provenance.outcomes),
            "",
            "## Learnt from",
            "",
            *(
                f"- {one.name} @ {one.commit[:12]} ({one.sentences} sentences of doc comments, "
                f"{one.names} names)"
                for one in provenance.sources
            ),
            "",
            f"Not learnt from, but asked: {', '.join(provenance.unlearnt) or 'none'}.",
            "",
        ]
    )


def summary(outcome: Outcome) -> str:
    """MRR@10 of one repository's questions, in a line."""
    changes = [
        f"{way} {outcome.means(way, is_after=False)[0]:.3f} → "
        f"{outcome.means(way, is_after=True)[0]:.3f}"
        for way in Way
    ]
    return f"{outcome.questions} questions, MRR@10 {'; '.join(changes)}"


def table(outcomes: Mapping[str, Outcome]) -> str:
    """Before, after and the difference with its 95 % interval."""
    head = "| questions about | ranked by | measure | before | after | difference (95 %) |"
    rows = [row for title, outcome in outcomes.items() for row in _rows(title, outcome)]
    return "\n".join([head, "|---|---|---|---|---|---|", *rows])


def _rows(title: str, outcome: Outcome) -> Iterator[str]:
    for way in Way if outcome.questions else ():
        before = outcome.means(way, is_after=False)
        after = outcome.means(way, is_after=True)
        for number, measure in enumerate(MEASURES):
            change = outcome.change(way, number)
            interval = f"{change.mean:+.3f} ({change.low:+.3f} … {change.high:+.3f})"
            yield (
                f"| {title} ({outcome.questions}) | {way} | {measure} "
                f"| {before[number]:.3f} | {after[number]:.3f} | {interval} |"
            )
