"""`python -m benchmarks training`: learn from repositories, judge, write a model's folder."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from benchmarks.training.corpus import Reading, read
from benchmarks.training.evaluation import Outcome, compare
from benchmarks.training.initial_model import table_from_texts
from benchmarks.training.model_folder import PACKAGED, Folder, read_folder, write_folder
from benchmarks.training.optimizer import Settings
from benchmarks.training.pairs import Part, Question, all_sentences, pairs, part_of, questions
from benchmarks.training.report import Provenance, Source, readme, summary
from benchmarks.training.report import table as as_table
from benchmarks.training.training_loop import Learnt, Lesson, learn, lesson
from indexer.embedding import open_embedder
from indexer.embedding.catalogue import PACKAGED as PACKAGED_SPEC
from indexer.embedding.catalogue import spec_error
from indexer.records.vectors import EmbedderConfig, EmbedderSpec
from scripts.local_service import temporary_workspace

EPOCHS, EPOCHS_FROM_SCRATCH = 8, 12
SETTINGS = Settings()
FROM_SCRATCH = Settings(rate=1e-2, anchor=0.0, epsilon=1.0)
LEARNT = "files not learnt from"
UNLEARNT = "repositories not learnt from"


@dataclass(frozen=True, slots=True)
class Material:
    """What is learnt from one repository, and how much that is."""

    lesson: Lesson
    source: Source


def main(arguments: list[str]) -> None:
    """Write `<out>/<name>` and print its figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks training", description=__doc__)
    parser.add_argument(
        "--repositories", nargs="+", type=Path, required=True, metavar="DIR", help="git work trees"
    )
    parser.add_argument(
        "--held-out", nargs="+", type=Path, default=[], metavar="DIR", help="asked, not learnt from"
    )
    parser.add_argument("--name", required=True, help="the model's: acme-1")
    parser.add_argument("--out", required=True, type=Path, help="what AETERNA_MODELS_DIR will be")
    parser.add_argument("--from-scratch", action="store_true", help="not from the packaged model")
    parser.add_argument("--epochs", type=int, help="at most; default: 8, or 12 from scratch")
    parser.add_argument(
        "--anchor", type=float, help="default: 100, or 0 from scratch; see README.md"
    )
    parser.add_argument("--seed", type=int, default=1, help="default: %(default)s")
    parser.add_argument("--workspace", type=Path, help="kept, and used again; default: a new one")
    options = parser.parse_args(arguments)
    packaged = read_folder(PACKAGED)
    spec = EmbedderSpec("builtin", options.name, packaged.table.shape[1])
    if spec.model == PACKAGED_SPEC.model or spec_error(spec):
        parser.error(f"{options.name} cannot be a model's name: take letters, digits, '-' and '.'")
    with temporary_workspace("aeterna-training-") as temporary:
        workspace = (options.workspace or temporary).resolve()
        workspace.mkdir(parents=True, exist_ok=True)
        train(packaged, spec, options, workspace)


def train(
    packaged: Folder, spec: EmbedderSpec, options: argparse.Namespace, workspace: Path
) -> None:
    """Read, learn, write, judge, and write again with the figures."""
    readings = [_read(directory, workspace) for directory in options.repositories]
    unlearnt = [_read(directory, workspace) for directory in options.held_out]
    materials = _materials(packaged, readings, unlearnt, options.seed)
    learnt, settings = _learn(packaged, [one.lesson for one in materials], options)
    provenance = Provenance(
        name=spec.model,
        beginning="texts alone" if options.from_scratch else f"`{PACKAGED_SPEC}`",
        settings=str(settings),
        seed=options.seed,
        sources=tuple(one.source for one in materials),
        unlearnt=tuple(f"{one.name} @ {one.commit[:12]}" for one in unlearnt),
    )
    target = options.out / spec.model
    write_folder(packaged, learnt.table, target, readme(provenance, learnt))
    outcomes = judge(readings, unlearnt, spec, options)
    (target / "README.md").write_text(
        readme(replace(provenance, outcomes=outcomes), learnt), encoding="utf-8"
    )
    print(as_table(outcomes))
    print(f"{target}: put it into AETERNA_MODELS_DIR, then set_embedder … {spec}")


def judge(
    readings: Sequence[Reading],
    unlearnt: Sequence[Reading],
    spec: EmbedderSpec,
    options: argparse.Namespace,
) -> dict[str, Outcome]:
    """The written model, as an indexer opens it, beside the packaged one."""
    before = open_embedder(PACKAGED_SPEC)
    after = open_embedder(spec, EmbedderConfig(models=options.out))
    outcomes = {LEARNT: Outcome(), UNLEARNT: Outcome()}
    for title, group in ((LEARNT, readings), (UNLEARNT, unlearnt)):
        for reading in group:
            every = questions(reading)
            asked = every if title == UNLEARNT else _tests(reading, every, options.seed)
            outcome = compare(reading, asked, before, after)
            outcomes[title].add(outcome)
            print(f"{reading.name}, {title}: {summary(outcome)}", flush=True)
    return outcomes


def _read(directory: Path, workspace: Path) -> Reading:
    reading = read(directory, workspace)
    counts = f"{len(reading.corpus.rows)} chunks, {len(reading.comments)} doc comments"
    print(f"{reading.name} @ {reading.commit[:12]}: {counts}", flush=True)
    return reading


def _materials(
    packaged: Folder, readings: Sequence[Reading], unlearnt: Sequence[Reading], seed: int
) -> list[Material]:
    asked = [
        question for reading in readings for question in _tests(reading, questions(reading), seed)
    ]
    asked += [question for reading in unlearnt for question in questions(reading)]
    avoided = frozenset(all_sentences(asked))
    return [_material(packaged, reading, seed, avoided) for reading in readings]


def _tests(reading: Reading, asked: Sequence[Question], seed: int) -> list[Question]:
    return [one for one in asked if part_of(reading.name, one.path, seed) is Part.TEST]


def _material(packaged: Folder, reading: Reading, seed: int, avoided: frozenset[str]) -> Material:
    training, development = (
        pairs(reading, part, seed=seed, avoided=avoided)
        for part in (Part.TRAINING, Part.DEVELOPMENT)
    )
    sentences = sum(pair.is_sentence for pair in training)
    names = len(training) - sentences
    return Material(
        lesson(packaged, training, development),
        Source(reading.name, reading.commit, sentences, names),
    )


def _learn(
    packaged: Folder, lessons: Sequence[Lesson], options: argparse.Namespace
) -> tuple[Learnt, Settings]:
    table, settings, epochs = packaged.table, SETTINGS, EPOCHS
    if options.from_scratch:
        table = table_from_texts(
            [one.documents for one in lessons],
            vocabulary=len(table),
            dimensions=table.shape[1],
            seed=options.seed,
        )
        settings, epochs = FROM_SCRATCH, EPOCHS_FROM_SCRATCH
    if options.anchor is not None:
        settings = replace(settings, anchor=options.anchor)
    return learn(
        table, lessons, settings, epochs=options.epochs or epochs, seed=options.seed
    ), settings
