"""Visibility: one rule, as a queryset and as SQL, that no other module repeats."""

import re
from pathlib import Path

import pytest

import central
from central.db import fetch_rows
from central.repositories import visibility
from central.repositories.models import Repository
from central.repositories.visibility import VISIBLE, visible_parameters, visible_repositories
from central.tenancy.credentials import Binding, Credential
from central.tenancy.models import Organization

FILTER = re.compile(r"visibility__in|\br\.visibility\b|in credential\.(repositories|visibilities)")


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("limits", "expected"),
    [
        ({}, {1, 2}),
        ({"repositories": frozenset()}, set()),
        ({"repositories": frozenset({"a", "elsewhere"})}, {1}),
        ({"visibilities": frozenset({"public"})}, {2}),
        ({"visibilities": frozenset()}, set()),
        ({"binding": Binding(1, "a", "private", "refs/heads/m", "c" * 40)}, {1}),
        ({"binding": Binding(2, "b", "public", "r", "c"), "repositories": frozenset("a")}, set()),
    ],
)
def test_the_condition_says_what_the_queryset_says(
    limits: dict[str, frozenset[str] | Binding], expected: set[int]
) -> None:
    acme, rival = (Organization.objects.create(slug=slug) for slug in ("acme", "rival"))
    rows = ((acme, "a"), (acme, "b"), (rival, "a"), (rival, "elsewhere"), (acme, "retired"))
    for number, (organization, name) in enumerate(rows, start=1):
        Repository.objects.create(
            organization=organization,
            name=name,
            forge_key=number,
            tracked_ref="refs/heads/m",
            visibility="private" if name == "a" else "public",
            retired_at="2030-01-01T00:00Z" if name == "retired" else None,
        )
    credential = Credential(
        **{  # type: ignore[arg-type]
            "organization": acme,
            "scopes": frozenset(),
            "repositories": None,
            "api_token_id": None,
        }
        | limits
    )
    rows = fetch_rows(
        f"SELECT r.github_id FROM repositories_repository r WHERE {VISIBLE}",  # noqa: S608
        visible_parameters(credential=credential),
    )
    visible = visible_repositories(credential=credential).values_list("forge_key", flat=True)
    assert {row[0] for row in rows} == set(visible) == expected


def test_no_other_module_filters_by_visibility() -> None:
    modules = Path(central.__path__[0]).rglob("*.py")
    found = {path for path in modules if FILTER.search(path.read_text(encoding="utf-8"))}
    assert found == {Path(visibility.__file__)}
