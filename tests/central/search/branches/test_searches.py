"""Searches on branches answer as a repository with the branch's files alone would."""

import pytest

from aeterna_code_search.contract.search import Mode
from tests.central.search.branches.pushed import ask, service_of
from tests.central.search.conftest import AUTH

TOKENS = AUTH["src/auth/tokens.py"]
RELEASE = {
    **AUTH,
    "src/auth/tokens.py": TOKENS.replace("issue_token", "mint_zephyr"),
    "src/legacy.py": 'def rotate_quokka(key):\n    """Rotate a quokka key."""\n    return key\n',
}
del RELEASE["src/authors.py"]
QUERIES = [
    ("rotate quokka key", Mode.HYBRID),
    ("validate a token", Mode.HYBRID),
    ("validate a token", Mode.SEMANTIC),
    ("quokka", Mode.LEXICAL),
    ("JWT token", Mode.LEXICAL),
    ("mint_zephyr", Mode.SYMBOL),
    ("list_authors", Mode.SYMBOL),
    ('"token"', Mode.HYBRID),
    ("/mint_\\w+/", Mode.HYBRID),
    ("lang:python def $NAME($$$): $$$", Mode.STRUCTURAL),
    ("type:file tokens", Mode.HYBRID),
    ("sym:mint", Mode.HYBRID),
    ("src/legacy.py:2", Mode.HYBRID),
    ('"list_authors"', Mode.HYBRID),
]


@pytest.mark.django_db
def test_a_branch_answers_as_a_service_of_its_files() -> None:
    shop = service_of()
    shop.push("main", dict(AUTH))
    shop.push("release/1", RELEASE)
    fresh = service_of("fresh")
    fresh.push("main", RELEASE)
    for query, mode in QUERIES:
        found = ask(shop, query, mode=mode, ref="release/1", include_projects=("shop",))
        wanted = ask(fresh, query, mode=mode, include_projects=("fresh",))
        places = [(row.file, row.ranges, row.content) for row in found.results]
        assert places == [(row.file, row.ranges, row.content) for row in wanted.results], query
        assert {row.commit for row in found.results} <= {found.receipt.projects[0].commit}
        assert found.receipt.complete
        assert [project.ref for project in found.receipt.projects] == ["release/1"]
