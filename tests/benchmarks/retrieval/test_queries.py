import tomllib
from hashlib import sha256

import pytest

from benchmarks.retrieval.queries import (
    LABELS,
    PER_FILE,
    Kind,
    LabelError,
    derived_queries,
    sampled_comments,
    target_of,
)
from benchmarks.retrieval.sample import Half, sample
from indexer.records.files import Span, Symbol

WRITTEN = {Kind.ARCHITECTURE, Kind.SYMBOL, Kind.NATURAL}
SYMBOLS = {
    "src/pool.py": [
        Symbol("Pool", "Pool", "class", Span(1, 40), "", exported=True),
        Symbol("close", "Pool.close", "method", Span(5, 9), "", exported=True),
        Symbol("close", "Lease.close", "method", Span(50, 60), "", exported=True),
    ],
    "README.md": [],
}


def test_each_half_has_repositories_of_several_languages_and_none_is_in_both() -> None:
    halves = {half: [one for one in sample() if one.half is half] for half in Half}
    assert all(len({one.language for one in own}) >= 6 for own in halves.values())
    assert len({one.name for one in sample()}) == len(sample()) >= 24


def test_pairs_of_the_later_repositories_are_split_by_the_digests_of_their_names() -> None:
    later = sample()[14:]
    for pair in zip(later[::2], later[1::2], strict=True):
        first = min(pair, key=lambda one: sha256(one.name.encode()).hexdigest())
        assert [one.half for one in pair if one is first] == [Half.DEVELOPMENT]
        assert [one.half for one in pair if one is not first] == [Half.HELD_OUT]
    assert all(one.commit == one.earlier for one in later)


def test_every_repository_has_labels_of_every_class_or_questions_about_architecture_alone() -> None:
    for number, repository in enumerate(sample()):
        rows = tomllib.loads((LABELS / f"{repository.name}.toml").read_text("utf-8"))["query"]
        expected = WRITTEN if number < 14 else {Kind.ARCHITECTURE}
        assert {Kind(row["class"]) for row in rows} == expected, repository.name
        for row in rows:
            assert row["text"]
            assert row["expected"]
            assert row.keys() <= {"text", "class", "expected", "also"}


def test_label_names_a_file_or_the_definitions_of_a_name_in_it() -> None:
    assert target_of("README.md", SYMBOLS, 2).is_hit("README.md", 700, 800)
    assert target_of("src/pool.py:close", SYMBOLS, 2).spans == ((5, 9), (50, 60))
    assert target_of("src/pool.py:Pool.close", SYMBOLS, 2).spans == ((5, 9),)


@pytest.mark.parametrize("place", ["src/gone.py", "src/pool.py:gone", "README.md:Title"])
def test_label_that_names_nothing_is_an_error(place: str) -> None:
    with pytest.raises(LabelError, match=place):
        target_of(place, SYMBOLS, 2)


def test_sentences_are_drawn_the_same_each_time_and_only_where_they_occur_once() -> None:
    told_twice = "Splits a long text into windows that overlap by some lines."
    files = {
        f"src/m{number}.py": (
            f'def first_{number}():\n    """{told_twice}"""\n    return 1\n\n\n'
            f'def second_{number}():\n    """Counts all words numbered {number} of a chapter."""\n'
            "    return 2\n"
        ).encode()
        for number in range(10, 13)
    }
    files["tests/test_m.py"] = files["src/m10.py"].replace(b"numbered 10", b"numbered 99")
    drawn = sampled_comments("acme", files)
    assert drawn == sampled_comments("acme", dict(reversed(files.items())))
    assert sorted(one.name for one in drawn) == ["second_10", "second_11", "second_12"]
    assert max(sum(one.path == path for one in drawn) for path in files) <= PER_FILE
    assert {query.kind for query in derived_queries("acme", drawn)} == {Kind.DERIVED}
