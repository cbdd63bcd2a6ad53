"""The `match` of answers on three sets: labelled queries, no answer, words that do not occur."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from tomllib import loads
from typing import NamedTuple

from aeterna_code_search.contract.search import Confidence, Mode
from benchmarks.retrieval.calibration import nonsense
from benchmarks.retrieval.experiment import Copy, Version
from benchmarks.retrieval.index import Place
from benchmarks.retrieval.isotonic import Outcome, bins, brier, calibration_error, fit
from benchmarks.retrieval.measures import DEPTH
from benchmarks.retrieval.queries import Kind, Query, Target, whole_file
from benchmarks.retrieval.sample import Half
from central.search.confidence import Evidence, confidence_of, evidence_of, match_of

OTHER_WORDS = Path(__file__).with_name("other_words.toml")
LABELLED, UNANSWERED, UNSEEN = "labelled", "without an answer", "words that do not occur"
_SETS = (LABELLED, UNANSWERED, UNSEEN)
_MEASURES = ("Brier", "ECE", "terms that occur")
_MODES = (Mode.HYBRID, Mode.LEXICAL, Mode.SEMANTIC)


class Asked(NamedTuple):
    """One query of one set in one mode. `known`: the share of its words that occur."""

    half: Half
    set: str
    mode: Mode
    evidence: Evidence
    is_right: bool
    known: float

    @property
    def outcome(self) -> Outcome:
        """The match with what became of it."""
        return match_of(self.evidence), self.is_right


def other_words(repository: str) -> list[Query]:
    """Return the questions of other_words.toml about a repository."""
    rows = loads(OTHER_WORDS.read_text(encoding="utf-8"))["question"]
    return [
        Query(
            repository,
            row["text"],
            Kind.NATURAL,
            tuple(whole_file(path, 2) for path in row["expected"]),
        )
        for row in rows
        if row["repository"] == repository
    ]


def ask(version: Version) -> Iterator[Asked]:
    """Ask every set of one repository in every mode."""
    asked: list[tuple[str, str, Sequence[Target]]] = [
        (LABELLED, query.text, query.targets) for query in version.queries
    ]
    if version.copy is Copy.PINNED:
        project = version.corpora[0].project
        asked += [(UNANSWERED, text, ()) for _, text in nonsense(project)]
        asked += [(UNSEEN, query.text, query.targets) for query in other_words(project)]
    for name, text, targets in asked:
        prepared = version.index.prepare(text)
        for mode in _MODES:
            hits = version.index.hits(prepared, mode=mode)[:DEPTH]
            places = [Place("", hit.path, *hit.span) for hit in hits]
            is_right = any(
                target.is_hit(place.path, place.start, place.end)
                for target in targets
                for place in places
            )
            evidence = evidence_of(hits, [prepared.asked], mode=mode)
            yield Asked(version.half, name, mode, evidence, is_right, prepared.asked.known)


def report(versions: Iterable[Version]) -> Iterator[str]:
    """Yield the tables: curves of the development half, then both halves' calibration."""
    asked = [one for version in versions for one in ask(version)]
    yield from _curves([one for one in asked if one.half is Half.DEVELOPMENT])
    for half in Half:
        own = [one for one in asked if one.half is half]
        if own:
            yield from _calibration(half, own)


def _curves(asked: Sequence[Asked]) -> Iterator[str]:
    answered = [one for one in asked if one.set != UNSEEN]
    for signal in dict.fromkeys(one.evidence.signal for one in answered):
        own = [one for one in answered if one.evidence.signal is signal]
        yield from ("", f"### Curve: {signal}", "", "| value | queries | right |", "|---|---|---|")
        for block in fit((one.evidence.value, one.is_right) for one in own):
            yield f"| {block.low:.2f}-{block.high:.2f} | {block.outcomes} | {block.share:.2f} |"


def _calibration(half: Half, asked: Sequence[Asked]) -> Iterator[str]:
    title = half.value.replace("_", "-")
    yield from ("", f"### Match: {title}", "")
    titles = (*("mode", "set", "queries", "match", "right", *reversed(Confidence)), *_MEASURES)
    yield f"| {' | '.join(titles)} |"
    yield "|---" * len(titles) + "|"
    for mode in _MODES:
        for name in _SETS:
            own = [one for one in asked if (one.mode, one.set) == (mode, name)]
            if own:
                yield f"| {mode} | {name} | {_row(own)} |"
        answered = [one for one in asked if one.mode is mode and one.set != UNSEEN]
        yield f"| {mode} | first two | {_row(answered)} |"
    yield from ("", f"### Match of hybrid searches by tenths: {title}", "")
    yield "| queries | match | right |"
    yield "|---|---|---|"
    hybrid = [one.outcome for one in asked if one.mode is Mode.HYBRID and one.set != UNSEEN]
    for count, mean, share in bins(hybrid):
        yield f"| {count} | {mean:.2f} | {share:.2f} |"


def _row(asked: Sequence[Asked]) -> str:
    outcomes = [one.outcome for one in asked]
    levels = [confidence_of(match) for match, _ in outcomes]
    count = len(asked)
    cells = [
        str(count),
        f"{sum(match for match, _ in outcomes) / count:.2f}",
        f"{sum(is_right for _, is_right in outcomes) / count:.2f}",
        *(f"{levels.count(level) / count:.1%}" for level in reversed(Confidence)),
        f"{brier(outcomes):.3f}",
        f"{calibration_error(outcomes):.3f}",
        f"{sum(one.known for one in asked) / count:.2f}",
    ]
    return " | ".join(cells)
