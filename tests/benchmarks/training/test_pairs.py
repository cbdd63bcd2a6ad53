"""What is learnt from a repository, and what is kept apart from it."""

from pathlib import Path

import pytest

from benchmarks.training.corpus import Reading, read
from benchmarks.training.pairs import Part, normalized, pairs, part_of, questions
from tests.benchmarks.training.organisation import organisation_repository


@pytest.fixture(scope="module")
def reading(tmp_path_factory: pytest.TempPathFactory) -> Reading:
    directory = tmp_path_factory.mktemp("organisation")
    return read(organisation_repository(directory / "bank"), directory / "workspace")


def test_a_sentence_asks_for_its_definition_without_the_comment(reading: Reading) -> None:
    sentences = [pair for pair in pairs(reading, Part.TRAINING, seed=1) if pair.is_sentence]

    assert sentences
    for pair in sentences:
        row = reading.corpus.rows[pair.chunk]
        assert pair.document.startswith(f"{Path(row.path).stem}\ndef {row.name}(")
        assert pair.asked not in pair.document


def test_a_name_asks_for_its_body_without_the_name(reading: Reading) -> None:
    names = [pair for pair in pairs(reading, Part.TRAINING, seed=1) if not pair.is_sentence]

    assert names
    assert all(pair.asked not in pair.document for pair in names)
    assert any("lookup(member)" in pair.document for pair in names)


def test_each_file_is_of_one_part_and_stays_there(reading: Reading) -> None:
    chunks = {
        part: {pair.chunk for pair in pairs(reading, part, seed=1)}
        for part in (Part.TRAINING, Part.DEVELOPMENT, Part.TEST)
    }

    assert not chunks[Part.TRAINING] & chunks[Part.TEST]
    assert not chunks[Part.TRAINING] & chunks[Part.DEVELOPMENT]
    assert part_of("bank", "ledger_0.py", 1) is part_of("bank", "ledger_0.py", 1)


def test_a_sentence_that_is_asked_later_is_never_learnt(reading: Reading) -> None:
    avoided = frozenset(normalized(question.text) for question in questions(reading))

    learnt = pairs(reading, Part.TRAINING, seed=1, avoided=avoided)

    assert avoided
    assert not any(pair.is_sentence for pair in learnt)
