"""The state of an index, said in Python for one and in SQL for lists: the same."""

import itertools

import pytest

from aeterna_code_search.contract.status import IndexState
from central.repositories.models import IndexProblem, Repository
from central.repositories.states import index_state, with_live_runs, with_states
from tests.central.factories import IndexRunFactory, OrganizationFactory, RepositoryFactory

pytestmark = pytest.mark.django_db


def test_sql_says_what_python_says_whatever_holds() -> None:
    organization = OrganizationFactory.create()
    for paused, run, trouble, generation in itertools.product(
        (True, False),
        ("open", "queued", "applying", "applied", "failed", ""),
        ("", *IndexProblem.values),
        (0, 1),
    ):
        repository = RepositoryFactory.create(
            organization=organization, paused=paused, trouble=trouble, generation=generation
        )
        if run:
            IndexRunFactory.create(repository=repository, state=run)
    repositories = list(with_states(with_live_runs(Repository.objects.all())))
    said = [index_state(repository) for repository in repositories]
    assert [repository.index_state for repository in repositories] == said  # type: ignore[attr-defined]
    assert set(said) == set(IndexState)
