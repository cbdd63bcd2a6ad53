"""The text index: what an apply writes, what a lookup finds, what the worker mends."""

import random
from collections.abc import Mapping

import numpy as np
import pytest

from central.corpus.models import File, TrigramPosting, TrigramSegment
from central.corpus.trigrams import merges
from central.corpus.trigrams.candidates import candidates
from central.corpus.trigrams.coverage import build_portion, incomplete_repositories, read_coverage
from central.corpus.trigrams.merges import (
    MOST_SEGMENTS,
    delete_segments,
    merge_segments,
    repositories_to_merge,
)
from central.corpus.trigrams.regex import required_trigrams
from central.corpus.trigrams.segments import insert_segment
from central.corpus.trigrams.tree import EVERYTHING, Tree, literal_trigrams
from central.ingest.services import apply_commit
from central.maintenance.text_upkeep import compare_text, maintain_text_index
from central.repositories.models import Repository
from tests.central.protocol import Api, api_of

pytestmark = pytest.mark.django_db(transaction=True)

WORDS = (
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa",
    "lambda", "omega", "sigma",
)  # fmt: skip


@pytest.fixture
def api() -> Api:
    return api_of()


def repository(project: str = "shop") -> Repository:
    return Repository.objects.get(name=project)


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
        maintain_text_index()
    api.index(content, project="fresh")
    for word in WORDS:
        assert found(literal_trigrams(word)) == found(literal_trigrams(word), "fresh")
    assert not len(read_coverage(repository().pk).missing)


def test_an_apply_that_dies_leaves_the_former_segments(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    api.index({"a.txt": "former words\n"})
    with monkeypatch.context() as patched:
        patched.setattr(apply_commit, "_count", _die)
        with pytest.raises(KeyboardInterrupt):
            api.index({"a.txt": "later words\n"})
    assert segments() == 1
    assert found(literal_trigrams("former")) == {"a.txt"}
    assert found(literal_trigrams("later")) == set()


def _die(*_: object) -> None:
    raise KeyboardInterrupt


# --- What a lookup finds ------------------------------------------------------------------------


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
    maintain_text_index()
    assert candidates([key], literal_trigrams("alpha")).incomplete == set()
    assert found(literal_trigrams("alpha")) == scanned(content, "alpha") | {"new.txt"}


def test_a_build_that_was_interrupted_goes_on_with_what_is_missing(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = files(20)
    api.index(content)
    key = repository().pk
    _forget(key)
    monkeypatch.setattr("central.corpus.trigrams.coverage._PORTION_FILES", 8)
    assert build_portion(key)
    assert len(read_coverage(key).missing) == 12
    assert incomplete_repositories() == [key]
    maintain_text_index()
    assert incomplete_repositories() == []
    assert found(literal_trigrams("alpha")) == scanned(content, "alpha")
    assert not len(read_coverage(key).repeated)


def test_many_small_segments_become_few_without_the_files_that_are_gone(api: Api) -> None:
    content = files(10)
    api.index(content)
    for step in range(MOST_SEGMENTS + 4):
        content["src/f0.txt"] = f"step{step} omega\n"
        api.index(content)
    assert repositories_to_merge() == [repository().pk]
    maintain_text_index()
    assert segments() <= MOST_SEGMENTS
    assert repositories_to_merge() == []
    for word in WORDS:
        assert found(literal_trigrams(word)) == scanned(content, word)
    covered = sum(len(ids) for ids in read_coverage(repository().pk).segments.values())
    assert covered < len(content) + MOST_SEGMENTS + 4


def test_a_merge_is_not_stored_if_another_one_was_quicker(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = files(5)
    for step in range(MOST_SEGMENTS + 2):
        api.index(content | {"a.txt": f"step{step}\n"})
    key = repository().pk
    merged = merges._merged

    def overtaken(chosen: list[merges.Segment]) -> object:
        first = merged(chosen)
        assert delete_segments([chosen[0].key])
        insert_segment(key, *first)
        return first

    monkeypatch.setattr(merges, "_merged", overtaken)
    before = found(literal_trigrams("omega"))
    assert not merge_segments(key)
    monkeypatch.undo()
    maintain_text_index()
    assert found(literal_trigrams("omega")) == before


def test_an_apply_while_a_merge_is_made_keeps_both(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = files(5)
    for step in range(MOST_SEGMENTS + 2):
        api.index(content | {"a.txt": f"step{step}\n"})
    merged = merges._merged

    def beside(chosen: list[merges.Segment]) -> object:
        api.index(content | {"a.txt": "meanwhile\n"})
        return merged(chosen)

    monkeypatch.setattr(merges, "_merged", beside)
    assert merge_segments(repository().pk)
    assert found(literal_trigrams("meanwhile")) == {"a.txt"}
    for word in WORDS:
        assert found(literal_trigrams(word)) == scanned(content, word)


# --- What the reconcile finds -------------------------------------------------------------------


def test_a_whole_index_has_no_difference(api: Api) -> None:
    api.index(files(10))
    compared = compare_text(repository(), repair=False)
    assert (compared.due, compared.differing) == (0, 0)


@pytest.mark.parametrize("damage", ["missing", "repeated", "wrong"])
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
        )
        rows = TrigramPosting.objects.filter(segment=segment)
        TrigramPosting.objects.bulk_create(
            TrigramPosting(segment=copy, bucket=row.bucket, data=row.data) for row in rows
        )
    else:
        File.objects.filter(path="src/f1.txt").update(content="what no row knows\n")
    assert compare_text(repository(), repair=False).differing
    compare_text(repository(), repair=True)
    assert not compare_text(repository(), repair=False).differing
    assert found(literal_trigrams("sigma")) >= scanned(content, "sigma") - {"src/f1.txt"}


def _forget(key: int) -> None:
    """Leave the repository as a version without a text index left it."""
    TrigramPosting.objects.filter(segment__repository=key).delete()
    TrigramSegment.objects.filter(repository=key).delete()
    Repository.objects.filter(pk=key).update(text_generation=0)
