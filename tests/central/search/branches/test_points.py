"""The vector store follows what moves between the default branch and the others."""

from uuid import UUID

import pytest

from aeterna_code_search.contract.search import Mode
from central.corpus.backends import collection_of, vector_store
from central.corpus.branches.tables import IN_OTHERS
from central.corpus.models import Chunk
from central.db import fetch_rows, sql
from central.repositories.models import Repository
from tests.central.branches import Service
from tests.central.search.branches.pushed import ask, service_of
from tests.central.search.conftest import AUTH

_OF_OTHERS = sql("SELECT point FROM {others}{chunk}", others=IN_OTHERS, chunk=Chunk)
LEGACY = 'def rotate_quokka(key):\n    """Rotate a quokka key."""\n    return key\n'
FILES = {**AUTH, "src/legacy.py": LEGACY}
MOVES = [
    ("release/1", FILES),
    (
        "main",
        {**AUTH, "src/authors.py": "def author():\n    return 'wombat'\n"},
    ),  # it keeps its own
    ("release/2", {**FILES, "src/legacy.py": LEGACY.replace("quokka", "zebra")}),
    ("main", FILES),  # what was the branch's is the default branch's
    ("main", dict(AUTH)),
    ("release/1", dict(AUTH)),
    ("release/2", {"src/legacy.py": LEGACY}),
]


def check_points(service: Service, seen: set[UUID]) -> None:
    """Each chunk has its point in the collection of its table, and no other point is there."""
    repository = Repository.objects.select_related("organization").get(name=service.project)
    default = {point for (point,) in Chunk.objects.values_list("point")}
    others = {point for (point,) in fetch_rows(_OF_OTHERS)}
    seen |= default | others
    for of_others, wanted in ((False, default), (True, others)):
        collection = collection_of(repository, of_others=of_others)
        assert set(vector_store().existing(collection, list(seen))) == wanted


@pytest.mark.django_db
def test_points_are_where_the_chunks_are_after_each_push() -> None:
    service, fresh = service_of(), service_of("fresh")
    seen: set[UUID] = set()
    service.push("main", dict(AUTH))
    for branch, files in MOVES:
        Repository.objects.filter(name="fresh").delete()
        service.push(branch, files)
        check_points(service, seen)
        for name, own in service.indexed.items():
            Repository.objects.filter(name="fresh").delete()
            fresh.indexed.clear()
            fresh.push("main", own)
            for mode in (Mode.SEMANTIC, Mode.HYBRID):
                query = "rotate the key of a quokka"
                found = ask(service, query, mode=mode, ref=name, include_projects=("shop",))
                wanted = ask(fresh, query, mode=mode, include_projects=("fresh",))
                assert [(row.file, row.similarity, row.content) for row in found.results] == [
                    (row.file, row.similarity, row.content) for row in wanted.results
                ]
