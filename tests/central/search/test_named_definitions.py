"""Of several definitions of a name, which one a search for the name shows first."""

import pytest

from aeterna_code_search.contract.search import Mode, SearchRequest
from central.search.service import search
from central.tenancy.models import Organization
from tests.central.search.corpus import credential_for, index_repository, organization_of

pytestmark = pytest.mark.django_db

BODY = "".join(f"    total = total * {n} + len(key)\n" for n in range(12))
OVERLOADS = f"""from typing import overload


@overload
def fetch_entry(key: str) -> str: ...


@overload
def fetch_entry(key: bytes) -> bytes: ...


def fetch_entry(key):
    total = 0
{BODY}    return total
"""
SCRIPT = """function fetchEntry(key) {
  const value = store.get(key);
  return value === undefined ? null : value;
}
"""


@pytest.fixture
def acme() -> Organization:
    return organization_of("acme")


def first(organization: Organization, text: str, mode: Mode) -> tuple[str, int, int]:
    answer = search(
        credential=credential_for(organization), request=SearchRequest(queries=(text,), mode=mode)
    )
    result = answer.results[0]
    return result.file, result.start_line, result.end_line


@pytest.mark.parametrize("mode", [Mode.HYBRID, Mode.SYMBOL])
def test_implementation_comes_before_its_overloads(acme: Organization, mode: Mode) -> None:
    index_repository(acme, "shop", {"src/entries.py": OVERLOADS})
    _, start, end = first(acme, "fetch_entry()", mode)
    assert start <= OVERLOADS[: OVERLOADS.index("def fetch_entry(key):")].count("\n") + 1 <= end


@pytest.mark.parametrize("mode", [Mode.HYBRID, Mode.SYMBOL])
def test_exported_function_comes_before_one_that_is_not(acme: Organization, mode: Mode) -> None:
    files = {"src/a.js": SCRIPT, "src/z.js": f"export {SCRIPT}"}
    index_repository(acme, "shop", files)
    assert first(acme, "fetchEntry()", mode)[0] == "src/z.js"
