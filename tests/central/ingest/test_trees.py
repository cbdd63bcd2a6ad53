"""What a tree line means for a stored file."""

import pytest

from indexer.records.files import SKIPPED_BY_CONTENT, SkipReason, TreeEntry
from tests.central.protocol import EXTRACTOR, Api, api_of, apply_queued, blob_of, skipped_record

pytestmark = pytest.mark.django_db


@pytest.fixture
def api() -> Api:
    return api_of()


def changed_after(api: Api, stored: SkipReason, said: SkipReason | None, **open_: str) -> bool:
    """Whether a file stored with one reason and named with another is asked for."""
    record = skipped_record("odd", stored)
    run = api.open(commit_sha="b" * 40).json()
    api.put_tree(run, [TreeEntry("odd", record.mode, record.blob, record.size, stored)])
    api.put_batch(run, 1, [record])
    api.deliver(run, api.announcement(run, commit_sha="b" * 40))
    assert apply_queued() == ["applied"]
    again = api.open(commit_sha="c" * 40, **open_).json()
    entry = TreeEntry("odd", record.mode, record.blob, record.size, said)
    return bool(api.put_tree(again, [entry]).json()["changed"])


@pytest.mark.parametrize("reason", list(SkipReason))
def test_a_reason_that_only_content_gives_stands_where_a_line_has_none(
    api: Api, reason: SkipReason
) -> None:
    assert changed_after(api, reason, None) == (reason not in SKIPPED_BY_CONTENT)


def test_a_mark_may_come_from_an_attribute_that_is_gone(api: Api) -> None:
    assert SkipReason.GENERATED not in SKIPPED_BY_CONTENT
    assert changed_after(api, SkipReason.GENERATED, None)


def test_a_line_with_another_reason_is_changed(api: Api) -> None:
    assert changed_after(api, SkipReason.BINARY, SkipReason.EXCLUDED)


def test_another_extractor_asks_for_everything(api: Api) -> None:
    assert changed_after(api, SkipReason.BINARY, None, extractor=f"{EXTRACTOR}-next")


def test_another_blob_is_asked_for(api: Api) -> None:
    run = api.open(commit_sha="b" * 40).json()
    record = skipped_record("odd")
    other = TreeEntry("odd", record.mode, blob_of("other"), record.size)
    assert api.put_tree(run, [other]).json()["changed"] == ["odd"]
