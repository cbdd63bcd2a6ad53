"""The text index: what an apply writes, what a lookup finds, what the worker mends."""

import json
import random
import re
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.db import connection

from central.corpus.models import File, TrigramPosting, TrigramSegment
from central.corpus.trigrams import merges
from central.corpus.trigrams.candidates import Candidates
from central.corpus.trigrams.candidates import candidates as find_candidates
from central.corpus.trigrams.hashes import FORMAT, content_hashes
from central.corpus.trigrams.indexed import Indexed
from central.corpus.trigrams.merges import (
    MOST_SEGMENTS,
    delete_segments,
    merge_segments,
    repositories_to_merge,
)
from central.corpus.trigrams.postings import SEGMENT_POSTINGS
from central.corpus.trigrams.regex import required_trigrams
from central.corpus.trigrams.segments import insert_segment, unpack_ids
from central.corpus.trigrams.tree import EVERYTHING, Tree, literal_trigrams
from central.corpus.trigrams.upkeep import (
    TextIndex,
    build_portion,
    incomplete_repositories,
    read_coverage,
)
from central.ingest.services import apply_run as applying
from central.repositories.models import Repository
from central.tasks import maintain_text
from tests.central.corpus.trigrams.scan import satisfies
from tests.central.protocol import Api, api_of

pytestmark = pytest.mark.django_db(transaction=True)

WORDS = (
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa",
    "lambda", "omega", "sigma",
)  # fmt: skip


FEW = 2  # segments
NO_ROW = b"\xff\xff\xff\x7f"  # fewer bytes than it says


@pytest.fixture
def api() -> Api:
    return api_of()


@pytest.fixture
def few_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    """More than two segments are too many."""
    monkeypatch.setattr(merges, "MOST_SEGMENTS", FEW)


def repository(project: str = "shop") -> Repository:
    return Repository.objects.get(name=project)


def candidates(keys: list[int], tree: Tree) -> Candidates:
    return find_candidates(keys, tree, most=1_000)


def found(tree: Tree, project: str = "shop") -> set[str]:
    """Paths of the live files among the candidates."""
    key = repository(project).pk
    ids = candidates([key], tree).files.get(key, np.empty(0, np.int64)).tolist()
    return set(File.objects.filter(pk__in=ids).values_list("path", flat=True))


def segments(project: str = "shop") -> int:
    return TrigramSegment.objects.filter(repository__name=project).count()


def files(count: int, *, seed: int = 0) -> dict[str, str]:
    """Files of some words each."""
    chance = random.Random(seed)  # noqa: S311
    return {
        f"src/f{number}.txt": " ".join(chance.choices(WORDS, k=6)) + "\n" for number in range(count)
    }


def scanned(content: Mapping[str, str], word: str) -> set[str]:
    return {path for path, text in content.items() if word in text}


# --- What an apply writes -----------------------------------------------------------------------


def test_a_full_run_writes_one_segment_and_every_word_is_found(api: Api) -> None:
    content = files(40)
    api.index(content)
    assert segments() == 1
    for word in WORDS:
        assert scanned(content, word) <= found(literal_trigrams(word))
    assert found(literal_trigrams("gamma")) == scanned(content, "gamma")
    assert found(required_trigrams("(?i)GAM+A")) >= scanned(content, "gamma")


def test_a_small_change_writes_a_small_segment_and_nothing_else(api: Api) -> None:
    content = files(200)
    api.index(content)
    before = set(TrigramPosting.objects.values_list("pk", flat=True))
    changed = content | {"src/f1.txt": "omega changed\n", "new.txt": "brand new\n"}
    del changed["src/f2.txt"]
    api.index(changed)
    added = set(TrigramPosting.objects.values_list("pk", flat=True)) - before
    assert segments() == 2
    assert len(added) <= 2
    assert before <= set(TrigramPosting.objects.values_list("pk", flat=True))
    for word in (*WORDS, "changed", "brand"):
        assert scanned(changed, word) <= found(literal_trigrams(word))
    assert "src/f2.txt" not in found(literal_trigrams("alpha")) | found(literal_trigrams("beta"))


@pytest.mark.parametrize("seed", range(3))
def test_after_any_history_the_candidates_are_those_of_a_fresh_index(api: Api, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311
    content = files(30, seed=seed)
    for step in range(6):
        for path in chance.sample(sorted(content), 4):
            if chance.random() < 0.3:
                del content[path]
            else:
                content[path] = " ".join(chance.choices(WORDS, k=5)) + "\n"
        content[f"new{step}.txt"] = " ".join(chance.choices(WORDS, k=5)) + "\n"
        api.index(content)
        TextIndex().follow()
    api.index(content, project="fresh")
    for word in WORDS:
        assert found(literal_trigrams(word)) == found(literal_trigrams(word), "fresh")
    assert not len(read_coverage(repository().pk).missing)


def test_an_apply_that_dies_leaves_the_former_segments(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    api.index({"a.txt": "former words\n"})
    with monkeypatch.context() as patched:
        patched.setattr(applying, "_count", _die)
        with pytest.raises(KeyboardInterrupt):
            api.index({"a.txt": "later words\n"})
    assert segments() == 1
    assert found(literal_trigrams("former")) == {"a.txt"}
    assert found(literal_trigrams("later")) == set()


def _die(*_: object) -> None:
    raise KeyboardInterrupt


def test_the_segment_has_the_ids_of_the_files_with_content(api: Api) -> None:
    api.index(files(5) | {"empty.txt": ""})
    [segment] = TrigramSegment.objects.all()
    with_content = File.objects.exclude(content="").values_list("pk", flat=True)
    assert sorted(unpack_ids(segment.files).tolist()) == sorted(with_content)


# --- What a lookup finds ------------------------------------------------------------------------


PATTERNS = (
    *(r"def \w+\(self", r"import (json|re)\b", r"(?i)RETURN none"),
    *(r"[a-z]+_id\b", "^class .*:$"),
)


def test_candidates_of_a_regex_are_those_of_a_scan_of_all_trigrams(
    api: Api, subtests: pytest.Subtests
) -> None:
    paths = sorted(Path(json.__file__).parent.glob("*.py"))
    content = {path.name: path.read_text(encoding="utf-8") for path in paths}
    api.index(content)
    key = repository().pk
    hashes = {path: set(content_hashes(text).tolist()) for path, text in content.items()}
    for pattern in PATTERNS:
        with subtests.test(pattern):
            tree = required_trigrams(pattern)
            expected = {path for path in content if satisfies(tree, hashes[path])}
            assert expected >= {
                path for path, text in content.items() if re.search(pattern, text, re.MULTILINE)
            }
            if candidates([key], tree).is_everything:
                assert expected == set(content)
            else:
                assert found(tree) == expected


def test_only_the_repositories_that_are_asked_are_read(api: Api) -> None:
    api.index({"a.txt": "shared secret\n"})
    api.index({"b.txt": "shared secret\n"}, project="other")
    answer = candidates([repository("other").pk], literal_trigrams("secret"))
    assert list(answer.files) == [repository("other").pk]


def test_a_tree_that_requires_nothing_is_everything(api: Api) -> None:
    api.index({"a.txt": "text\n"})
    assert candidates([repository().pk], EVERYTHING).is_everything
    assert literal_trigrams("ab") == EVERYTHING


def test_a_file_without_a_trigram_and_an_empty_one_are_no_harm(api: Api) -> None:
    api.index({"a.txt": "x\n", "b.txt": "", "c.txt": "words\n"})
    assert found(literal_trigrams("words")) == {"c.txt"}


# --- What the worker mends ----------------------------------------------------------------------


def test_an_index_of_before_is_named_incomplete_and_then_built(api: Api) -> None:
    content = files(20)
    api.index(content)
    key = repository().pk
    _forget(key)
    assert candidates([key], literal_trigrams("alpha")).incomplete == {key}
    assert incomplete_repositories() == [key]
    api.index(content | {"new.txt": "alpha\n"})
    assert candidates([key], literal_trigrams("alpha")).incomplete == {key}
    TextIndex().follow()
    assert candidates([key], literal_trigrams("alpha")).incomplete == set()
    assert found(literal_trigrams("alpha")) == scanned(content, "alpha") | {"new.txt"}


def test_segments_of_a_former_format_serve_until_others_replace_them(api: Api) -> None:
    content = files(20)
    api.index(content)
    key = repository().pk
    TrigramSegment.objects.update(format=1)
    api.index(content | {"new.txt": "alpha\n"})
    assert candidates([key], literal_trigrams("alpha")).incomplete == {key}
    assert found(literal_trigrams("alpha")) == scanned(content, "alpha") | {"new.txt"}
    assert incomplete_repositories() == [key]
    TextIndex().follow()
    assert incomplete_repositories() == []
    assert candidates([key], literal_trigrams("alpha")).incomplete == set()
    assert set(TrigramSegment.objects.values_list("format", flat=True)) == {FORMAT}
    assert found(literal_trigrams("alpha")) == scanned(content, "alpha") | {"new.txt"}
    assert not len(read_coverage(key).repeated)


def test_a_segment_that_an_older_version_writes_later_is_rebuilt(api: Api) -> None:
    api.index(files(3))
    key = repository().pk
    api.index(files(3) | {"new.txt": "alpha\n"})
    newest = TrigramSegment.objects.latest("pk")
    newest.format = 1
    newest.save()
    assert candidates([key], literal_trigrams("alpha")).incomplete == {key}
    difference = TextIndex().rebuild(repository(), repair=False)
    assert (difference.due, difference.differing) == (1, 0)
    TextIndex().follow()
    assert incomplete_repositories() == []
    assert "new.txt" in found(required_trigrams("^alpha$"))


def test_a_build_that_was_interrupted_goes_on_with_what_is_missing(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = files(20)
    api.index(content)
    key = repository().pk
    _forget(key)
    monkeypatch.setattr("central.corpus.trigrams.upkeep._PORTION_FILES", 8)
    assert build_portion(key)
    assert len(read_coverage(key).missing) == 12
    assert incomplete_repositories() == [key]
    TextIndex().follow()
    assert incomplete_repositories() == []
    assert found(literal_trigrams("alpha")) == scanned(content, "alpha")
    assert not len(read_coverage(key).repeated)


@pytest.mark.usefixtures("few_segments")
def test_many_small_segments_become_few_without_the_files_that_are_gone(api: Api) -> None:
    content = files(10)
    api.index(content)
    for step in range(FEW + 4):
        content["src/f0.txt"] = f"step{step} omega\n"
        api.index(content)
    assert repositories_to_merge() == [repository().pk]
    TextIndex().follow()
    assert segments() <= FEW
    assert repositories_to_merge() == []
    for word in WORDS:
        assert found(literal_trigrams(word)) == scanned(content, word)
    covered = sum(len(ids) for ids in read_coverage(repository().pk).segments.values())
    assert covered < len(content) + FEW + 4


@pytest.mark.usefixtures("few_segments")
def test_a_merge_is_not_stored_if_another_one_was_quicker(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = files(5)
    for step in range(FEW + 2):
        api.index(content | {"a.txt": f"step{step}\n"})
    key = repository().pk
    merged = merges._merged

    def overtaken(chosen: list[merges.Segment], of: Indexed) -> object:
        first = merged(chosen, of)
        assert delete_segments([chosen[0].key])
        insert_segment(key, *first)
        return first

    monkeypatch.setattr(merges, "_merged", overtaken)
    before = found(literal_trigrams("omega"))
    assert not merge_segments(key)
    monkeypatch.undo()
    TextIndex().follow()
    assert found(literal_trigrams("omega")) == before


@pytest.mark.usefixtures("few_segments")
def test_an_apply_while_a_merge_is_made_keeps_both(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = files(5)
    for step in range(FEW + 2):
        api.index(content | {"a.txt": f"step{step}\n"})
    merged = merges._merged

    def beside(chosen: list[merges.Segment], of: Indexed) -> object:
        api.index(content | {"a.txt": "meanwhile\n"})
        return merged(chosen, of)

    monkeypatch.setattr(merges, "_merged", beside)
    assert merge_segments(repository().pk)
    assert found(literal_trigrams("meanwhile")) == {"a.txt"}
    for word in WORDS:
        assert found(literal_trigrams(word)) == scanned(content, word)


@pytest.mark.usefixtures("few_segments")
def test_a_merge_that_ends_in_the_middle_of_an_apply_keeps_both(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = files(5)
    for step in range(FEW + 2):
        api.index(content | {"a.txt": f"step{step}\n"})
    key, merged = repository().pk, []
    count = applying._count

    def beside(*arguments: Any) -> None:
        merged.append(in_another_connection(lambda: merge_segments(key)))
        count(*arguments)

    monkeypatch.setattr(applying, "_count", beside)
    api.index(content | {"a.txt": "meanwhile\n"})
    assert merged == [True]
    assert found(literal_trigrams("meanwhile")) == {"a.txt"}
    for word in WORDS:
        assert found(literal_trigrams(word)) == scanned(content, word)
    coverage = read_coverage(key)
    assert not len(coverage.missing)
    assert not len(coverage.repeated)


def test_a_build_waits_for_an_apply_of_its_repository(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    api.index(files(5))
    key, built = repository().pk, []
    _forget(key)
    count = applying._count

    def beside(*arguments: Any) -> None:
        built.append(in_another_connection(lambda: build_portion(key)))
        count(*arguments)

    monkeypatch.setattr(applying, "_count", beside)
    api.index(files(5) | {"a.txt": "meanwhile\n"})
    assert built == [False]
    assert incomplete_repositories() == [key]
    TextIndex().follow()
    assert incomplete_repositories() == []


def in_another_connection(step: Callable[[], bool]) -> bool:
    """Run a step as another process would, beside the caller's transaction."""

    def run() -> bool:
        try:
            return step()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as executor:
        return executor.submit(run).result(20)


@pytest.mark.usefixtures("few_segments")
def test_the_task_builds_and_merges(api: Api) -> None:
    content = files(5)
    for step in range(FEW + 2):
        api.index(content | {"a.txt": f"step{step}\n"})
    api.index(content, project="old")
    _forget(repository("old").pk)
    maintain_text()
    assert segments() <= FEW
    assert incomplete_repositories() == []


def test_upkeep_stops_when_it_is_told_to(api: Api) -> None:
    for project in ("one", "two"):
        api.index(files(3), project=project)
        _forget(repository(project).pk)
    TextIndex(iter((False, True)).__next__).follow()
    assert len(incomplete_repositories()) == 1


# --- Which segments are merged ------------------------------------------------------------------


def segment(key: int, postings: int, *, count: int = 4, gone: int = 0) -> merges.Segment:
    live = np.arange(count) >= gone
    return merges.Segment(key, postings, 1, np.arange(count, dtype=np.int64), live)


def chosen(*given: merges.Segment) -> list[int]:
    return [one.key for one in merges.chosen_segments(given)]


def test_few_small_segments_are_left_alone() -> None:
    assert chosen(*(segment(key, 10) for key in range(MOST_SEGMENTS))) == []


def test_of_too_many_the_smallest_of_a_like_size_are_chosen() -> None:
    large = [segment(key, 100_000) for key in range(MOST_SEGMENTS)]
    assert chosen(*large, segment(90, 10), segment(91, 12), segment(92, 15)) == [90, 91, 92]


def test_segments_whose_files_are_mostly_gone_come_first() -> None:
    small = [segment(key, 10) for key in range(MOST_SEGMENTS + 2)]
    assert chosen(*small, segment(90, 1_000, gone=3)) == [90]


def test_a_merge_is_no_larger_than_a_segment_may_be() -> None:
    worn = [segment(key, SEGMENT_POSTINGS // 2, gone=3) for key in range(5)]
    assert chosen(*worn) == [0, 1]
    assert chosen(*(segment(key, SEGMENT_POSTINGS // 2) for key in range(20))) == []


# --- What the reconcile finds -------------------------------------------------------------------


def test_a_whole_index_has_no_difference(api: Api) -> None:
    api.index(files(10))
    compared = TextIndex().rebuild(repository(), repair=False)
    assert (compared.due, compared.differing) == (0, 0)


@pytest.mark.parametrize("damage", ["missing", "repeated", "wrong", "no row", "no files"])
def test_a_damage_is_reported_and_repaired(api: Api, damage: str) -> None:
    content = files(10)
    api.index(content)
    key = repository().pk
    if damage == "missing":
        TrigramPosting.objects.all().delete()
        TrigramSegment.objects.all().delete()
    elif damage == "repeated":
        Repository.objects.filter(pk=key).update(text_generation=0)
        api.index(content | {"extra.txt": "one\n"})
        segment = TrigramSegment.objects.order_by("pk")[0]
        copy = TrigramSegment.objects.create(
            repository_id=key,
            files=segment.files,
            postings=segment.postings,
            buckets=segment.buckets,
            format=FORMAT,
        )
        rows = TrigramPosting.objects.filter(segment=segment)
        TrigramPosting.objects.bulk_create(
            TrigramPosting(segment=copy, bucket=row.bucket, data=row.data) for row in rows
        )
    elif damage == "no row":
        TrigramPosting.objects.update(data=NO_ROW)
    elif damage == "no files":
        TrigramSegment.objects.update(files=b"odd")
        assert candidates([key], literal_trigrams("sigma")).damaged == {key}
    else:
        File.objects.filter(path="src/f1.txt").update(content="what no row knows\n")
    assert TextIndex().rebuild(repository(), repair=False).differing
    TextIndex().rebuild(repository(), repair=True)
    assert not TextIndex().rebuild(repository(), repair=False).differing
    assert found(literal_trigrams("sigma")) >= scanned(content, "sigma") - {"src/f1.txt"}


@pytest.mark.usefixtures("few_segments")
def test_a_damaged_row_stops_no_upkeep_of_other_repositories(api: Api) -> None:
    for step in range(FEW + 2):
        api.index(files(5) | {"a.txt": f"step{step}\n"})
    TrigramPosting.objects.update(data=NO_ROW)
    api.index(files(3), project="old")
    _forget(repository("old").pk)
    TextIndex().follow()
    assert incomplete_repositories() == []


def _forget(key: int) -> None:
    """Leave the repository as a version without a text index left it."""
    TrigramPosting.objects.filter(segment__repository=key).delete()
    TrigramSegment.objects.filter(repository=key).delete()
    Repository.objects.filter(pk=key).update(text_generation=0)
