"""The start page: the reader's repositories, and examples of what is in them."""

import re
from html import unescape

import pytest
from django.db import connection
from django.test import Client

from aeterna_code_search.contract.search import Mode, SearchRequest
from central.corpus.models import File
from central.repositories.models import Repository, Visibility
from central.search.service import search
from central.tenancy.models import Membership, Organization
from central.web.start_page import EXAMPLE_FILES, EXAMPLE_SYMBOLS, example_searches
from tests.central.factories import MembershipFactory, RepositoryFactory
from tests.central.plans import MODES, rows_handled, statements_sent
from tests.central.search.corpus import credential_for, index_repository, organization_of

pytestmark = pytest.mark.django_db

CODE = {
    ".github/a.py": "def left_out():\n    pass\n",
    "src/jam.py": (
        "class PlumJam:\n    def boil_down(self):\n        pass\n\n\n"
        "def pick_plums(tree):\n    pass\n"
    ),
    "tests/test_jam.py": "def a_first_test():\n    pass\n",
}


@pytest.fixture
def acme() -> Organization:
    return organization_of("acme")


def examples(repository: Repository) -> dict[str, list[str]]:
    found = example_searches([(repository.pk, repository.name)])
    return {one.what: [text for text, _ in one.searches] for one in found}


def test_examples_are_of_the_organisations_own_symbols(acme: Organization) -> None:
    repository = index_repository(acme, "kitchen", CODE)
    assert examples(repository) == {
        "A name": ["pick_plums", "PlumJam.boil_down"],
        "A question": ["where is the plum jam used"],
        "Text as it stands, in quotes": ['"pick_plums("'],
        "A regular expression, in slashes": [r"/Plum\w+/"],
        "Filters in the text": ["lang:python repo:kitchen pick plums"],
        "Part of a symbol's name": ["pick"],
    }


def test_every_example_finds_something(acme: Organization) -> None:
    repository = index_repository(acme, "kitchen", CODE)
    for one in example_searches([(repository.pk, repository.name)]):
        for text, address in one.searches:
            mode = Mode.SYMBOL if "mode=symbol" in address else Mode.HYBRID
            request = SearchRequest(queries=(text,), mode=mode)
            assert search(credential=credential_for(acme), request=request).results, text


def test_the_filters_of_an_example_are_those_of_its_words(acme: Organization) -> None:
    classes = index_repository(acme, "jam", {"jam.go": "package jam\n\ntype PlumJam struct{}\n"})
    functions = index_repository(acme, "kitchen", {"plums.py": "def pick_plums():\n    pass\n"})
    found = example_searches([(classes.pk, "jam"), (functions.pk, "kitchen")])
    (filters,) = [one.searches for one in found if one.what == "Filters in the text"]
    assert [text for text, _ in filters] == ["lang:python repo:kitchen pick plums"]


def test_without_definitions_there_are_none(acme: Organization) -> None:
    assert examples(index_repository(acme, "notes", {"a.md": "# A\n", "e.py": ""})) == {}


def test_a_large_repository_costs_no_more_than_the_limits(
    acme: Organization, subtests: pytest.Subtests
) -> None:
    repository = RepositoryFactory.create(organization=acme)
    elsewhere = RepositoryFactory.create(organization=acme)
    File.objects.bulk_create(
        File(repository=one, path=f"src/{n:05}.py", size=1, language="python")
        for one in (repository, elsewhere)
        for n in range(10 * EXAMPLE_FILES)
    )
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO corpus_symbol (repository_id, file_id, name, qualified_name, kind,"
            " start_line, end_line, signature, exported, parts) SELECT repository_id, id,"
            " 'get_' || n, 'get_' || n, 'function', n, n, '', true, '{}'"
            " FROM corpus_file, generate_series(1, 10) AS n"
        )
        cursor.execute("ANALYZE corpus_symbol, corpus_file")
    with statements_sent() as sent:
        assert example_searches([(repository.pk, "large")])
    (statement,) = sent
    for mode in MODES:
        with subtests.test(mode):
            assert rows_handled(statement, mode) < 20 * EXAMPLE_FILES * EXAMPLE_SYMBOLS


def test_the_page_has_them_and_the_repositories_that_were_indexed_last(
    acme: Organization, client: Client
) -> None:
    index_repository(acme, "older", {"a.py": "def old_one():\n    pass\n"})
    index_repository(acme, "newer", CODE)
    RepositoryFactory.create(organization=acme, name="never")
    client.force_login(MembershipFactory.create(organization=acme).user)
    html = client.get("/o/acme/").content.decode()
    assert re.findall(r'/r/(\w+)" hx-boost', html) == ["newer", "older"]
    assert "?q=pick_plums" in html
    searched = unescape(client.get("/o/acme/?q=%22pick%22").content.decode())
    assert 'data-text=""pick""' in searched, "recent searches are kept by the browser"


def test_a_hidden_repository_is_no_example(acme: Organization, client: Client) -> None:
    index_repository(acme, "quince", CODE)
    client.force_login(MembershipFactory.create(organization=acme).user)
    Membership.objects.update(visibilities=[Visibility.PUBLIC])
    html = client.get("/o/acme/").content.decode()
    assert "quince" not in html
    assert "plum" not in html.lower()
    assert "They appear here" in html
