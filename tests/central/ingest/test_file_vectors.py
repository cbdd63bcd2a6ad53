"""The vector of a file is made where its rows are, by every kind of run."""

from importlib import import_module

import numpy as np
import pytest
from django.db import connection

from central.corpus.embeddings import pack_direction
from central.corpus.models import File
from tests.central.ingest.direct import opened_store, queue_direct
from tests.central.protocol import Api, apply_queued, commit_of, file_record, tree_of

pytestmark = pytest.mark.django_db

FILES = {"a.py": "def a\ndef aa\n", "b.py": "def b\n", "empty.py": ""}


def stored(project: str = "shop") -> dict[str, bytes | None]:
    rows = File.objects.filter(repository__name=project).values_list("path", "vector")
    return {path: vector and bytes(vector) for path, vector in rows}


def expected(path: str, content: str) -> bytes | None:
    vectors = [chunk.vector for chunk in file_record(path, content).chunks]
    known = [vector for vector in vectors if vector is not None]
    return pack_direction(np.sum(known, axis=0)) if known else None


def test_a_run_stores_the_direction_of_its_chunks(api: Api) -> None:
    api.index(FILES)
    assert stored() == {path: expected(path, content) for path, content in FILES.items()}
    assert [path for path, vector in stored().items() if vector is None] == ["empty.py"]


def test_a_changed_file_has_a_new_vector(api: Api) -> None:
    api.index(FILES)
    after = FILES | {"a.py": "def z\n"}
    api.queue_incremental(FILES, after)
    assert apply_queued() == ["applied"]
    assert stored() == {path: expected(path, content) for path, content in after.items()}


def test_vectors_that_were_known_count_like_new_ones(api: Api) -> None:
    api.index(FILES)
    run = api.open("copy", commit_sha=commit_of(FILES)).json()
    api.put_tree(run, tree_of(FILES))
    records = [file_record(path, text, has_vectors=False) for path, text in FILES.items()]
    assert api.put_batch(run, 1, records).status_code == 204
    body = api.announcement(run, project_id="copy", commit_sha=commit_of(FILES))
    assert api.deliver(run, body).status_code == 202
    assert apply_queued() == ["applied"]
    assert stored("copy") == stored()


def test_a_direct_run_stores_the_same(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    api.index(FILES, project="relayed")
    opened_store(api, monkeypatch)
    queue_direct(api, FILES)
    assert apply_queued() == ["applied"]
    assert stored() == stored("relayed")


def test_files_of_an_older_version_get_their_vectors_by_a_migration(api: Api) -> None:
    api.index(FILES)
    api.index({"c.py": "def c\n"}, project="other")
    before = stored(), stored("other")
    File.objects.update(vector=None)
    migration = import_module("central.corpus.migrations.0011_fill_file_vectors")
    with connection.schema_editor() as editor:
        migration.fill(None, editor)
    assert (stored(), stored("other")) == before
