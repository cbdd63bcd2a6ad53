"""The pages of saved searches."""

import pytest
from django.contrib.auth.models import User
from django.test import Client

from central.alerts.models import AlertDestination
from central.saved_searches.models import SavedSearch
from central.tenancy.models import Role
from central.web import views_saved
from tests.central.factories import MembershipFactory, UserFactory
from tests.central.search.corpus import index_repository, organization_of

pytestmark = pytest.mark.django_db

PAGE = "/o/acme/searches"


@pytest.fixture
def ada(client: Client) -> User:
    """The member of acme who is signed in."""
    index_repository(organization_of("acme"), "shop", {"a.py": "to_do(1)\n"})
    return signed_in(client, "ada")


def signed_in(client: Client, name: str, role: Role = Role.MEMBER) -> User:
    user = UserFactory.create(username=name)
    MembershipFactory.create(user=user, organization=organization_of("acme"), role=role)
    client.force_login(user)
    return user


def save(client: Client, status: int = 302, **form: str) -> str:
    asked = {"name": "To do", "address": "q=%22to_do%28%22&language=python", **form}
    response = client.post(PAGE, asked)
    assert response.status_code == status
    return response.content.decode()


def test_a_search_is_saved_from_its_page_and_opened_again(client: Client, ada: User) -> None:
    html = client.get("/o/acme/?q=%22to_do%28%22&language=python&lines=all").content.decode()
    assert "Save this search" in html
    assert 'name="watched"' in html
    save(client, shared="on", watched="on")
    made = SavedSearch.objects.get()
    assert made.request == {"query": '"to_do("', "mode": "hybrid", "language": "python"}
    assert (made.is_shared, made.is_watched) == (True, True)
    opened = client.get(f"{PAGE}/{made.pk}")
    assert opened["Location"] == "/o/acme/?q=%22to_do%28%22&language=python"
    assert "To do" in client.get("/o/acme/").content.decode()


def test_a_ranked_search_is_not_offered_to_be_watched(client: Client, ada: User) -> None:
    html = client.get("/o/acme/?q=what+to+do").content.decode()
    assert "Save this search" in html
    assert 'name="watched"' not in html
    assert "Put the text in quotes" in save(client, 400, address="q=what+to+do", watched="on")
    assert not SavedSearch.objects.exists()


@pytest.mark.parametrize(
    "form", [{"address": ""}, {"address": "q=%22open"}, {"name": ""}, {"address": "q=a&mode=x"}]
)
def test_bad_input_is_refused(client: Client, ada: User, form: dict[str, str]) -> None:
    assert 'role="alert"' in save(client, 400, **form)
    assert not SavedSearch.objects.exists()


def test_it_is_renamed_and_deleted_by_its_owner_alone(client: Client, ada: User) -> None:
    save(client, shared="on")
    made = SavedSearch.objects.get()
    other, admin = Client(), Client()
    signed_in(other, "grace")
    signed_in(admin, "root", Role.ADMIN)
    shown = other.get(PAGE).content.decode()
    assert "To do" in shown
    assert "ada" not in shown, "who is a member is told to administrators"
    assert "by ada" in admin.get(PAGE).content.decode()
    for address in (f"{PAGE}/{made.pk}", f"{PAGE}/{made.pk}/delete"):
        assert other.post(address, {"name": "Mine"}).status_code == 404
    assert client.post(f"{PAGE}/{made.pk}", {"name": "<b>Done</b>"}).status_code == 302
    html = client.get(PAGE).content.decode()
    assert "&lt;b&gt;Done&lt;/b&gt;" in html
    assert "Delete &lt;b&gt;" in client.get(f"{PAGE}/{made.pk}/delete").content.decode()
    assert client.post(f"{PAGE}/{made.pk}/delete").status_code == 302
    assert not SavedSearch.objects.exists()


def test_the_page_says_why_nothing_is_sent(client: Client, ada: User) -> None:
    save(client, watched="on")
    assert "has no receiver" in client.get(PAGE).content.decode()
    AlertDestination.objects.create(
        organization=organization_of("acme"), due_at="2026-01-01T00:00:00Z"
    )
    SavedSearch.objects.update(problem="It finds too many lines in shop.")
    html = client.get(PAGE).content.decode()
    assert "has no receiver" not in html
    assert "too many lines in shop" in html


def test_a_second_one_of_the_name_is_a_conflict(client: Client, ada: User) -> None:
    save(client)
    assert "of this name" in save(client, 409)


def test_a_search_that_is_too_long_is_refused_and_not_cut(client: Client, ada: User) -> None:
    address = f"q=%22to_do%22+-file:{'x' * 20_000}"
    assert "too long to be saved" in save(client, 400, address=address)
    assert not SavedSearch.objects.exists()


@pytest.mark.parametrize("name", ["q", "language", "path", "project", "mode", "chunk_type"])
def test_what_stands_in_no_file_is_refused(client: Client, ada: User, name: str) -> None:
    save(client, 400, address=f"q=%22to_do%22&{name}=%00")
    assert not SavedSearch.objects.exists()


def test_of_shared_searches_nothing_is_checked(
    client: Client, ada: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A structural one starts a process."""
    save(client, shared="on")
    signed_in(client, "grace")
    monkeypatch.setattr(views_saved, "is_watchable", pytest.fail)
    assert "To do" in client.get(PAGE).content.decode()
