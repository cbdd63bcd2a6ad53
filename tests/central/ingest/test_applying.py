"""Applying a run: what is stored, what is removed, and what never is half done."""

import pytest

from central.corpus.dump import dump_lines
from central.repositories.models import Repository
from tests.central.protocol import Api, api_of, apply_queued

pytestmark = pytest.mark.django_db

FILES = {"src/a.py": "def a\ndef aa\n", "src/b.py": "def b\n", "README.md": "# shop\n"}


@pytest.fixture
def api() -> Api:
    return api_of()


def dump(api: Api, project: str = "shop") -> list[str]:
    return dump_lines(
        Repository.objects.select_related("organization").get(
            organization=api.organization, name=project
        )
    )


def test_a_full_run_is_stored_and_every_chunk_has_its_point(api: Api) -> None:
    run = api.index(FILES)
    assert api.state(run)["state"] == "applied"
    lines = dump(api)
    assert sum('"type":"file"' in line for line in lines) == 3
    chunks = [line for line in lines if '"type":"chunk"' in line]
    assert len(chunks) == 4
    assert all('"vector":true' in line for line in chunks)


def test_an_incremental_run_ends_where_a_full_one_does(api: Api) -> None:
    api.index(FILES)
    changed = {"src/a.py": "def a\ndef other\n", "src/c.py": "def c\n", "README.md": "# shop\n"}
    api.queue_incremental(FILES, changed)
    assert apply_queued() == ["applied"]
    api.index(changed, project="fresh")
    assert dump(api) == dump(api, "fresh")
