"""Which trigrams of a query are looked up decides how much is read, never what is found."""

import random
from collections.abc import Iterator, Sequence

import pytest
from pytest_django import DjangoDbBlocker

from central.corpus.models import File, TrigramPosting
from central.corpus.trigrams import candidates as lookup
from central.corpus.trigrams.candidates import Candidates, candidates
from central.corpus.trigrams.hashes import window_hashes
from central.corpus.trigrams.indexed import Indexed
from central.corpus.trigrams.regex import required_trigrams
from central.corpus.trigrams.segments import SegmentWriter
from central.corpus.trigrams.tree import EVERYTHING, Tree, literal_trigrams, restricted, tree_hashes
from central.repositories.models import Repository
from central.tenancy.models import Organization
from tests.central.lasting import lasting

pytestmark = pytest.mark.django_db

WORDS = ("alpha", "beta", "gamma", "delta", "alphabet", "gam", "mma de", "lpha b")
TREES = {
    "gamma delta": literal_trigrams("gamma delta"),
    "alphabet": literal_trigrams("alphabet"),
    "alpha.*delta|beta gamma": required_trigrams("alpha.*delta|beta gamma"),
    "nothing has it": literal_trigrams("nothing has it"),
}
SEEDS = range(8)


@pytest.fixture(scope="module")
def made(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[list[int]]:
    with lasting(django_db_blocker, make_repositories) as keys:
        yield keys


@pytest.fixture
def repositories(made: list[int], monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Six repositories of 20 files, which are many here: they are looked up two at a time."""
    monkeypatch.setattr(lookup, "_FEW", 0)
    monkeypatch.setattr(lookup, "_REPOSITORIES", 2)
    return made


def make_repositories() -> list[int]:
    organization = Organization.objects.create(slug="many")
    chance = random.Random(1)  # noqa: S311
    return [
        filled(organization, f"r{at}", [" ".join(chance.choices(WORDS, k=4)) for _ in range(20)])
        for at in range(6)
    ]


def filled(organization: Organization, name: str, texts: Sequence[str]) -> int:
    repository = Repository.objects.create(
        organization=organization, name=name, generation=1, text_generation=1
    )
    with SegmentWriter[int]() as segments:
        keys = []
        for number, text in enumerate(texts):
            file = File(repository=repository, path=f"{number}.txt", size=len(text), content=text)
            file.save()
            segments.add(file.pk, text)
            keys.append(file.pk)
        segments.finish()
        segments.insert(repository.pk, {key: key for key in keys})
    return repository.pk


def some_bits(tree: Tree, seed: int) -> int:
    """Trigrams drawn of a tree, which require something."""
    hashes, chance = sorted(set(tree_hashes(tree))), random.Random(seed)  # noqa: S311
    while True:
        bits = chance.getrandbits(len(hashes))
        chosen = {one for at, one in enumerate(hashes) if bits >> at & 1}
        if restricted(tree, chosen) != EVERYTHING:
            return bits


def ids(found: Candidates, keys: Sequence[int]) -> list[int]:
    """The files in the order of their repositories."""
    return [file for key in keys for file in found.files.get(key, ())]


def with_every_trigram(keys: Sequence[int], tree: Tree) -> list[int]:
    whole = (1 << len(set(tree_hashes(tree)))) - 1
    return ids(candidates(keys, tree, most=1_000, chosen=whole), keys)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("text", TREES)
def test_whichever_trigrams_are_looked_up_each_match_is_among_the_candidates(
    repositories: list[int], text: str, seed: int
) -> None:
    tree = TREES[text]
    chosen = some_bits(tree, seed)
    found = ids(candidates(repositories, tree, most=1_000, chosen=chosen), repositories)
    matching = set(File.objects.filter(content__regex=text).values_list("pk", flat=True))
    assert matching <= set(found)
    assert set(with_every_trigram(repositories, tree)) <= set(found)
    assert len(found) < 120  # something was asked


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("most", [0, 3, 10, 40])
def test_of_too_many_files_the_first_are_those_with_every_trigram(
    repositories: list[int], most: int, seed: int
) -> None:
    tree = TREES["gamma delta"]
    every = with_every_trigram(repositories, tree)
    found = candidates(repositories, tree, most=most, chosen=some_bits(tree, seed))
    if found.count > most:
        assert ids(found, repositories)[:most] == every[:most]
        assert set(every) - set(ids(found, repositories)) <= set(
            File.objects.filter(repository__in=found.beyond).values_list("pk", flat=True)
        )
    else:
        assert len(every) <= most
        assert not found.beyond
        assert set(every) <= set(ids(found, repositories))


def test_repositories_after_too_many_files_are_named_and_not_looked_up(
    repositories: list[int],
) -> None:
    TrigramPosting.objects.filter(segment__repository=repositories[5]).update(data=b"\xff" * 4)
    found = candidates(repositories, TREES["alphabet"], most=1, chosen=1)
    assert list(found.beyond) == repositories[2:]
    assert found.damaged == set()


def test_a_trigram_is_looked_up_if_it_leaves_out_files_that_the_others_do_not() -> None:
    organization = Organization.objects.create(slug="acme")
    texts = [f"{'zebra ' if at == 7 else 'zeb '}common words" for at in range(10)]
    keys = [filled(organization, f"r{at}", texts) for at in range(lookup._FEW + 1)]
    found = candidates(keys, literal_trigrams("zebra common"), most=1_000)
    hashes = sorted(window_hashes("zebra common").tolist())
    chosen = {one for at, one in enumerate(hashes) if found.chosen >> at & 1}
    assert len(chosen) == 1 < len(hashes)
    assert chosen <= set(window_hashes("ebra c").tolist())  # not "zeb", nor "com"
    assert found.count == len(keys)
    few = candidates(keys[: lookup._FEW], literal_trigrams("zebra common"), most=1_000)
    assert few.chosen.bit_count() == len(hashes)


def test_one_trigram_of_all_alternatives_is_looked_up_instead_of_one_of_each() -> None:
    organization = Organization.objects.create(slug="acme")
    texts = ["ushare", "other", "words"]
    keys = [filled(organization, f"r{at}", texts) for at in range(lookup._FEW + 1)]
    tree = required_trigrams("[u-z]share")
    assert len(set(tree_hashes(tree))) == 9
    assert candidates(keys, tree, most=1_000).chosen.bit_count() == 1


def test_a_further_page_is_of_the_same_files_if_other_trigrams_would_be_chosen_then(
    repositories: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    tree, different = TREES["gamma delta"], set()
    for one in tree_hashes(tree):
        monkeypatch.setattr(lookup, "_useful_trigrams", lambda *_, one=one: {one})
        first = candidates(repositories, tree, most=1_000)
        monkeypatch.setattr(lookup, "_useful_trigrams", lambda *_: set(tree_hashes(tree)))
        second = candidates(repositories, tree, most=1_000, chosen=first.chosen)
        assert ids(first, repositories) == ids(second, repositories)
        different.add(first.chosen)
    assert len(different) > 1


def test_the_choice_is_by_the_repositories_that_are_asked_alone(repositories: list[int]) -> None:
    hidden, visible = repositories[:3], repositories[3:]
    before = lookup._useful_trigrams(Indexed.FILES, visible, TREES["gamma delta"], 1_000)
    TrigramPosting.objects.filter(segment__repository__in=hidden).delete()
    assert lookup._useful_trigrams(Indexed.FILES, visible, TREES["gamma delta"], 1_000) == before


def test_a_row_that_cannot_be_read_is_not_counted_and_is_named(repositories: list[int]) -> None:
    TrigramPosting.objects.filter(segment__repository=repositories[0]).update(data=b"\xff" * 4)
    found = candidates(repositories, TREES["alphabet"], most=1_000)
    assert found.damaged == {repositories[0]}
    assert set(found.files) == set(repositories[1:])
