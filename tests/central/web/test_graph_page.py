"""The call graph's page: a picture, and the same as a table."""

import re
from xml.etree import ElementTree

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from tests.central.factories import MembershipFactory
from tests.central.trace.corpus import organization_of, pyproject, repository

pytestmark = pytest.mark.django_db

ADDRESS = "/o/acme/graph"
MOST_QUERIES = 31
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def member(client: Client) -> Client:
    """Somebody signed in; `page` calls `pay`, which calls `verify` of another repository."""
    client.force_login(MembershipFactory.create(organization=organization_of()).user)
    repository(
        "auth",
        {
            "pyproject.toml": pyproject("acme-auth"),
            "acme_auth.py": "def verify(): ...\n",
        },
    )
    repository(
        "shop",
        {
            "pyproject.toml": pyproject("acme-shop", "acme-auth"),
            "shop.py": """\
                from acme_auth import verify

                def pay():
                    verify()

                def page(thing):
                    pay()
                    thing.verify()
                """,
        },
    )
    return client


def page(client: Client, status: int = 200, **query: object) -> str:
    response = client.get(ADDRESS, query)
    assert response.status_code == status, response.content
    return response.content.decode()


def picture(html: str) -> ElementTree.Element:
    found = re.search(r"<svg class=\"graph\".*?</svg>", html, re.DOTALL)
    assert found
    return ElementTree.fromstring(found[0])  # noqa: S314 # of our own making


def labels(svg: ElementTree.Element) -> list[str]:
    found = svg.iterfind(f".//{SVG}text[@class='node-name']")
    return [one.text or "" for one in found]


def test_it_is_drawn_from_the_callers_on_the_left_to_the_callees_on_the_right(
    member: Client,
) -> None:
    svg = picture(page(member, name="pay"))
    assert labels(svg) == ["page", "pay", "verify"]
    nodes = svg.findall(f".//{SVG}a")
    assert [("node-root" in one.attrib["class"]) for one in nodes] == [False, True, False]
    assert nodes[0].attrib["href"] == "/o/acme/graph?name=page&project=shop&file=shop.py"
    assert len(svg.findall(f".//{SVG}path[@data-from]")) == 2


def test_the_same_is_told_by_a_table_and_by_titles(member: Client) -> None:
    html = page(member, name="pay")
    assert "data-picture hidden>" in html  # until a script has laid it out
    assert 'href="/o/acme/r/shop/file/shop.py#L4"' in html
    title = picture(html).find(f"./{SVG}title")
    assert title is not None
    assert title.text == "Call graph of pay"
    assert "pay uses verify: high confidence" in html


def test_the_legend_names_projects_and_kinds_of_lines(member: Client) -> None:
    html = page(member, name="pay")
    legend = html[html.index("<figcaption") : html.index("</figcaption>")]
    assert re.findall(r"</svg> (\w+)", legend) == ["shop", "auth", "high", "medium", "low"]


def test_levels_are_links_and_a_next_graph_is_asked_as_this_one(member: Client) -> None:
    html = page(member, name="verify", depth=1, min_confidence="high")
    assert labels(picture(html)) == ["pay", "verify"]
    assert 'href="?name=verify&amp;depth=3&amp;min_confidence=high"' in html
    assert "depth=1&amp;min_confidence=high" in html


def test_one_level_is_drawn_unless_more_are_asked_for(member: Client) -> None:
    html = page(member, name="verify")
    assert labels(picture(html)) == ["pay", "verify"]
    assert 'href="?name=verify&amp;depth=1" aria-current="true">1 level<' in html
    assert labels(picture(page(member, name="verify", depth=2))) == ["page", "pay", "verify"]


def test_what_is_left_out_is_said(member: Client) -> None:
    html = page(member, name="pay", limit=1)
    assert labels(picture(html)) == ["pay"]
    assert "Not all of it is drawn." in html
    assert "missing:" not in html  # no repository is


def test_a_name_of_several_definitions_leads_to_the_page_where_one_is_chosen(
    member: Client,
) -> None:
    repository("tools", {"tools.py": "def pay(): ...\n"})
    html = page(member, name="pay")
    assert "2 definitions have this name" in html
    assert '<a href="/o/acme/symbol?name=pay">Choose one</a>' in html
    assert "have this name" not in page(member, name="verify")


def test_nodes_that_all_call_one_another_are_not_all_joined(member: Client) -> None:
    """Of 500 nodes there could be 250,000 lines."""
    names = [f"knot_{number}" for number in range(33)]
    calls = "".join(f"    {name}()\n" for name in names)
    repository("knot", {"knot.py": "\n".join(f"def {name}():\n{calls}" for name in names)})
    html = page(member, name="knot_0", depth="2")
    assert len(picture(html).findall(f".//{SVG}path[@data-from]")) <= 1_000
    assert re.search(r"\d+ lines farthest from the root are left out", html)


def test_less_certain_lines_are_dotted(member: Client) -> None:
    svg = picture(page(member, name="verify", min_confidence="low"))
    classes = [one.attrib["class"] for one in svg.iterfind(f".//{SVG}path[@data-from]")]
    assert "edge edge-low" in classes


def test_an_unknown_name_is_answered_with_names_that_are_like_it(member: Client) -> None:
    assert 'href="/o/acme/symbol?name=verify"' in page(member, 404, name="verfy")
    page(member, 404, name="verify", project="elsewhere")


def test_without_a_name_there_is_the_form(member: Client) -> None:
    assert '<input id="q" name="name"' in page(member)


def test_nothing_in_the_page_needs_inline_styles_or_scripts(member: Client) -> None:
    html = page(member, name="pay")
    assert " style=" not in html
    assert not re.search(r"\son\w+=", html)
    assert not re.search(r"<script(?![^>]*\ssrc=)", html)


def test_hostile_names_are_text_in_the_picture_too(member: Client) -> None:
    path = 'it\'s "<script>".py'
    repository("evil", {path: "def run(): ...\n\ndef call():\n    run()\n"})
    html = page(member, name="run", project="evil")
    assert "<script>" not in html.replace('<script src="', "")
    svg = picture(html)  # well formed
    titles = [one.text or "" for one in svg.iterfind(f".//{SVG}a/{SVG}title")]
    assert f"run (function) in evil/{path}, line 1" in titles


def test_many_nodes_are_drawn_by_file_and_a_box_opens(member: Client) -> None:
    repository(
        "crowd",
        {
            "pyproject.toml": pyproject("crowd", "acme-auth"),
            **{
                f"{file}.py": "from acme_auth import verify\n\n"
                + "".join(f"def {file}_{one}():\n    verify()\n\n" for one in range(25))
                for file in ("early", "late")
            },
        },
    )
    html = page(member, name="verify", project="auth")
    assert sorted(labels(picture(html))) == ["25 definitions", "25 definitions", "pay", "verify"]
    assert html.count("early_7") > 0  # in the table
    assert "crowd/early.py uses verify 25 times: high confidence" in html
    (address,) = re.findall(r'href="([^"]*open=[^"]*early[^"]*)"', html)
    opened = member.get(ADDRESS + address.replace("&amp;", "&")).content.decode()
    assert "25 definitions" in labels(picture(opened))
    assert {"early_0", "early_24"} <= set(labels(picture(opened)))
    (closing,) = re.findall(r'href="([^"]*)" aria-label="Close crowd/early.py"', opened)
    closed = member.get(ADDRESS + closing.replace("&amp;", "&")).content.decode()
    assert labels(picture(closed)) == labels(picture(html))


def test_queries_are_bounded(
    member: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    page(member)  # the session notes the organisation
    with django_assert_max_num_queries(MOST_QUERIES):
        page(member, name="pay", depth=3)
