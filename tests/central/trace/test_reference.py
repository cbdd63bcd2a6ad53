"""One reference, followed: to its definition, to several, or to the reason for none."""

from textwrap import dedent

import pytest

from central.corpus.models import Reference
from central.errors import NotFoundError
from central.tenancy.credentials import Credential
from central.trace.reference import FollowedReference, ReferencePosition, follow_reference
from tests.central.trace.corpus import organization_of, pyproject, repository

pytestmark = pytest.mark.django_db

KIT = {
    "pyproject.toml": pyproject("acme-kit"),
    "acme_kit/__init__.py": "from .auth import Auth\n",
    "acme_kit/auth.py": """\
        class Auth:
            def verify(self): ...

        class Strict(Auth):
            def verify(self): ...

        def sign(): ...
        """,
}
MAIN = dedent("""\
    from acme_kit import Auth
    from acme_kit.auth import sign
    import requests

    def main(one: Auth, other):
        sign()
        one.verify()
        other.verify()
        requests.get()
        helper(sign)
        other.nowhere_at_all()
    """)


@pytest.fixture
def app() -> None:
    """A library, and a program that uses it."""
    repository("kit", KIT)
    repository("app", {"pyproject.toml": pyproject("acme-app", "acme-kit"), "main.py": MAIN})


def credential(repositories: frozenset[str] | None = None) -> Credential:
    return Credential(organization_of(), frozenset({"search"}), repositories, None)


def followed(text: str, repositories: frozenset[str] | None = None) -> FollowedReference:
    """What stands first at `text` of the program."""
    [(line, column)] = [
        (number, one.index(text)) for number, one in enumerate(MAIN.split("\n"), 1) if text in one
    ][:1]
    position = ReferencePosition("app", "main.py", line, column)
    return follow_reference(credential=credential(repositories), position=position)


def ends(found: FollowedReference) -> list[tuple[str, str, str]]:
    return [(one.callee.qualified_name, one.rule, one.confidence) for one in found.candidates]


@pytest.mark.usefixtures("app")
def test_a_reference_that_is_clear_has_a_target() -> None:
    found = followed("sign()")
    assert found.target is not None
    assert (found.target.callee.file, found.target.callee.line) == ("acme_kit/auth.py", 7)
    assert ends(found) == [("sign", "import", "high")]
    assert found.reason == ""


@pytest.mark.usefixtures("app")
def test_a_member_that_is_overridden_may_be_each_of_them_the_surest_first() -> None:
    found = followed("verify()")
    assert found.target is None
    assert ends(found) == [
        ("Auth.verify", "receiver_type", "high"),
        ("Strict.verify", "receiver_type", "medium"),
    ]


@pytest.mark.usefixtures("app")
def test_of_an_unknown_value_definitions_of_that_name_are_offered_and_none_is_the_target() -> None:
    line = MAIN.split("\n").index("    other.verify()") + 1
    position = ReferencePosition("app", "main.py", line, 10)
    found = follow_reference(credential=credential(), position=position)
    assert found.target is None
    assert {one.rule for one in found.candidates} == {"name_only"}
    assert [one.callee.qualified_name for one in found.candidates] == [
        "Auth.verify",
        "Strict.verify",
    ]
    assert "does not say of which class" in found.reason


@pytest.mark.usefixtures("app")
def test_what_leads_nowhere_says_why() -> None:
    found = followed("get()")
    assert found.candidates == []
    assert "imports “requests" in found.reason
    assert "“helper”" in followed("helper(").reason
    assert followed("nowhere_at_all").candidates == []


@pytest.mark.usefixtures("app")
def test_what_the_credential_does_not_see_is_no_target() -> None:
    found = followed("sign()", repositories=frozenset({"app"}))
    assert found.candidates == []
    assert "no repository that you may see" in found.reason
    unknown = followed("nowhere_at_all", repositories=frozenset({"app"}))
    assert unknown.candidates == []


@pytest.mark.usefixtures("app")
@pytest.mark.parametrize(
    ("position", "code"),
    [
        (ReferencePosition("nothing", "main.py", 1, 0), "repository_not_found"),
        (ReferencePosition("app", "nothing.py", 1, 0), "file_not_found"),
        (ReferencePosition("app", "main.py", 1, 0), "reference_not_found"),
        (ReferencePosition("app", "main.py", 10**30, 0), "reference_not_found"),
        (ReferencePosition("app", "main.py", 0, 10**30), "reference_not_found"),
        (ReferencePosition("app", "a\0b", 1, 0), "file_not_found"),
    ],
)
def test_a_place_without_a_reference_is_not_found(position: ReferencePosition, code: str) -> None:
    with pytest.raises(NotFoundError) as caught:
        follow_reference(credential=credential(), position=position)
    assert caught.value.code == code


@pytest.mark.usefixtures("app")
def test_every_stored_reference_can_be_followed() -> None:
    sites = Reference.objects.exclude(kind="type").values_list(
        "repository__name", "file__path", "line", "column", "name"
    )
    assert len(sites) > 5
    for project, path, line, column, name in sites:
        position = ReferencePosition(project, path, line, column)
        found = follow_reference(credential=credential(), position=position)
        assert found.name == name
        assert found.candidates or found.reason
