"""`owner:` in searches: who owns a file by the CODEOWNERS of its repository."""

import pytest

from aeterna_code_search.contract.search import Mode, SearchAnswer
from central.corpus.models import File
from central.owners.ownership import AN_ADDRESS
from central.tenancy.models import Organization
from tests.central.search.conftest import Search
from tests.central.search.corpus import index_repository

RULES = "* @acme/platform\n/src/auth/ @acme/identity @Ann\n/tests/\n*.md jane@acme.example\n"
FILES = {
    "src/auth/jar.py": "def open_jar():\n    return 'jam'\n",
    "src/jar.py": "def close_jar():\n    return 'jam'\n",
    "tests/test_jar.py": "def test_jar():\n    assert 'jam'\n",
    "README.md": "# jam\n",
}


@pytest.fixture(autouse=True)
def _jars(acme: Organization) -> None:
    index_repository(acme, "jars", FILES | {"CODEOWNERS": RULES})
    index_repository(acme, "pots", {"pot.py": "def pot():\n    return 'jam'\n"})


def found(answer: SearchAnswer) -> set[str]:
    return {f"{one.project}/{one.file}" for one in answer.results}


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("owner:@acme/identity", {"jars/src/auth/jar.py"}),
        ("owner:@ACME/Identity", {"jars/src/auth/jar.py"}),
        ("owner:identity", {"jars/src/auth/jar.py"}),
        ("owner:ann", {"jars/src/auth/jar.py"}),
        ("owner:ident", set()),
        ("owner:acme", set()),
        ("owner:@acme/*", {"jars/src/auth/jar.py", "jars/src/jar.py"}),
        ("owner:/^@acme\\/plat/", {"jars/src/jar.py"}),
        ("owner:none", {"jars/tests/test_jar.py", "pots/pot.py"}),
        ("-owner:platform", {"jars/src/auth/jar.py", "jars/README.md", "jars/tests/test_jar.py",
                             "pots/pot.py"}),
        ("-owner:none file:*.py", {"jars/src/auth/jar.py", "jars/src/jar.py"}),
        ("(owner:ann OR owner:platform) repo:pots", set()),
        ('owner:"an e-mail address"', {"jars/README.md"}),
        ("owner:jane@acme.example", set()),
    ],
)  # fmt: skip
def test_files_are_found_by_their_owners(find: Search, written: str, expected: set[str]) -> None:
    exact = find(f'"jam" {written}', limit=50)
    assert found(exact) == expected
    assert exact.total
    assert exact.total.files == len(expected)
    ranked = find(f"jam jar {written} (repo:jars OR repo:pots)", limit=50)
    assert found(ranked) - {"jars/CODEOWNERS"} == expected
    assert exact.receipt.complete
    assert ranked.receipt.complete


def test_a_filter_by_owner_alone_lists_files_and_counts_them(find: Search) -> None:
    answer = find("owner:identity OR owner:none repo:pots", limit=50)
    assert found(answer) == {"jars/src/auth/jar.py", "pots/pot.py"}
    assert answer.total
    assert answer.total.files == 2
    assert found(find("type:file owner:ann")) == {"jars/src/auth/jar.py"}
    assert found(find("jam owner:ann", mode=Mode.LITERAL)) == {"jars/src/auth/jar.py"}


@pytest.mark.parametrize("query", ['"jam" repo:jars', "jam repo:jars", "sym:open_jar"])
def test_each_hit_has_the_owners_of_its_file(find: Search, query: str) -> None:
    owners = {one.file: one.owners for one in find(query).results}
    assert owners["src/auth/jar.py"] == ["@acme/identity", "@Ann"]
    assert owners.get("README.md") in (None, [AN_ADDRESS])
    assert owners.get("tests/test_jar.py", []) == []


@pytest.mark.parametrize("written", ["owner:platform", "-owner:platform", "owner:none"])
@pytest.mark.parametrize("query", ['"jam"', "jam jar", "file:jar", "type:file jar", "sym:jar"])
def test_a_file_whose_owners_are_not_known_is_not_found_and_the_receipt_says_so(
    find: Search, query: str, written: str
) -> None:
    File.objects.filter(path="CODEOWNERS").update(skipped="too_large")
    answer = find(f"{query} {written}")
    assert not any(one.project == "jars" for one in answer.results)
    missing = {one.project: one.reason for one in answer.receipt.missing}
    assert missing == {"jars": "owners_unread"}
    if answer.total:
        assert answer.total.files == len(answer.results)
    plain = find(query)
    assert plain.receipt.complete
    assert {one.owners for one in plain.results if one.project == "jars"} == {None}


def test_an_owner_that_does_not_exist_is_named_with_near_names(find: Search) -> None:
    for query in ('"jam" owner:@acme/platfrom', "jam owner:platfrom", "owner:platfrom"):
        hint = find(query).hint
        assert hint
        assert "No CODEOWNERS in the search's scope names the owner" in hint
        assert "Near names: @acme/platform." in hint
    assert "CODEOWNERS" not in (find('"jam" owner:ann file:none').hint or "")
