"""What the search page shows before there is a query: repositories, and examples from them."""

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db.models import Case, F, When

from central.repositories.models import Repository
from central.repositories.visibility import visible_repositories
from central.saved_searches.models import SavedSearch
from central.saved_searches.services.saved import visible_searches
from central.tenancy.credentials import Credential
from central.web.example_searches import Example, example_searches
from indexer.limits import EXAMPLE_REPOSITORIES, START_REPOSITORIES, START_SEARCHES


@dataclass(frozen=True, slots=True)
class StartPage:
    """The visible repositories that were indexed last, and searches of what is in them."""

    repositories: list[Repository]
    examples: list[Example]
    searches: list[SavedSearch]


def start_page(credential: Credential, user: User) -> StartPage:
    """Read it in three queries."""
    indexed = visible_repositories(credential=credential).filter(generation__gt=0)
    newest = indexed.order_by(F("indexed_at").desc(nulls_last=True), "name")
    found = list(newest.only("name", "indexed_at")[:START_REPOSITORIES])
    of_examples = [(one.pk, one.name) for one in found[:EXAMPLE_REPOSITORIES]]
    searches = visible_searches(credential=credential, user=user)
    own_first = searches.order_by(Case(When(owner=user, then=0), default=1), "name", "pk")
    return StartPage(
        found,
        example_searches(of_examples) if of_examples else [],
        list(own_first[:START_SEARCHES]),
    )
