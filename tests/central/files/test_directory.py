"""Entries of a directory: pages in the order of git, and what PostgreSQL reads for them."""

from collections.abc import Iterator

import pytest
from django.db import connection
from hypothesis import given
from hypothesis import strategies as st

from central.corpus.models import File
from central.files.directory import DIRECTORY, Position, directory_page
from tests.central.factories import RepositoryFactory
from tests.central.plans import MODES, rows_handled, statements_sent

pytestmark = pytest.mark.django_db

NAMES = st.sampled_from(["a", "a-b", "a.b", "a0", "b", "é", "_%", "A", "~", "\x02"])
TREES = st.dictionaries(NAMES, st.none() | st.dictionaries(NAMES, st.none(), min_size=1))


def entries(repository: int, path: str, limit: int) -> list[tuple[str, int | None]]:
    """(name, files below it) of all pages together."""
    return [(one.name, one.files) for page in pages(repository, path, limit) for one in page]


def pages(repository: int, path: str, limit: int) -> Iterator[list]:  # type: ignore[type-arg]
    position: Position | None = None
    while True:
        page, position = directory_page(repository, path, position, limit)
        assert len(page) <= limit
        yield page
        if position is None:
            return


@given(tree=TREES, limit=st.integers(1, 4))
def test_pages_are_the_directories_and_then_the_files_by_their_bytes(
    tree: dict[str, dict[str, None] | None], limit: int
) -> None:
    repository = RepositoryFactory.create(generation=1).pk
    files = [name for name, below in tree.items() if below is None]
    directories = {name: below for name, below in tree.items() if below}
    paths = [*files, *(f"{name}/{one}" for name, below in directories.items() for one in below)]
    File.objects.bulk_create(File(repository_id=repository, path=path, size=1) for path in paths)
    assert entries(repository, "", limit) == [
        *sorted(
            ((name, len(below)) for name, below in directories.items()),
            key=lambda one: f"{one[0]}/".encode(),
        ),
        *((name, None) for name in sorted(files, key=str.encode)),
    ]
    for name, below in directories.items():
        inside = [(one, None) for one in sorted(below, key=str.encode)]
        assert entries(repository, name, limit) == inside


@pytest.mark.parametrize("mode", MODES)
def test_what_is_below_its_directories_is_counted_and_not_read(mode: str) -> None:
    repository = RepositoryFactory.create(generation=1).pk
    with connection.cursor() as cursor:
        cursor.execute(
            """INSERT INTO corpus_file (repository_id, path, mode, blob, size, extractor, language,
                skipped, degraded, content, namespace)
            SELECT %s, 'd' || n %% 4 || '/' || n, '', '', 1, '', '', '', '', '', ''
            FROM generate_series(1, 5000) n""",
            [repository],
        )
        cursor.execute("ANALYZE corpus_file")
    File.objects.create(repository_id=repository, path="z.py", size=1)
    with statements_sent() as sent:
        page, _ = directory_page(repository, "", None, 100)
    assert [(one.type, one.files) for one in page[:4]] == [(DIRECTORY, 1250)] * 4
    assert [one.path for one in page[4:]] == ["z.py"]
    reading = [one for one in sent if "count(*)" not in one.sql]
    assert len(reading) == len(sent) - 1
    assert max(rows_handled(one, mode) for one in reading) < 100
