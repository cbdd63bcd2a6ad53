"""The page of a symbol: definitions, callers and callees, and what was not found."""

import re

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from central.corpus.models import File
from central.repositories.models import Repository
from central.tenancy.models import Membership
from indexer.pipeline.versions import NEWEST
from indexer.records.files import SkipReason
from tests.central.factories import MembershipFactory
from tests.central.trace.corpus import organization_of, pyproject, repository

pytestmark = pytest.mark.django_db

ADDRESS = "/o/acme/symbol"
# One reads the constructors of what the callees are, one what may hold the function,
# two where the CODEOWNERS of callers and of callees are.
MOST_QUERIES = 38


@pytest.fixture
def member(client: Client) -> Client:
    """Somebody signed in, an authentication library, and a shop that pins an older version."""
    client.force_login(MembershipFactory.create(organization=organization_of()).user)
    repository(
        "auth",
        {
            "pyproject.toml": pyproject("acme-auth", version="2.1.0"),
            "acme_auth/__init__.py": "from .tokens import verify\n",
            "acme_auth/tokens.py": """\
                def verify(token: str) -> bool:
                    return decode(token)

                def decode(token): ...
                """,
            "acme_auth/mail.py": "def decode(text): ...\n",
        },
    )
    repository(
        "shop",
        {
            "pyproject.toml": pyproject("acme-shop", "acme-auth==1.0.0"),
            "shop/pay.py": """\
                from acme_auth import verify

                def pay(token):
                    return verify(token)

                def checkout(token):
                    return pay(token)
                """,
        },
    )
    return client


def page(client: Client, status: int = 200, **query: object) -> str:
    response = client.get(ADDRESS, query)
    assert response.status_code == status, response.content
    return response.content.decode()


def test_without_a_name_there_is_a_form_that_explains_names(member: Client) -> None:
    html = page(member)
    assert "acme_auth.tokens:verify" in html
    assert '<input id="q" name="name"' in html


def test_a_definition_leads_to_its_lines_and_says_its_package(member: Client) -> None:
    html = page(member, name="verify")
    assert "def verify(token: str) -&gt; bool" in html
    assert 'href="/o/acme/r/auth/file/acme_auth/tokens.py#L1"' in html
    assert "acme-auth 2.1.0" in html
    assert "/o/acme/graph?name=verify" in html


def test_callers_say_where_they_are_how_sure_that_is_and_why(member: Client) -> None:
    html = page(member, name="verify")
    assert 'href="/o/acme/r/shop/file/shop/pay.py#L4"' in html
    assert 'href="/o/acme/symbol?name=pay&amp;project=shop&amp;file=shop%2Fpay.py"' in html
    assert '<span aria-hidden="true">●●●</span> high' in html
    assert "found by an import" in html
    assert "from acme_auth import verify (line 1)" in html


def test_a_pinned_version_that_lags_behind_the_indexed_one_is_said(member: Client) -> None:
    html = page(member, name="verify")
    assert re.search(r"lags</span>\s*1\.0\.0, indexed 2\.1\.0", html)


def test_unread_manifests_and_what_an_older_version_has_read_are_said(member: Client) -> None:
    uses = "from acme_auth import decode\n\ndecode(1)\n"
    repository("cart", {"pyproject.toml": "[", "cart.py": uses})
    Repository.objects.filter(name="shop").update(extractor=NEWEST.shared)
    html = page(member, name="decode")
    assert '<li>cart: <span class="mono">pyproject.toml</span> (invalid)</li>' in html
    assert "1 project was read by an older version, which may find less: shop." in html


def test_callees_are_on_the_same_page_and_either_direction_alone(member: Client) -> None:
    callers, callees = ('id="callers"', 'id="callees"')
    html = page(member, name="verify")
    assert callers in html
    assert callees in html
    assert "acme_auth/tokens.py#L2" in html
    assert callees not in page(member, name="verify", direction="callers")
    assert callers not in page(member, name="verify", direction="callees")


def test_callers_of_callers_say_how_far_up_they_are(member: Client) -> None:
    html = page(member, name="verify", depth=2)
    assert "2 levels up" in html
    assert ">checkout</a>" in html


def test_several_definitions_can_be_told_apart(member: Client) -> None:
    html = page(member, name="decode")
    assert "2 definitions" in html
    alone = "name=decode&amp;project=auth&amp;file=acme_auth%2Fmail.py&amp;line=1"
    assert alone in html
    assert "2 definitions" not in page(member, name="decode", file="acme_auth/mail.py")


def test_of_many_definitions_the_first_stand_open_above_the_callers(member: Client) -> None:
    classes = (f"class C{number}:\n    def shared(self): ...\n" for number in range(13))
    repository("many", {"many.py": "".join(classes)})
    html = page(member, name="shared")
    assert "13 definitions" in html
    first, _, others = html.partition("<summary>3 more definitions</summary>")
    assert first.count("Only this") == 10
    assert others.count("Only this") == 3


def test_a_name_that_is_nowhere_is_answered_with_names_that_are_like_it(member: Client) -> None:
    html = page(member, 404, name="verfy")
    assert 'href="/o/acme/symbol?name=verify"' in html


def test_a_name_that_nothing_is_like_leads_to_the_search(member: Client) -> None:
    html = page(member, 404, name='"><script>x</script>')
    assert "<script>x" not in html
    assert "Search for it" in html


def test_a_project_that_is_not_there_and_a_question_that_is_none_are_refused(
    member: Client,
) -> None:
    page(member, 404, name="verify", project="elsewhere")
    page(member, 400, name="verify", min_confidence="utter")
    page(member, 400, name="verify", cursor="forged", direction="callers")


def test_empty_fields_of_the_form_choose_nothing(member: Client) -> None:
    assert "●●●" in page(member, name="verify", project="", file="", line="", depth="1")


def test_further_callers_are_a_page_further(member: Client) -> None:
    calls = "\n".join(f"def f{number}():\n    verify(1)\n" for number in range(3))
    repository(
        "many",
        {
            "pyproject.toml": pyproject("acme-many", "acme-auth"),
            "many.py": f"from acme_auth import verify\n\n{calls}",
        },
    )
    first = page(member, name="verify", limit=2, direction="callers")
    found = re.search(r'rel="next" href="([^"]+)"', first)
    assert found
    following = member.get(ADDRESS + found[1].replace("&amp;", "&")).content.decode()
    assert "many.py#L10" in following
    assert "many.py#L4" not in following


def test_what_is_unknown_is_counted_with_samples(member: Client) -> None:
    repository("loose", {"loose.py": "def use(thing):\n    thing.verify()\n"})
    html = page(member, name="verify")
    assert "1 reference of the same name is of something unknown" in html
    assert "loose.py#L2" in html


def test_hostile_names_are_shown_as_text_and_linked_whole(member: Client) -> None:
    path = 'src/it\'s "<script>".py'
    repository("evil", {path: "from os import *\n\ndef run(x='</script><script>'): ...\n"})
    html = page(member, name="run")
    assert "<script>" not in re.sub(r"<script src=[^>]+></script>", "", html).replace(
        "<script defer", ""
    )
    assert "src/it&#x27;s &quot;&lt;script&gt;&quot;.py" in html
    assert "/o/acme/r/evil/file/src/it&#x27;s%20%22%3Cscript%3E%22.py#L3" in html


def test_a_path_of_two_lines_is_linked_as_any_other(member: Client) -> None:
    repository("odd", {"a\nb.py": "def strange(): ...\n"})
    assert 'href="/o/acme/r/odd/file/a%0Ab.py#L1"' in page(member, name="strange")


def test_queries_do_not_grow_with_what_is_found(
    member: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(10):
        calls = "\n".join(f"def f{one}():\n    verify(1)\n" for one in range(10))
        repository(
            f"app-{number}",
            {
                "pyproject.toml": pyproject(f"acme-app-{number}", "acme-auth"),
                "app.py": f"from acme_auth import verify\n\n{calls}",
            },
        )
    page(member)  # the session notes the organisation
    with django_assert_max_num_queries(5):
        page(member)
    with django_assert_max_num_queries(MOST_QUERIES):
        html = page(member, name="verify", limit=200)
    assert html.count("found by an import") > 100


def test_nothing_is_told_of_what_the_member_does_not_see(member: Client) -> None:
    Membership.objects.update(repositories=["auth"])
    html = page(member, name="verify", direction="callers")
    assert "shop" not in html


def test_references_that_are_bound_elsewhere_are_counted(member: Client) -> None:
    repository("loose", {"loose.py": "import hmac\n\nhmac.verify()\n"})
    html = page(member, name="verify")
    assert "1 reference leads to something else" in html


def test_kind_of_use_can_be_chosen(member: Client) -> None:
    html = page(member, name="verify", kind="decorate")
    assert "<option selected>decorate</option>" in html
    assert "Other kinds of use are left out." in html


@pytest.mark.parametrize("address", ["symbol", "graph"])
def test_name_in_a_skipped_file_says_so(member: Client, address: str) -> None:
    project = repository("web", {"a.js": "export function draw() {}\n"})
    File.objects.create(
        repository=project,
        path="app.min.js",
        mode="100644",
        blob="0" * 40,
        size=1,
        skipped=SkipReason.MINIFIED,
    )
    response = member.get(f"/o/acme/{address}", {"name": "render"})
    assert response.status_code == 404
    assert "1 file of source code is skipped and may define it: 1 minified." in (
        response.content.decode()
    )
    query = {"name": "render", "project": "web", "file": "app.min.js"}
    named = member.get(f"/o/acme/{address}", query).content.decode()
    assert "This file is skipped, so nothing in it is known." in named


def test_places_of_one_caller_stand_together(member: Client) -> None:
    calls = "def twice():\n    verify()\n    verify()\n\ndef once():\n    verify()\n"
    repository(
        "blog",
        {
            "pyproject.toml": pyproject("acme-blog", "acme-auth"),
            "blog.py": f"from acme_auth import verify\n\n{calls}",
        },
    )
    html = page(member, name="verify", direction="callers")
    blog = html[html.index(">blog</a></h3>") :]
    assert blog.count(">twice</a>") == blog.count(">once</a>") == 1
    assert 'rowspan="2"' in blog
    assert "2 places" in blog
    assert "blog.py#L4" in blog
    assert "blog.py#L5" in blog


def test_imports_are_a_kind_of_use_on_the_page_too(member: Client) -> None:
    html = page(member, name="verify", kind="import", direction="callers")
    assert "<option selected>import</option>" in html
    assert '<span class="muted small">import</span>' in html
