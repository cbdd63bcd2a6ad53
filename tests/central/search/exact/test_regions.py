"""The lines to which a type restricts a search, read for some files at a time."""

import pytest
from pytest_django import DjangoAssertNumQueries

from central.corpus.models import File
from central.search.exact.files import EXACT_READ_BYTES, CandidateFile
from central.search.exact.regions import DEFINITIONS, Regions
from tests.central.search.corpus import index_repository, organization_of

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(("size", "statements"), [(100, 1), (EXACT_READ_BYTES, 3)])
def test_few_large_files_are_read_at_once(
    django_assert_num_queries: DjangoAssertNumQueries, size: int, statements: int
) -> None:
    """A file of a megabyte may have 20,000 definitions."""
    sources = {f"{name}.py": f"\n\ndef {name}():\n    pass\n" for name in "abc"}
    repository = index_repository(organization_of("acme"), "shop", sources)
    rows = File.objects.filter(repository=repository).order_by("path").values_list("id", "path")
    files = [CandidateFile(one, repository.pk, path, "python", size, 1.0) for one, path in rows]
    regions = Regions(DEFINITIONS, files)
    with django_assert_num_queries(statements):
        assert [regions.lines(file) for file in files] == [[(3, 3)]] * 3


def test_a_file_that_is_not_to_come_is_read_by_itself() -> None:
    sources = {"a.py": "def a():\n    pass\n"}
    repository = index_repository(organization_of("acme"), "shop", sources)
    (row,) = File.objects.filter(repository=repository)
    file = CandidateFile(row.pk, repository.pk, "a.py", "python", 100, 1.0)
    assert Regions(DEFINITIONS, []).lines(file) == [(1, 1)]
