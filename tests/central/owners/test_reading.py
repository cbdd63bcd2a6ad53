"""The owners of indexed files: which file counts, when it is read again, and who sees addresses."""

from dataclasses import replace
from typing import Any

import pytest

from aeterna_code_search.contract.projects import OwnerCount
from central.corpus.models import File
from central.owners import reading
from central.owners.ownership import AN_ADDRESS
from central.owners.reading import OwnersReader, owner_counts, owners_reader
from central.repositories.models import Repository
from central.repositories.visibility import RepositorySnapshot, repository_snapshot
from central.tenancy.credentials import Credential
from central.tenancy.models import Organization
from tests.central.search.corpus import (
    apply_files,
    credential_for,
    index_repository,
    organization_of,
)

pytestmark = pytest.mark.django_db
SOURCE = {"a.py": "a = 1\n", "web/b.py": "b = 1\n"}


@pytest.fixture
def acme(db: None) -> Organization:
    return organization_of("acme")


@pytest.fixture
def credential(acme: Organization) -> Credential:
    return credential_for(acme)


def snapshot(credential: Credential, project: str = "shop") -> RepositorySnapshot:
    return repository_snapshot(credential=credential, project=project)


def owners_of(credential: Credential, path: str, project: str = "shop") -> list[str] | None:
    """The owners of a file, by a request of its own."""
    return owners_reader(credential).listed(snapshot(credential, project), path)


def page_of(credential: Credential, project: str = "shop") -> Any:
    """What the repository's page is told."""
    found = snapshot(credential, project)
    return owners_reader(credential).of([found])[found.id]


def index(organization: Organization, name: str = "shop", **files: str) -> Repository:
    """Index files by the places of CODEOWNERS: `root`, `github`, `gitlab`, `docs`."""
    places = {"root": "CODEOWNERS", "docs": "docs/CODEOWNERS"}
    named = {places.get(one, f".{one}/CODEOWNERS"): text for one, text in files.items()}
    return index_repository(organization, name, SOURCE | named)


def test_a_file_has_the_owners_of_its_repositorys_codeowners(
    acme: Organization, credential: Credential
) -> None:
    index(acme, root="* @acme/all\n/web/ @acme/web @ann\n")
    index(acme, "bare")
    assert owners_of(credential, "web/b.py") == ["@acme/web", "@ann"]
    assert owners_of(credential, "a.py") == ["@acme/all"]
    assert owners_of(credential, "a.py", "bare") == [], "it has no owner"


@pytest.mark.parametrize(
    ("web_url", "expected"),
    [
        ("https://github.com/acme/shop", "@github"),
        ("https://gitlab.com/acme/shop", "@root"),
        ("https://forge.example/acme/shop", "@github"),
    ],
)
def test_the_first_of_the_forges_places_counts(
    acme: Organization, credential: Credential, web_url: str, expected: str
) -> None:
    index(acme, root="* @root", github="* @github", docs="* @docs", gitlab="* @gitlab")
    Repository.objects.update(web_url=web_url)
    assert owners_of(credential, "a.py") == [expected]


def test_a_run_that_changes_codeowners_or_adds_a_file_is_followed(
    acme: Organization, credential: Credential
) -> None:
    shop = index(acme, root="* @all\n*.go @go\n")
    assert owners_of(credential, "a.py") == ["@all"]
    apply_files(shop, {"new.go": "package x\n"}, commit="b" * 40)
    assert owners_of(credential, "new.go") == ["@go"]
    File.objects.filter(path="CODEOWNERS").delete()
    apply_files(shop, {"CODEOWNERS": "* @others\n"}, commit="c" * 40)
    assert owners_of(credential, "new.go") == ["@others"]


def test_another_address_of_the_repository_may_mean_other_rules(
    acme: Organization, credential: Credential
) -> None:
    index(acme, root="* @all\n[Web] @web\n/web/\n")
    for host, expected in (("gitlab", ["@all", "@web"]), ("github", [])):
        Repository.objects.update(web_url=f"https://{host}.acme.example/shop")
        assert owners_of(credential, "web/b.py") == expected


def test_rules_are_compiled_once_for_each_content(
    acme: Organization, credential: Credential, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled = []
    compile_ = reading.compile_ownership
    monkeypatch.setattr(
        reading, "compile_ownership", lambda *given: compiled.append(given) or compile_(*given)
    )
    shop = index(acme, root="* @all\n")
    for _ in range(2):
        owners_of(credential, "a.py")
    apply_files(shop, {"new.py": "x = 1\n"}, commit="b" * 40)
    assert owners_of(credential, "new.py") == ["@all"]
    assert len(compiled) == 1


def test_what_is_kept_costs_no_statement(
    acme: Organization, credential: Credential, django_assert_num_queries: Any
) -> None:
    index(acme, root="* @all\n")
    index(acme, "bare")
    both = [snapshot(credential), snapshot(credential, "bare")]
    with django_assert_num_queries(2):
        owners_reader(credential).of(both)
    with django_assert_num_queries(0):
        owners_reader(credential).of(both)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"skipped": "too_large", "content": ""}, "no content of the file"),
        ({"size": 3 * 1024 * 1024 + 1}, "larger than 3 MB"),
        ({"content": "/a @b\n" * 20_001}, "more than 20,000 rules"),
        ({"content": "/a* @b\n" * 4_001}, "more than 4,000 with wildcards"),
    ],
)
def test_a_file_that_is_not_followed_leaves_the_owners_unknown(
    acme: Organization, credential: Credential, change: dict[str, Any], why: str
) -> None:
    index(acme, root="* @all\n")
    File.objects.filter(path="CODEOWNERS").update(**change)
    assert owners_of(credential, "a.py") is None
    assert why in page_of(credential).unread


def test_a_request_reads_so_many_bytes_and_the_next_one_goes_on(
    acme: Organization, credential: Credential
) -> None:
    names = ["one", "two", "three"]
    for name in names:
        index(acme, name, root=f"* @{name}\n")
    left = File.objects.filter(path="CODEOWNERS").first().size * 2  # type: ignore[union-attr]
    for known in (2, 3):
        reader = replace(owners_reader(credential), _left=left)
        found = [reader.listed(snapshot(credential, name), "a.py") for name in names]
        assert sum(one is not None for one in found) == known
        assert len(reader.unread) == 3 - known


def test_time_that_is_used_up_leaves_the_owners_of_further_files_unknown(
    acme: Organization, credential: Credential
) -> None:
    index(acme, root="* @all\n")
    reader: OwnersReader = owners_reader(credential)
    shop = snapshot(credential)
    assert reader.listed(shop, "a.py") == ["@all"]
    assert not reader.unread
    reader._budget.spent = reader._budget.seconds + 1
    assert reader.listed(shop, "b.py") is None
    assert reader.unread == [shop.id]


def test_an_answer_of_an_index_that_is_replaced_meanwhile_does_not_know_the_owners(
    acme: Organization, credential: Credential
) -> None:
    shop = index(acme, root="* @before\n")
    before = snapshot(credential)
    apply_files(shop, {"new.py": "x = 1\n"}, commit="b" * 40)
    assert owners_reader(credential).listed(before, "a.py") is None
    assert owners_of(credential, "a.py") == ["@before"]


def test_only_members_see_addresses(acme: Organization, credential: Credential) -> None:
    index(acme, root="* jane@acme.example joe@acme.example @ann\n")
    member = replace(credential, is_personal=True)
    assert owners_of(member, "a.py") == ["jane@acme.example", "joe@acme.example", "@ann"]
    assert owners_of(credential, "a.py") == [AN_ADDRESS, "@ann"]
    assert page_of(credential).names == {AN_ADDRESS, "@ann"}


def test_rows_are_counted_by_owner(acme: Organization, credential: Credential) -> None:
    index(acme, root="* @all\n/web/ @web @all\n/web/c.py\n")
    index(acme, "large", root="* @x\n")
    File.objects.filter(repository__name="large", path="CODEOWNERS").update(skipped="too_large")
    shop, large = snapshot(credential), snapshot(credential, "large")
    places = [(shop, path) for path in ("a.py", "a.py", "web/b.py", "web/c.py")]
    assert owner_counts(owners_reader(credential), [*places, (large, "a.py")]) == [
        OwnerCount("@all", 3),
        OwnerCount("@web", 1),
        OwnerCount(None, 1),
        OwnerCount(None, 1, known=False),
    ]


def test_what_takes_too_long_to_compile_is_compiled_for_a_later_request(
    acme: Organization, credential: Credential, monkeypatch: pytest.MonkeyPatch
) -> None:
    index(acme, root="* @acme/all\n")
    with monkeypatch.context() as patch:
        patch.setattr(reading, "OWNERS_SECONDS", -1.0)
        assert owners_of(credential, "a.py") is None
    assert owners_of(credential, "a.py") == ["@acme/all"]
