"""The modules that a search, `callers` and an apply pass (docs/explanation/architecture.md).

`pytest tests/central/test_walks.py -n0 -rP` prints them. The bounds only fall; stays vary by
a few, with what the vector store waits for.
"""

import sys

import pytest

from aeterna_code_search.contract.search import SearchRequest
from aeterna_code_search.contract.trace import SymbolSelector, TraceRequest
from central.ingest.services.apply_run import apply_claimed
from central.repositories.states import RunState
from central.search.service import search
from central.tenancy.models import Organization
from central.trace.service import callers
from tests.central.protocol import api_of, claim_run
from tests.central.search.conftest import AUTH, PAYMENTS
from tests.central.search.corpus import credential_for, index_repository
from tests.walks import Walk, recorded_walk

pytestmark = pytest.mark.django_db


@pytest.fixture
def acme(db: None) -> Organization:
    organization = Organization.objects.get_or_create(slug="acme")[0]
    index_repository(organization, "auth-service", AUTH)
    index_repository(organization, "payments-api", PAYMENTS)
    return organization


def check(name: str, walk: Walk, *, modules: int, stays: int) -> None:
    sys.stdout.write(f"{name}: {walk}\n")
    assert len(walk.modules) <= modules, sorted(walk.modules)
    assert len(walk.stays) <= stays, walk.stays


def test_a_search_passes_few_modules(acme: Organization) -> None:
    credential = credential_for(acme)
    request = SearchRequest(queries=("JWT token",))
    search(credential=credential, request=request)  # what is kept for the next search
    with recorded_walk() as walk:
        answer = search(credential=credential, request=request)
    assert answer.results
    check("search", walk, modules=45, stays=118)  # of branches, that none are asked for


def test_callers_pass_few_modules(acme: Organization) -> None:
    credential = credential_for(acme)
    request = TraceRequest(SymbolSelector(symbol="validate_token"))
    callers(credential=credential, request=request)
    with recorded_walk() as walk:
        answer = callers(credential=credential, request=request)
    assert answer.callers
    check("callers", walk, modules=38, stays=106)


def test_an_apply_passes_few_modules() -> None:
    api = api_of()
    first = {"src/a.py": "def a\ndef aa\n", "src/b.py": "def b\n"}
    api.index(first)
    run = api.queue_incremental(first, {**first, "src/b.py": "def b\ndef bb\n"})
    claim = claim_run(run_id=run["run_id"])
    assert claim
    with recorded_walk() as walk:
        state = apply_claimed(claim)
    assert state == RunState.APPLIED
    check("apply", walk, modules=41, stays=120)  # counters, points, and whether it is a branch
