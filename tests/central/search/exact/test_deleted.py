"""What is retired or purged is not answered from memory, also if its name is used again."""

from datetime import timedelta

import pytest
from django.utils import timezone

from aeterna_code_search.contract.search import SearchRequest
from central.maintenance.organization_deletion import purge_retired, schedule_deletion
from central.maintenance.repository_deletion import WRITERS_SECONDS
from central.repositories.models import Repository
from central.repositories.services import retire_repository
from central.search.exact import files
from central.search.service import search
from central.tenancy.models import Organization
from tests.central.search.corpus import credential_for, index_repository, organization_of

pytestmark = pytest.mark.django_db(transaction=True)
QUERIES = ('"needle"', "file:secret.py", 'type:function "needle"')


def answered(organization: Organization) -> set[str]:
    """The lines and files that every query finds."""
    credential = credential_for(organization)
    answers = [
        search(credential=credential, request=SearchRequest(queries=(one,))) for one in QUERIES
    ]
    results = [result for answer in answers for result in answer.results]
    return {line.text.strip() for one in results for line in one.lines} | {
        one.file for one in results
    }


def index(organization: Organization, name: str, value: str) -> None:
    source = f"def secret():\n    return 'needle {value}'\n"
    index_repository(organization, name, {"secret.py": source})


def purge() -> None:
    due = timezone.now() - timedelta(seconds=WRITERS_SECONDS)
    Repository.objects.filter(retired_at__isnull=False).update(retired_at=due)
    purge_retired()


def test_a_repository_that_is_deleted_is_not_answered() -> None:
    acme = organization_of("acme")
    index(acme, "app", "old")
    old = {"return 'needle old'", "secret.py"}
    assert answered(acme) >= old
    [key] = Repository.objects.values_list("pk", flat=True)
    assert files._cache.get(Repository.objects.get().file_set.values_list("pk", "path", "size"))
    retire_repository(Repository.objects.get())
    assert answered(acme) == set()
    index(acme, "app", "new")
    assert "return 'needle new'" in answered(acme)
    assert not any("old" in one for one in answered(acme))
    purge()
    assert not Repository.objects.filter(pk=key).exists()
    assert "return 'needle new'" in answered(acme)
    assert not any("old" in one for one in answered(acme))


def test_an_organization_that_is_deleted_is_not_answered() -> None:
    acme, other = organization_of("acme"), organization_of("other")
    index(acme, "app", "old")
    index(other, "app", "other")
    assert "return 'needle old'" in answered(acme)
    schedule_deletion(slug="acme", actor="test")
    assert answered(acme) == set()
    purge()
    assert not Organization.all_objects.filter(slug="acme").exists()
    acme = organization_of("acme")
    assert answered(acme) == set()
    index(acme, "app", "new")
    assert "return 'needle new'" in answered(acme)
    for organization in (acme, other):
        assert not any("old" in one for one in answered(organization))
