"""Two repositories with commits: one a day from November 2026 on."""

from collections.abc import Callable

import pytest

from aeterna_code_search.contract.search import SearchAnswer, SearchRequest
from central.corpus.authors import set_author_policy
from central.search.service import search
from central.tenancy.models import Organization
from indexer.records.authors import AuthorPolicy
from indexer.records.history import Commit, PathChange
from tests.central.commits import change, commit, store_commits
from tests.central.factories import RepositoryFactory
from tests.central.search.corpus import credential_for, organization_of

DAY = 86_400
NOVEMBER = 1_793_491_200  # 2026-11-01
Search = Callable[..., SearchAnswer]

RETRY = """@@ -3,2 +3,3 @@
-    return send(request)
-    # no "retry"
+    for attempt in range(3):
+        if answer := send(request, Timeout=30):
+            return answer
@@ -20,0 +22 @@
+MAX_RETRIES = 3
"""
POOL = """@@ -1 +1,2 @@
-pool = None
+pool = Pool(size=10)
+retry_pool = True
"""


def day(number: int) -> int:
    """The second at which a day of November 2026 begins, from 1."""
    return NOVEMBER + (number - 1) * DAY


def lines(path: str, hunks: str, old_path: str = "") -> PathChange:
    """A changed text file."""
    return change(path, old_path, hunks=hunks)


AUTH: list[Commit] = [
    commit("Begin", at=day(1), author="ann@acme.example", changes=[change("README.md")]),
    commit(
        "Retry failed requests to the gateway",
        "Begin",
        at=day(2),
        author="ann@acme.example",
        body="The gateway closes idle connections.\n\nFixes #12",
        changes=[lines("src/client.py", RETRY), lines("web/pool.ts", POOL)],
    ),
    commit(
        'Revert "Retry failed requests to the gateway"',
        "Retry failed requests to the gateway",
        at=day(3),
        author="bob@acme.example",
        reverts=["Retry failed requests to the gateway"],
        changes=[change("src/client.py")],
    ),
    commit(
        "Merge branch 'retry'",
        'Revert "Retry failed requests to the gateway"',
        "Retry failed requests to the gateway",
        at=day(4),
        author="bob@acme.example",
    ),
]
PAYMENTS: list[Commit] = [
    commit(
        "Keep a pool of connections",
        at=day(5),
        author="cat@acme.example",
        changes=[lines("internal/pool.py", POOL, "internal/old_pool.py")],
    ),
]


@pytest.fixture
def acme(db: None) -> Organization:
    """Its repositories have commits, and an index of no files."""
    organization = organization_of("acme")
    set_author_policy(organization, AuthorPolicy.PLAIN, actor="test")
    for name, commits in (("auth-service", AUTH), ("payments-api", PAYMENTS)):
        repository = RepositoryFactory.create(
            organization=organization,
            name=name,
            generation=1,
            last_indexed_commit="c" * 40,
            web_url=f"https://forge.example/acme/{name}",
        )
        store_commits(repository, commits[-1].subject, *commits)
    return organization


@pytest.fixture
def find(acme: Organization) -> Search:
    """Search as acme."""

    def find(query: str, **options: object) -> SearchAnswer:
        request = SearchRequest(queries=(query,), **options)  # type: ignore[arg-type]
        return search(credential=credential_for(acme), request=request)

    return find
