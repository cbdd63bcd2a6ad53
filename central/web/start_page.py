"""What the search page shows before there is a query: repositories, and examples from them."""

from dataclasses import dataclass

from django.db.models import F

from central.repositories.models import Repository
from central.repositories.visibility import visible_repositories
from central.tenancy.credentials import Credential
from central.web.example_searches import Example, example_searches
from indexer.limits import EXAMPLE_REPOSITORIES, START_REPOSITORIES


@dataclass(frozen=True, slots=True)
class StartPage:
    """The visible repositories that were indexed last, and searches of what is in them."""

    repositories: list[Repository]
    examples: list[Example]


def start_page(credential: Credential) -> StartPage:
    """Read it in two queries."""
    indexed = visible_repositories(credential=credential).filter(generation__gt=0)
    newest = indexed.order_by(F("indexed_at").desc(nulls_last=True), "name")
    found = list(newest.only("name", "indexed_at")[:START_REPOSITORIES])
    of_examples = [(one.pk, one.name) for one in found[:EXAMPLE_REPOSITORIES]]
    return StartPage(found, example_searches(of_examples) if of_examples else [])
