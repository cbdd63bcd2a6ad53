"""What a tree line means for a stored file."""

from dataclasses import replace

import pytest
from django.db import connection

from central.ingest.models import IndexRun
from central.ingest.services import trees
from indexer.bundle.encode import encode_tree
from indexer.bundle.tree import decode_tree
from indexer.records.files import FileRecord, GeneratedBy, SkipReason, TreeEntry
from tests.central.protocol import (
    EXTRACTOR,
    Api,
    api_of,
    apply_queued,
    blob_of,
    file_record,
    skipped_record,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def api() -> Api:
    return api_of()


def changed_after(api: Api, stored: SkipReason, said: SkipReason | None, **open_: str) -> bool:
    """Whether a file stored with one reason and named with another is asked for."""
    return changed_record(api, skipped_record("odd", stored), said, **open_)


def changed_record(api: Api, record: FileRecord, said: SkipReason | None, **open_: str) -> bool:
    """Whether a file that is stored so and named with a reason is asked for."""
    run = api.open(commit_sha="b" * 40).json()
    api.put_tree(run, [TreeEntry("odd", record.mode, record.blob, record.size)])
    api.put_batch(run, 1, [record])
    api.deliver(run, api.announcement(run, commit_sha="b" * 40))
    assert apply_queued() == ["applied"]
    again = api.open(commit_sha="c" * 40, **open_).json()
    entry = TreeEntry("odd", record.mode, record.blob, record.size, said)
    return bool(api.put_tree(again, [entry]).json()["changed"])


# Whatever is told by the content alone. An entry, an attribute or a declaration tells the others.
BY_CONTENT = {"binary", "lfs_pointer", "minified", "unprocessable"}


@pytest.mark.parametrize("reason", list(SkipReason))
def test_a_reason_that_only_content_gives_stands_where_a_line_has_none(
    api: Api, reason: SkipReason
) -> None:
    assert changed_after(api, reason, None) == (reason not in BY_CONTENT)


def test_a_mark_may_come_from_an_attribute_that_is_gone(api: Api) -> None:
    assert changed_after(api, SkipReason.GENERATED, None)


@pytest.mark.parametrize(
    ("stored", "said", "is_changed"),
    [
        (GeneratedBy.ENTRY, SkipReason.GENERATED, False),
        (GeneratedBy.ENTRY, None, True),  # an attribute is gone
        (GeneratedBy.ENTRY, SkipReason.VENDORED, True),
        (GeneratedBy.CONTENT, None, False),  # a client that has not read it cannot know
        (GeneratedBy.CONTENT, SkipReason.GENERATED, True),
        (None, SkipReason.GENERATED, True),
    ],
)
def test_a_generated_file_is_asked_for_when_its_entry_says_something_else(
    api: Api, stored: GeneratedBy | None, said: SkipReason | None, is_changed: bool
) -> None:
    record = replace(file_record("odd", "def f\n"), chunks=(), generated=stored)
    assert changed_record(api, record, said) is is_changed


def test_another_embedder_does_not_ask_for_files_without_chunks(api: Api) -> None:
    record = replace(file_record("odd", "def f\n"), chunks=(), generated=GeneratedBy.CONTENT)
    assert not changed_record(api, record, None)
    api.organization.embedder = "builtin/another/256"
    api.organization.save()
    run = api.open(commit_sha="d" * 40).json()
    entry = TreeEntry("odd", record.mode, record.blob, record.size)
    assert api.put_tree(run, [entry]).json()["changed"] == []


@pytest.mark.parametrize("reason", sorted(BY_CONTENT))
def test_what_the_content_of_a_file_with_a_mark_says_stands(api: Api, reason: str) -> None:
    assert not changed_after(api, SkipReason(reason), SkipReason.GENERATED)


def test_a_file_that_is_not_utf8_is_asked_for_as_another_may_declare_its_encoding(api: Api) -> None:
    record = file_record("odd", "def f\n")
    assert changed_record(api, replace(record, encoding="cp1252"), None)


def test_a_file_whose_language_another_declared_is_asked_for_again(api: Api) -> None:
    record = file_record("odd", "def f\n")
    assert changed_record(api, replace(record, language_declared=True), None)


def test_so_is_a_skipped_one(api: Api) -> None:
    record = replace(skipped_record("odd"), language_declared=True)
    assert changed_record(api, record, record.skipped)


@pytest.mark.parametrize("reason", [SkipReason.NOT_UTF8, SkipReason.ENCODING_INVALID])
def test_a_file_in_no_known_encoding_is_asked_for_again(api: Api, reason: SkipReason) -> None:
    assert changed_after(api, reason, None)


def test_a_line_with_another_reason_is_changed(api: Api) -> None:
    assert changed_after(api, SkipReason.BINARY, SkipReason.EXCLUDED)


def test_another_extractor_asks_for_everything(api: Api) -> None:
    assert changed_after(api, SkipReason.BINARY, None, extractor=f"{EXTRACTOR}-next")


def test_another_blob_is_asked_for(api: Api) -> None:
    run = api.open(commit_sha="b" * 40).json()
    record = skipped_record("odd")
    other = TreeEntry("odd", record.mode, blob_of("other"), record.size)
    assert api.put_tree(run, [other]).json()["changed"] == ["odd"]


@pytest.mark.parametrize("statement", [trees._DIFFERENT, trees._REMOVED_COUNT])
def test_stored_files_are_compared_by_an_index_before_the_planner_knows_their_number(
    api: Api, statement: str
) -> None:
    """It takes them for few, and 500,000 files with 500,000 lines each would take hours."""
    opened = api.open().json()
    run = IndexRun.objects.select_related("repository").get(pk=opened["run_id"])
    tree = trees.LoadedTree(run)
    entries = [TreeEntry(f"{number}.py", "100644", "b" * 40, 1) for number in range(2_000)]
    tree.fill(decode_tree(encode_tree(entries)))
    with connection.cursor() as cursor:
        # With these it does not matter, and earlier tests leave pages that may make one cheaper.
        cursor.execute("SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off")
        cursor.execute(f"EXPLAIN {statement}", tree._parameters)
        plan = "\n".join(line for (line,) in cursor.fetchall())
    assert "tree_line_path" in plan
    assert "Seq Scan on tree_line" not in plan
