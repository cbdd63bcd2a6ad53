"""The search page: the address holds the whole search, and the answer explains itself."""

import re
from html import escape, unescape
from typing import Any

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from central.repositories.models import Repository, Visibility
from central.tenancy.models import Membership
from tests.central.factories import MembershipFactory, RepositoryFactory
from tests.central.search.corpus import index_repository, organization_of

TOKENS = '''"""Tokens."""


def validate_token(token):
    """Verify the <signature> of a token & return its claims."""
    return decode(token, key="<script>alert(1)</script>")


def issue_token(user):
    """Sign a token for the user, to be validated later."""
    return encode({"sub": user.id})
'''
READER = """// Reads the token that was issued.
export function readToken(cookies: Cookies): string {
  const token = cookies.get("session");
  return token;
}
"""

pytestmark = pytest.mark.django_db


@pytest.fixture
def member(client: Client) -> Client:
    """A member of acme, whose two repositories are indexed; one is at no forge that is known."""
    acme = organization_of("acme")
    index_repository(acme, "auth", {"src/auth/tokens.py": TOKENS, "README.md": "# Tokens\n"})
    index_repository(acme, "site", {"src/reader.ts": READER})
    Repository.objects.filter(name="site").update(web_url="")
    Repository.objects.filter(name="auth").update(languages={"python": 1, "markdown": 1})
    client.force_login(MembershipFactory(organization=acme).user)
    return client


def page(client: Client, status: int = 200, **query: Any) -> str:
    response = client.get("/o/acme/", query)
    assert response.status_code == status
    return response.content.decode()


def text_of(html: str) -> str:
    return unescape(re.sub(r"<[^>]*>", "", html))


def projects_in(html: str) -> list[str]:
    return re.findall(r'<section class="group" aria-label="([^"]*)"', html)


def test_before_a_query_the_page_says_what_there_is_and_what_can_be_asked(member: Client) -> None:
    html = page(member)
    assert "2 of 2 repositories indexed" in html
    assert 'href="?q=read&amp;mode=symbol"' in html
    assert '<option value="python">python (1)</option>' in html
    assert '<option value="auth"></option>' in html


def test_results_are_grouped_by_project_in_the_order_of_their_best(member: Client) -> None:
    html = page(member, q="validate_token")
    assert projects_in(html)[0] == "auth"
    assert html.index("src/auth/tokens.py") < html.index("src/reader.ts")
    assert 'title="c0ffee' in html
    assert "just now" in html


def test_a_result_links_to_its_lines_here_and_at_the_forge(member: Client) -> None:
    html = page(member, q="validate_token")
    assert re.search(r'href="/o/acme/r/auth/file/src/auth/tokens.py#L\d+-L\d+"', html)
    assert re.search(r'href="https://forge.example/acme/auth/blob/c0ffee0+/src/auth/tok', html)
    assert html.count("at the forge") == html.count('href="https://forge.example/acme/auth/blob')


def test_a_file_is_one_result_with_links_to_its_further_hits(member: Client) -> None:
    body = "".join(f"        self.audit(account, {n}, reason)\n" for n in range(9))
    methods = "".join(f"    def {name}(self, account, reason):\n{body}\n" for name in "abc")
    code = {"src/ledger.py": f"class Ledger:\n{methods}"}
    index_repository(organization_of("acme"), "books", code)
    html = page(member, q="audit an account for a reason", project="books")
    address = "/o/acme/r/books/file/src/ledger.py"
    assert html.count(f'<h3><a href="{address}#') == html.count("<h3>") == 1
    spans = html[html.index('<ul class="spans"') :].partition("</ul>")[0]
    assert 'aria-label="Also in src/ledger.py"' in spans
    assert len(re.findall(rf'href="{address}#L\d+-L\d+"', spans)) == spans.count("<li>") >= 2
    assert len(set(re.findall(r"Ledger\.[abc]:\d+", text_of(spans)))) == 2


def test_code_is_coloured_numbered_and_marked_and_stays_what_it_is(member: Client) -> None:
    html = page(member, q="validate_token")
    assert '<span class="k">def</span>' in html
    assert "<mark>validate_token</mark>" in html
    assert re.search(r'href="/o/acme/r/auth/file/src/auth/tokens.py\?commit=c0ffee0+#L6"', html)
    assert "<script>alert" not in html
    assert 'return decode(token, key="<script>alert(1)</script>")' in text_of(html)


def test_a_result_says_why_it_is_there(member: Client) -> None:
    html = page(member, q="validate_token")
    assert "it defines what is asked for" in html
    assert "place 1 by them" in html


def test_the_receipt_says_what_was_asked_and_what_is_missing(member: Client) -> None:
    RepositoryFactory(organization=organization_of("acme"), name="empty")
    text = " ".join(text_of(page(member, q="token")).split())
    assert "Asked 2 repositories · incomplete missing: empty (never indexed)" in text


def test_the_receipt_of_many_repositories_lists_the_first_and_leads_to_all(member: Client) -> None:
    """With 10,000 of them it was 2.4 MB of every page."""
    acme = organization_of("acme")
    Repository.objects.bulk_create(RepositoryFactory.build_batch(60, organization=acme))
    html = page(member, q="validate the token")
    receipt = html[html.index('<details class="receipt">') :].partition("</details>")[0]
    assert "Asked 2 repositories" in receipt
    assert "and 55 more" in receipt
    assert receipt.count("<td>never indexed") == 20
    assert '<a href="/o/acme/repositories?sort=trouble"' in receipt


def test_every_filter_is_in_the_address_and_in_the_form(member: Client) -> None:
    html = page(
        member, q="token", mode="lexical", language="typescript", path="src/", exclude="test"
    )
    assert projects_in(html) == ["site"]
    for shown in (
        '<option value="lexical" selected>',
        '<option value="typescript" selected>',
        'name="path" value="src/"',
        'name="exclude" value="test"',
    ):
        assert shown in html


def test_projects_may_be_several_and_each_can_be_dropped(member: Client) -> None:
    html = page(member, q="token", project=["auth", "site", ""])
    assert set(projects_in(html)) == {"auth", "site"}
    assert 'href="?q=token&amp;project=site"' in html
    assert projects_in(page(member, q="token", project="site")) == ["site"]


def test_there_is_an_end_to_the_projects_of_an_address(member: Client) -> None:
    """Each is a link without it alone: of a thousand, 30 MB."""
    html = page(member, 400, q="token", project=[f"project-{n}" for n in range(51)])
    assert "Name at most 50 repositories" in html
    assert "Not only in" not in html


def test_an_empty_answer_says_why_and_offers_wider_searches(member: Client) -> None:
    html = page(member, q="token", mode="lexical", language="rust", path="lib/")
    assert "Nothing passed the filters." in html
    for address in (
        "?q=token&amp;mode=lexical&amp;path=lib%2F",
        "?q=token&amp;mode=lexical&amp;language=rust",
        "?q=token",
    ):
        assert f'<a href="{address}">' in html


def test_pages_follow_one_another_by_address(
    member: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("central.web.search_form.PAGE_RESULTS", 1)
    first = page(member, q="token")
    following = re.search(r'href="(\?q=token&amp;cursor=[^"]*)" rel="next"', first)
    assert following
    second = member.get(f"/o/acme/{unescape(following[1])}").content.decode()
    shown = [re.findall(r'<h3><a href="([^"]*)"', html) for html in (first, second)]
    assert len(shown[0]) == len(shown[1]) == 1
    assert shown[0] != shown[1]
    assert '<a class="button button-quiet" href="?q=token">First page</a>' in second


@pytest.mark.parametrize(
    ("field", "query"),
    [
        ("q", {"q": "a\0b"}),
        ("q", {"q": "a" * 4_001}),
        ("mode", {"q": "a", "mode": "magic"}),
        ("chunk_type", {"q": "a", "chunk_type": "struct"}),
        ("path", {"q": "a", "path": "a\0"}),
        ("project", {"q": "a", "project": "b\0"}),
    ],
)
def test_what_is_refused_is_said_beside_its_field(
    member: Client, field: str, query: dict[str, str]
) -> None:
    html = page(member, status=400, **query)
    assert f'aria-describedby="{field}-error"' in html
    assert f'id="{field}-error"' in html


def test_the_address_that_htmx_keeps_has_no_blanks(member: Client) -> None:
    query = {"q": "token", "mode": "hybrid", "language": "", "project": ["auth", ""]}
    boosted = {"hx-request": "true", "hx-boosted": "true"}
    response = member.get("/o/acme/", query, headers=boosted)
    assert response["HX-Push-Url"] == "/o/acme/?q=token&project=auth"
    for headers in ({}, {"hx-request": "true"}):
        assert not member.get("/o/acme/", query, headers=headers).has_header("HX-Push-Url")


def test_a_cursor_of_another_search_leads_back_to_the_first_page(member: Client) -> None:
    html = page(member, status=400, q="token", cursor="nonsense")
    assert 'role="alert"' in html
    assert '<a href="?q=token">Begin with the first page</a>' in html


def test_a_member_finds_nothing_of_a_repository_that_it_does_not_see(member: Client) -> None:
    Membership.objects.update(visibilities=[Visibility.PUBLIC])
    Repository.objects.filter(name="site").update(visibility=Visibility.PUBLIC)
    html = page(member, q="token")
    assert projects_in(html) == ["site"]
    assert "auth" not in html.split("<main")[1]


def test_a_page_costs_few_queries_however_much_it_shows(
    member: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    page(member, q="warm")  # the session learns of the organisation
    with django_assert_max_num_queries(15):
        page(member, q="token")


@pytest.mark.parametrize(
    ("query", "said", "match"),
    [
        ("zzzqq wobble flurb", "No good match", r"Match: 0\.0\d of 1"),
        ("the token of a bus ride", "A weak match", r"Match: 0\.[0-5]\d of 1"),
    ],
)
def test_page_says_above_the_results_that_the_match_is_weak(
    member: Client, query: str, said: str, match: str
) -> None:
    html = page(member, q=query)
    assert re.search(match, html)
    assert html.index(said) < html.index('class="hit"')
    strong = page(member, q="validate_token")
    assert "No good match" not in strong
    assert "Match: " not in strong


def test_a_question_that_looks_like_a_pattern_is_told_so_above_its_results(member: Client) -> None:
    html = page(member, q="validate.*token")
    advice = html.index("or search by a regular expression.")
    assert html.index('class="notice notice-info"') < advice < html.index('class="hit"')


def test_advice_beside_a_weak_match_is_in_the_words_of_pages_too(member: Client) -> None:
    html = page(member, q="zzzqq.*wobble")
    assert "No good match" in html
    assert "or search by a regular expression." in html


def test_snippet_inside_of_a_docstring_is_coloured_as_a_string(member: Client) -> None:
    sentences = "".join(f"    Return {n} if this class is not raised for it.\n" for n in range(120))
    code = f'def explain():\n    """Explain.\n\n{sentences}    """\n    return None\n'
    index_repository(organization_of("acme"), "docs", {"src/explain.py": code})
    html = page(member, q="class is not raised for it", project="docs")
    assert "Return" in html
    assert '<span class="k">class</span>' not in html


def marked(html: str) -> list[str]:
    return [text_of(one) for one in re.findall(r"<mark>(.*?)</mark>", html)]


def test_an_exact_search_shows_the_lines_that_match_among_those_around_them(
    member: Client,
) -> None:
    html = page(member, q='"validate_token(token)"')
    assert "<strong>1</strong> match in 1 file" in html
    assert marked(html) == ["validate_token(token)"]
    numbers = re.findall(r'href="[^"]*tokens\.py\?commit=c0ffee0+#L(\d+)">\d+</a>', html)
    assert numbers == ["4", "5", "6"]  # blank lines at the edge are left out
    assert html.count("is-match") == 1
    assert "Verify the <signature>" in text_of(html)
    assert "definition</span>" in page(member, q='"def validate_token"')


def test_lines_of_a_file_beyond_the_first_are_a_link_to_that_file_alone(member: Client) -> None:
    many = "".join(f"needle_{n} = 1\n" for n in range(30))
    acme = organization_of("acme")
    index_repository(acme, "many", {"src/a b.py": many, "src/a b.pyi": "needle_1: int\n"})
    html = page(member, q='"needle"')
    assert "<strong>31</strong> matches in 2 files" in html
    [(address, text)] = re.findall(r'<p class="more small"><a href="([^"]*)".*?>(\d+ [^<]*)<', html)
    assert text == "23 more in this file"  # two after the fifth are lines around it
    html = member.get(f"/o/acme/{unescape(address)}").content.decode()
    assert marked(html) == ["needle"] * 30
    assert "<strong>30</strong> matches in 1 file" in html
    assert "more in this file" not in html


def test_filters_alone_list_files(member: Client) -> None:
    html = page(member, q="file:tokens.py")
    assert "<strong>1</strong> file<" in html
    assert "src/auth/tokens.py" in html
    assert "<pre" not in html


@pytest.mark.parametrize("query", ['"open', "/(/", "lang:pyhton x"])
def test_an_error_of_the_query_stands_at_its_field(member: Client, query: str) -> None:
    response = member.get("/o/acme/", {"q": query})
    assert response.status_code == 400
    html = response.content.decode()
    assert "<p>Column 1:" in html
    assert html.count('href="/o/acme/query"') == 3  # beside the field, of the error, of the keys
    assert f'value="{escape(query)}"' in html


def test_a_pattern_of_code_needs_a_language_and_says_so(member: Client) -> None:
    response = member.get("/o/acme/", {"q": "f($$$)", "mode": "structural"})
    assert response.status_code == 400
    assert "add lang: with one of" in response.content.decode()


def test_markup_and_control_characters_in_a_matched_line_are_shown_as_text(
    member: Client,
) -> None:
    index_repository(
        organization_of("acme"), "hostile", {"x.html": "<script>needle\u202e</script>\n"}
    )
    html = page(member, q='"needle"')
    assert "<script>needle[U+202E]</script>" in text_of(html)
    assert marked(html) == ["needle"]
    assert "<script>needle" not in html


def test_the_error_of_a_query_is_pointed_at(member: Client) -> None:
    html = page(member, status=400, q="retry lang:pyhton <b>")
    pointed = re.search(r'<pre class="pointed"[^>]*>(.*?)</pre>', html, re.DOTALL)
    assert pointed
    assert text_of(pointed[1]) == "retry lang:pyhton <b>\nretry ^"


def test_an_unknown_language_of_the_form_is_said_at_its_field(member: Client) -> None:
    html = page(member, status=400, q="x", language="pyhton")
    error = html.partition('id="language-error">')[2]
    assert "&quot;pyhton&quot;. Near names: python" in error.partition("</p>")[0]
    assert "pointed" not in html


def test_an_empty_exact_answer_offers_other_searches(member: Client) -> None:
    html = page(member, q='lang:python "Validate_.*"', project="auth")
    assert "looks like a regular expression" in html
    assert "or search by a regular expression." in html
    links = dict(re.findall(r'<li><a href="(\?q=[^"]*)">([^<]*)</a></li>', html))
    assert {unescape(label): unescape(address) for address, label in links.items()} == {
        "Without the project auth": "?q=lang%3Apython+%22Validate_.%2A%22",
        "Without lang:python": "?q=%22Validate_.%2A%22&project=auth",
        "Upper and lower case alike, with case:no": (
            "?q=case%3Ano+lang%3Apython+%22Validate_.%2A%22&project=auth"
        ),
        "As a regular expression": "?q=lang%3Apython+%2FValidate_.%2A%2F&project=auth",
        "By meaning, without quotes and patterns": "?q=lang%3Apython+Validate_.%2A&project=auth",
    }


def test_there_is_an_end_to_the_files_that_a_page_is_coloured_with(
    member: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert '<span class="k">def</span>' in page(member, q='"def validate_token"')
    monkeypatch.setattr("central.web.search_results.PAGE_COLOURED_CHARACTERS", len(TOKENS) - 1)
    html = page(member, q='"def validate_token"')
    assert '<span class="k">def</span>' not in html
    assert marked(html) == ["def validate_token"]


@pytest.mark.parametrize(
    "address",
    [
        "?q=needle",
        "?q=%22needle%22",
        "?q=type:file+exe",
        "r/odd/tree",
        "r/odd/tree/docs%E2%80%AE",
        "r/odd/find?q=exe",
        "r/odd/history/docs%E2%80%AE/a%1B%E2%80%AEyp.exe",
        "r/odd/file/docs%E2%80%AE/a%1B%E2%80%AEyp.exe",
        "r/odd/file/docs%E2%80%AE/a%1B%E2%80%AEyp.exe?commit=0123456789",
    ],
)
def test_paths_cannot_rearrange_the_text_around_them(member: Client, address: str) -> None:
    index_repository(organization_of("acme"), "odd", {"docs\u202e/a\x1b\u202eyp.exe": "needle\n"})
    response = member.get(f"/o/acme/{address}")
    assert response.status_code == 200
    text = text_of(response.content.decode())
    assert "docs[U+202E]" in text
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e]", text)


@pytest.mark.parametrize(
    ("pasted", "files"),
    [
        ("src/auth/tokens.py", ["/o/acme/r/auth/file/src/auth/tokens.py"]),
        ("src/auth", []),
        ("src/other.py", []),
        ("tokens.py", []),
        ("secret/src/key.py", []),
        ("src/key.py", []),
    ],
)
def test_a_pasted_path_leads_to_its_file(member: Client, pasted: str, files: list[str]) -> None:
    index_repository(organization_of("other"), "secret", {"src/key.py": "KEY = 1\n"})
    html = page(member, q=pasted)
    notice = re.search(r"<p class=\"notice notice-info\">Files? of this path: (.*?)</p>", html)
    assert (re.findall(r'href="([^"]*)"', notice[1]) if notice else []) == files


@pytest.mark.parametrize(
    ("pasted", "line"),
    [
        (" auth/src/auth/tokens.py:4 ", "/o/acme/r/auth/file/src/auth/tokens.py#L4-L4"),
        ("/src/reader.ts:3:7", "/o/acme/r/site/file/src/reader.ts#L3-L3"),
        ("https://forge.example/acme/auth/blob/main/src/auth/tokens.py#L4-L6",
         "/o/acme/r/auth/file/src/auth/tokens.py#L4-L4"),
    ],
)  # fmt: skip
def test_a_pasted_place_is_the_first_result(member: Client, pasted: str, line: str) -> None:
    html = page(member, q=pasted)
    assert re.findall(r'href="([^"]*)" data-result', html)[0] == line
    assert "Read as a line of a file." in html


TRACE = """Traceback (most recent call last):
  File "/srv/app/src/auth/tokens.py", line 6, in validate_token
    return decode(token, key=KEY)
  File "/usr/lib/python3.11/site-packages/jwt/api.py", line 3, in decode
KeyError: 'sub'
"""


def test_a_pasted_trace_shows_the_lines_of_its_frames_and_how_it_was_read(member: Client) -> None:
    html = page(member, q=TRACE)
    assert "Read as a stack trace of Python" in text_of(html)
    assert "1 frame of 2 is in no indexed repository" in text_of(html)
    assert projects_in(html) == ["auth"]
    assert 'href="/o/acme/r/auth/file/src/auth/tokens.py#L6-L6"' in html
    assert "of this path" not in html


def test_a_long_trace_that_is_sent_as_a_body_gets_a_short_address(member: Client) -> None:
    others = [f'  File "/srv/app/x{n}.py", line {n}, in f{n}\n    call{n}()' for n in range(1, 200)]
    long = TRACE.replace(
        "(most recent call last):\n", f"(most recent call last):\n{chr(10).join(others)}\n"
    )
    response = member.post("/o/acme/", {"q": long})
    assert response.status_code == 302
    assert len(response["Location"]) < 6_000
    followed = member.get(response["Location"]).content.decode()
    assert 'href="/o/acme/r/auth/file/src/auth/tokens.py#L6-L6"' in followed
    refused = member.post("/o/acme/", {"q": "word " * 1_000})
    assert refused.status_code == 400
    assert "no more than 4000 characters" in refused.content.decode()


def test_the_answer_by_words_stands_below_nothing_found(member: Client) -> None:
    html = page(member, q='"verify the signature of a token"')
    assert html.index("Nothing found") < html.index("No line has this text. By its words:")
    assert "src/auth/tokens.py" in html[html.index("By its words:") :]
    assert "By its words" not in page(member, q='"the <signature> of a"')


def test_an_error_message_leads_to_all_lines_with_its_fixed_parts(member: Client) -> None:
    html = page(member, q="AuthError: Sign a token for the user, 17 to be validated later.")
    assert "Read as an error message" in html
    assert "?q=%2FSign" in html


def test_a_question_for_callers_leads_to_the_symbol(member: Client) -> None:
    html = page(member, q="who calls validate_token?")
    assert 'href="/o/acme/symbol?name=validate_token"' in html
    assert "a trace" not in page(member, q="who calls no_such_name")
