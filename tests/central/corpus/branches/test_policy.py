"""Which branches are wanted: by the default branch's file, else by the organisation."""

import time

import pytest
from django.core.management import CommandError, call_command

from central.corpus.branches.policy import branch_policy, matches
from central.repositories.models import Branch, Repository
from central.tenancy.models import AuditEntry, Organization
from tests.central.factories import FileFactory, RepositoryFactory
from tests.central.protocol import api_of
from tests.central.refusals import assert_problem

pytestmark = pytest.mark.django_db

FILE = ".codesearch.toml"


def repository(**organization: object) -> Repository:
    shop = RepositoryFactory.create(tracked_ref="refs/heads/main")
    Organization.objects.filter(pk=shop.organization_id).update(**organization)
    return Repository.objects.select_related("organization").get(pk=shop.pk)


def wanted(shop: Repository) -> bool:
    return branch_policy(shop).wants("refs/heads/release/1")


def test_the_file_of_the_default_branch_counts_before_the_organisation() -> None:
    shop = repository(branches=["release/*"])
    assert wanted(shop)
    file = FileFactory.create(repository=shop, path=FILE, content="branches = []\n")
    assert not wanted(shop)
    file.content = "[index]\n"
    file.save()
    assert wanted(shop)


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ({"content": "branches = ["}, "Invalid"),
        ({"content": "branches = 'release/*'"}, "must be a list"),
        ({"content": "branches = [1]"}, "must be a list"),
        ({"content": f"branches = {['release/*'] * 101}"}, "101 patterns"),
        ({"content": f"branches = ['{'a' * 2048}']"}, "longer than"),
        ({"content": f"branches = ['{'*' * 65}']"}, "more than 64 wildcards"),
        ({"content": "branches = " + "[" * 60_000}, ""),
        ({"content": "", "skipped": "excluded"}, "excluded"),
        ({"content": "", "skipped": "too_large"}, "too_large"),
    ],
)
def test_a_file_that_cannot_be_read_names_no_branch_and_says_so(
    file: dict[str, str], said: str
) -> None:
    shop = repository(branches=["release/*"])
    FileFactory.create(repository=shop, path=FILE, **file)
    policy = branch_policy(shop)
    assert said in policy.problem
    assert FILE in policy.problem
    assert not policy.wants("refs/heads/release/1")


def test_patterns_are_of_whole_names_and_a_star_ends_at_a_slash() -> None:
    for pattern, ref, is_wanted in (
        ("release/*", "refs/heads/release/1", True),
        ("release/*", "refs/heads/release/1/2", False),
        ("release/**", "refs/heads/release/1/2", True),
        ("release/?", "refs/heads/release/é", True),
        ("release/[1]", "refs/heads/release/[1]", True),
        ("release/[1]", "refs/heads/release/1", False),
        ("a.b", "refs/heads/acb", False),
        ("v1", "refs/tags/v1", False),
        ("*", "refs/heads/ünï-ço+de@1", True),
    ):
        assert matches([pattern], ref) is is_wanted, (pattern, ref)


def test_a_pattern_of_many_stars_takes_no_longer_than_its_branch() -> None:
    began = time.perf_counter()
    assert not matches(["*a" * 64], "refs/heads/" + "a" * 244 + "b")
    assert time.perf_counter() - began < 1


def test_the_seventeenth_branch_is_refused_with_what_to_do() -> None:
    api = api_of()
    Organization.objects.update(branches=["release/*"])
    api.index({"a.py": "a = 1\n"})
    shop = Repository.objects.get()
    for number in range(1, 16):
        ref = f"refs/heads/release/{number}"
        Branch.objects.create(repository=shop, ref=ref, number=number)
    answer = api.open(ref="refs/heads/release/16", default_branch="main")
    assert_problem(answer, 409, "too_many_branches")
    Branch.objects.filter(number=7).delete()
    assert api.open(ref="refs/heads/release/16", default_branch="main").status_code == 201
    assert Branch.objects.get(ref="refs/heads/release/16").number == 7


def test_the_command_sets_the_organisation_s_policy_and_tells_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    shop = repository()
    slug = shop.organization.slug
    call_command("branches", "--organization", slug, "--most", "4", "release/*")
    call_command("branches", "--organization", slug)
    assert capsys.readouterr().out.count("release/*; at most 4") == 2
    call_command("branches", "--organization", slug, "--none")
    found = Organization.objects.get(slug=slug)
    assert (found.branches, found.branches_most) == ([], 4)
    details = [entry.detail for entry in AuditEntry.objects.all()]
    assert {"branches": {"before": ["release/*"], "after": []}} in details
    with pytest.raises(CommandError, match="16"):
        call_command("branches", "--organization", slug, "--most", "17")


@pytest.mark.parametrize(
    "ref",
    [
        "refs/heads/a\nb",
        "refs/heads/a b",
        "refs/heads/a..b",
        "refs/heads/" + "a" * 250,
        "refs/heads/",
    ],
)
def test_a_ref_that_git_would_not_name_opens_nothing(ref: str) -> None:
    api = api_of()
    Organization.objects.update(branches=["**"])
    api.index({"a.py": "a = 1\n"})
    answer = api.open(ref=ref, default_branch="main")
    assert answer.status_code == 400, answer.content
    assert not Branch.objects.exists()


def test_a_ref_with_odd_characters_is_a_branch_as_any_other() -> None:
    api = api_of()
    Organization.objects.update(branches=["**"])
    api.index({"a.py": "a = 1\n"})
    for ref in (
        "refs/heads/ünï/ço+de@1",
        "refs/heads/100%",
        "refs/heads/a'b\"c",
        "refs/heads/-x",
    ):
        assert api.open(ref=ref, default_branch="main").status_code == 201, ref
    assert Branch.objects.count() == 4
