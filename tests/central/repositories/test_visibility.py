"""Visibility as a queryset and as SQL: the same repositories."""

import pytest

from central.db import fetch_rows
from central.repositories.models import Repository
from central.repositories.visibility import VISIBLE, visible_parameters, visible_repositories
from central.tenancy.credentials import Credential
from central.tenancy.models import Organization


@pytest.mark.django_db
@pytest.mark.parametrize("names", [None, frozenset(), frozenset({"a", "elsewhere"})])
def test_the_condition_says_what_the_queryset_says(names: frozenset[str] | None) -> None:
    acme, rival = (Organization.objects.create(slug=slug) for slug in ("acme", "rival"))
    for organization, name in ((acme, "a"), (acme, "b"), (rival, "a"), (rival, "elsewhere")):
        Repository.objects.create(organization=organization, name=name, tracked_ref="refs/heads/m")
    credential = Credential(acme, frozenset(), names, None)
    rows = fetch_rows(
        f"SELECT r.id FROM repositories_repository r WHERE {VISIBLE}",  # noqa: S608
        visible_parameters(credential=credential),
    )
    visible = set(visible_repositories(credential=credential).values_list("pk", flat=True))
    assert {row[0] for row in rows} == visible
    assert len(visible) == {None: 2, 0: 0, 2: 1}[names if names is None else len(names)]
