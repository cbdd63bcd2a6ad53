"""Which trigrams of a query are looked up decides how much is read, never what is found."""

import random
from collections.abc import Callable, Mapping, Sequence
from itertools import permutations
from typing import TypeAlias

import pytest

from central.corpus.models import File, TrigramPosting
from central.corpus.trigrams import candidates as lookup
from central.corpus.trigrams.candidates import Candidates, candidates
from central.corpus.trigrams.regex import required_trigrams
from central.corpus.trigrams.segments import SegmentWriter
from central.corpus.trigrams.tree import Tree, literal_trigrams, tree_hashes
from central.repositories.models import Repository
from central.tenancy.models import Organization

pytestmark = pytest.mark.django_db

Counts: TypeAlias = Callable[[Sequence[int], Sequence[int]], Mapping[int, float]]
WORDS = ("alpha", "beta", "gamma", "delta", "alphabet", "gam", "mma de", "lpha b")
TREES = {
    "gamma delta": literal_trigrams("gamma delta"),
    "alphabet": literal_trigrams("alphabet"),
    "alpha.*delta|beta gamma": required_trigrams("alpha.*delta|beta gamma"),
    "nothing has it": literal_trigrams("nothing has it"),
}


def right(keys: Sequence[int], hashes: Sequence[int]) -> Mapping[int, float]:
    return _right(keys, hashes)


def missing(_: Sequence[int], __: Sequence[int]) -> Mapping[int, float]:
    return {}


def reversed_counts(keys: Sequence[int], hashes: Sequence[int]) -> Mapping[int, float]:
    return {one: -count for one, count in _right(keys, hashes).items()}


def by_chance(_: Sequence[int], hashes: Sequence[int]) -> Mapping[int, float]:
    return {one: random.random() for one in hashes}  # noqa: S311


_right = lookup._counts
COUNTS = [right, missing, reversed_counts, *[by_chance] * 5]


@pytest.fixture
def repositories(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Six repositories of 20 files, which are not few here."""
    monkeypatch.setattr(lookup, "_FEW", 0)
    monkeypatch.setattr(lookup, "_SAMPLED", 2)
    organization = Organization.objects.create(slug="acme")
    chance = random.Random(1)  # noqa: S311
    return [filled(organization, f"r{number}", chance) for number in range(6)]


def filled(organization: Organization, name: str, chance: random.Random) -> int:
    repository = Repository.objects.create(
        organization=organization, name=name, generation=1, text_generation=1
    )
    with SegmentWriter[int]() as segments:
        keys = []
        for number in range(20):
            text = " ".join(chance.choices(WORDS, k=4))
            file = File(repository=repository, path=f"{number}.txt", size=len(text), content=text)
            file.save()
            segments.add(file.pk, text)
            keys.append(file.pk)
        segments.finish()
        segments.insert(repository.pk, {key: key for key in keys})
    return repository.pk


def ids(found: Candidates) -> dict[int, list[int]]:
    return {repository: files.tolist() for repository, files in found.files.items()}


def all_trigrams(keys: Sequence[int], tree: Tree) -> list[int]:
    """The files that have every trigram that the tree requires, in the order of repositories."""
    whole = (1 << len(set(tree_hashes(tree)))) - 1
    found = ids(candidates(keys, tree, most=1_000, chosen=whole))
    return [file for key in keys for file in found.get(key, [])]


@pytest.mark.parametrize("counts", COUNTS)
@pytest.mark.parametrize("text", TREES)
def test_whatever_is_said_of_frequencies_each_match_is_among_the_candidates(
    repositories: list[int], monkeypatch: pytest.MonkeyPatch, text: str, counts: Counts
) -> None:
    monkeypatch.setattr(lookup, "_counts", counts)
    found = ids(candidates(repositories, TREES[text], most=1_000))
    read = {file for files in found.values() for file in files}
    matching = set(File.objects.filter(content__regex=text).values_list("pk", flat=True))
    assert matching <= read
    assert set(all_trigrams(repositories, TREES[text])) <= read
    assert all(len(files) < 20 for files in found.values())  # something was asked


@pytest.mark.parametrize("counts", COUNTS)
@pytest.mark.parametrize("most", [0, 3, 10, 40])
def test_of_too_many_files_those_are_kept_that_have_every_trigram(
    repositories: list[int], monkeypatch: pytest.MonkeyPatch, counts: Counts, most: int
) -> None:
    monkeypatch.setattr(lookup, "_counts", counts)
    tree = TREES["gamma delta"]
    every = all_trigrams(repositories, tree)
    found = candidates(repositories, tree, most=most)
    if found.count > most:
        kept = [file for key in repositories for file in ids(found).get(key, [])]
        assert kept[:most] == every[:most]
        assert len(every) > most
    else:
        assert set(every) <= {file for files in ids(found).values() for file in files}


def test_three_trigrams_are_looked_up_of_which_the_rarest_leave_fewest_files(
    repositories: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = TREES["gamma delta"]
    found = candidates(repositories, tree, most=1_000)
    assert found.chosen.bit_count() == 3 < len(set(tree_hashes(tree)))
    monkeypatch.setattr(lookup, "_counts", reversed_counts)
    assert found.count < candidates(repositories, tree, most=1_000).count


def test_a_further_page_is_of_the_same_files_if_others_are_rare_then(
    repositories: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    tree, different = TREES["gamma delta"], set()
    for order in permutations(range(3)):
        monkeypatch.setattr(
            lookup, "_counts", lambda _, hashes, order=order: dict(zip(hashes, order, strict=False))
        )
        first = candidates(repositories, tree, most=1_000)
        monkeypatch.setattr(lookup, "_counts", by_chance)
        second = candidates(repositories, tree, most=1_000, chosen=first.chosen)
        assert ids(first) == ids(second)
        different.add(candidates(repositories, tree, most=1_000).chosen)
    assert len(different) > 1


def test_counts_are_of_the_repositories_that_are_asked_alone(repositories: list[int]) -> None:
    hidden, visible = repositories[:3], repositories[3:]
    hashes = sorted(set(tree_hashes(TREES["gamma delta"])))
    before = lookup._counts(visible, hashes)
    TrigramPosting.objects.filter(segment__repository__in=hidden).delete()
    assert lookup._counts(visible, hashes) == before


def test_a_row_that_cannot_be_read_is_not_counted_and_is_named(repositories: list[int]) -> None:
    TrigramPosting.objects.filter(segment__repository=repositories[0]).update(data=b"\xff" * 4)
    found = candidates(repositories, TREES["alphabet"], most=1_000)
    assert found.damaged == {repositories[0]}
    assert set(found.files) == set(repositories[1:])
