"""What is embedded once is known: after a move, a revert, in another repository; not to others."""

from pathlib import Path
from typing import Any

import pytest
from pytest_django import Settings

import indexer.embedding.builtin
from central.corpus import backends
from central.corpus.models import Chunk
from indexer.records.files import Removal
from indexer.records.vectors import EmbedderConfig
from tests.central.factories import OrganizationFactory
from tests.central.protocol import Api, api_of, apply_queued, commit_of, file_record, tree_of

pytestmark = pytest.mark.django_db

FILES = {"src/till.py": "def open\n", "src/prices.py": "def price\n"}


def send(api: Api, records: list[Any], files: dict[str, str], project: str = "shop") -> Any:
    """An incremental run of these records, as far as it is taken; the answer to its batch."""
    run = api.open(project, commit_sha=commit_of(files)).json()
    answer = api.put_batch(run, 1, records)
    if answer.status_code == 204:
        mode = "incremental" if run["base_commit"] else "force"
        body = api.announcement(run, project_id=project, mode=mode, commit_sha=commit_of(files))
        assert api.deliver(run, body).status_code == 202
        assert apply_queued() == ["applied"]
    return answer


def test_a_move_that_keeps_the_stem_needs_no_vector(api: Api) -> None:
    api.index(FILES)
    moved = file_record("lib/till.py", FILES["src/till.py"], has_vectors=False)
    assert send(api, [moved, Removal("src/till.py")], {"lib": ""}).status_code == 204
    renamed = file_record("lib/drawer.py", FILES["src/till.py"], has_vectors=False)
    assert send(api, [renamed], {"drawer": ""}).json()["code"] == "embedding_unknown"


def test_a_revert_needs_no_vector(api: Api) -> None:
    api.index(FILES)
    send(api, [file_record("src/till.py", "def shut\n")], {"shut": ""})
    again = file_record("src/till.py", FILES["src/till.py"], has_vectors=False)
    assert send(api, [again], FILES).status_code == 204
    assert Chunk.objects.filter(repository__name="shop").count() == 2


def test_a_copy_needs_no_vector_within_the_organisation_alone(api: Api) -> None:
    api.index(FILES)
    copy = file_record("vendor/till.py", FILES["src/till.py"], has_vectors=False)
    assert send(api, [copy], {"copy": ""}, "copy").status_code == 204
    narrow = api_of(api.organization, repositories=["narrow"])
    other = api_of(OrganizationFactory.create())
    for stranger in (narrow, other):
        assert send(stranger, [copy], {}, "narrow").json()["code"] == "embedding_unknown"


def test_while_the_embedder_changes_all_is_searched_with_the_vectors_that_it_has(
    api: Api, settings: Settings, tmp_path: Path
) -> None:
    for project in ("old", "new"):
        api.index(FILES, project=project)
    packaged = Path(indexer.embedding.builtin.__file__).parent / "model"
    (tmp_path / "twin").symlink_to(packaged)
    settings.EMBEDDER_ACCESS = EmbedderConfig(models=tmp_path)
    api.organization.embedder = "builtin/twin/256"
    api.organization.save()

    run = api.open("new", commit_sha=commit_of(FILES)).json()
    api.put_tree(run, tree_of(FILES))
    api.put_batch(run, 1, [file_record(path, text) for path, text in FILES.items()])
    announced = {"project_id": "new", "reason": "embedder_changed", "commit_sha": commit_of(FILES)}
    api.deliver(run, api.announcement(run, **announced))
    assert apply_queued() == ["applied"]
    rows = {row["project"]: row for row in api.status().json()["projects"]}
    assert rows["new"]["embedder"] == "builtin/twin/256"
    assert rows["new"]["reason"] == "embedder_changed"
    assert rows["old"]["embedder"] == "builtin/aeterna-static-1/256"
    assert api.open("old").json()["base_embedder"] == "builtin/aeterna-static-1/256"

    found = search(api)
    assert {result["project"] for result in found["results"]} == {"old", "new"}
    assert found["receipt"]["missing"] == []

    settings.EMBEDDER_ACCESS = EmbedderConfig()
    backends._open_embedder.cache_clear()
    found = search(api, query="price of things")
    missing = [(row["project"], row["reason"]) for row in found["receipt"]["missing"]]
    assert missing == [("new", "embedder_unavailable")]
    assert not found["receipt"]["complete"]


def search(api: Api, query: str = "open the till") -> dict[str, Any]:
    body = {"org_id": api.organization.slug, "query": query, "mode": "semantic"}
    answer: dict[str, Any] = api.request("POST", "/api/v1/search", body).json()
    return answer
