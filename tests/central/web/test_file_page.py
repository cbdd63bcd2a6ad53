"""The page of a file: what the index holds of it, with lines that can be linked to."""

import re
from html import unescape
from time import sleep, thread_time
from urllib.parse import quote

import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from central.corpus.models import File, Reference, Symbol
from central.repositories.models import Repository, Visibility
from central.tenancy.models import Membership
from central.web import colouring
from central.web.colouring import BUSY, COLOURED_CHARACTERS
from central.web.views_files import SHOWN_CHARACTERS, SHOWN_LINES
from indexer.output.terminal import HIDDEN
from indexer.records.files import SkipReason
from tests.central import limited_child
from tests.central.factories import FileFactory, MembershipFactory, RepositoryFactory

CODE = """class Signer:
    def sign(self, claims):
        return "</pre><script>alert(1)</script>" + claims


def check(token):
    return bool(token)
"""

pytestmark = pytest.mark.django_db


@pytest.fixture
def repository() -> Repository:
    """An indexed repository of acme."""
    return RepositoryFactory(
        organization__slug="acme",
        name="kit",
        generation=1,
        last_indexed_commit="c0ffee" + "0" * 34,
        web_url="https://forge.example/acme/kit",
    )


@pytest.fixture
def member(client: Client, repository: Repository) -> Client:
    """A signed-in member of acme."""
    client.force_login(MembershipFactory(organization=repository.organization).user)
    return client


@pytest.fixture
def signer(repository: Repository) -> File:
    """A file with a class, its method and a function."""
    file = FileFactory(repository=repository, path="src/kit/signer.py", content=CODE)
    for name, kind, first, last in (
        ("Signer", "class", 1, 3),
        ("sign", "method", 2, 3),
        ("check", "function", 6, 7),
    ):
        Symbol.objects.create(
            repository=repository, file=file, name=name, qualified_name=name, kind=kind,
            start_line=first, end_line=last, signature="", exported=True, parts=[name],
        )  # fmt: skip
    return file


def page(client: Client, path: str, status: int = 200) -> str:
    response = client.get(f"/o/acme/r/kit/file/{path}")
    assert response.status_code == status
    return response.content.decode()


def listing(html: str) -> str:
    [code] = re.findall(r"<pre[^>]*><code>(.*)</code></pre>", html, re.DOTALL)
    return unescape(re.sub(r'<a class="code-number".*?</a>|<[^>]*>', "", code))


def test_hidden_characters_are_shown_and_links_stay_at_their_names(
    member: Client, repository: Repository, signer: File
) -> None:
    content = "\u202e = check\ncheck(\U000e0041)\n"
    file = FileFactory(repository=repository, path="hidden.py", content=content)
    Reference.objects.create(
        repository=repository, file=file, ecosystem="python", kind="call", name="check",
        binding="local", line=1, column=4,
    )  # fmt: skip
    html = page(member, "hidden.py")
    assert not HIDDEN.search(html)
    assert listing(html) == "[U+202E] = check\ncheck([U+E0041])\n"
    assert '<span class="hidden-character" title="RIGHT-TO-LEFT OVERRIDE">[U+202E]</span>' in html
    assert re.search(r"<a [^>]*>(?:<span[^>]*>)?check", html)
    assert "may turn text around" in html


def test_the_whole_file_is_shown_as_it_is_with_lines_to_link_to(
    member: Client, signer: File
) -> None:
    html = page(member, signer.path)
    assert listing(html) == CODE
    assert "<script>alert" not in html
    for line in range(1, 8):
        assert f'id="L{line}"><a class="code-number" href="#L{line}">{line}</a>' in html
    while BUSY in html:  # as it says: load it again in a moment
        sleep(0.5)
        html = page(member, signer.path)
    assert '<span class="k">class</span>' in html


def test_it_says_of_which_commit_it_is_and_where_else_it_can_be_read(
    member: Client, signer: File
) -> None:
    html = page(member, signer.path)
    assert 'title="c0ffee' in html
    assert (
        f"https://forge.example/acme/kit/blob/{signer.repository.last_indexed_commit}/src" in html
    )
    assert '<a href="/o/acme/r/kit/tree/src/kit">kit</a>' in html


def test_its_symbols_lead_to_their_lines_and_to_their_users(member: Client, signer: File) -> None:
    html = page(member, signer.path)
    outline = re.findall(r'class="depth-(\d)"[^>]*><a class="mono" href="(#L\d+)">(\w+)</a>', html)
    assert outline == [("0", "#L1", "Signer"), ("1", "#L2", "sign"), ("0", "#L6", "check")]
    assert "/o/acme/symbol?name=sign&amp;project=kit&amp;file=src%2Fkit%2Fsigner.py" in html


def test_a_skipped_file_says_why(member: Client, repository: Repository) -> None:
    FileFactory(repository=repository, path="data.bin", skipped="too_large", language="")
    html = page(member, "data.bin")
    assert SkipReason.TOO_LARGE.sentence in html
    assert "<pre" not in html


@pytest.mark.parametrize(
    ("encoding", "size", "said"),
    [
        ("cp1252", 7, "cp1252"),
        ("utf-16-le", 16, "utf-16-le with a byte order mark"),
        ("utf-16-le", 14, "utf-16-le"),
        ("", 11, "utf-8 with a byte order mark"),
        ("", 8, None),
    ],
)
def test_the_encoding_is_shown_where_it_is_not_plain_utf8(
    member: Client, repository: Repository, encoding: str, size: int, said: str | None
) -> None:
    FileFactory(repository=repository, path="a.c", content="x = 'ö'", encoding=encoding, size=size)
    html = page(member, "a.c")
    found = re.search(r'<span title="Lines and columns[^"]*">([^<]*)</span>', html)
    assert (found and found[1]) == said


def test_an_empty_file_says_so(member: Client, repository: Repository) -> None:
    FileFactory(repository=repository, path="empty.py")
    assert "This file is empty" in page(member, "empty.py")


def test_a_file_that_is_too_large_for_colours_is_shown_without(
    member: Client, repository: Repository
) -> None:
    content = "if x: pass  # <why>\n" * (COLOURED_CHARACTERS // 20 + 1)
    FileFactory(repository=repository, path="large.py", content=content)
    html = page(member, "large.py")
    assert "Shown without colours: it has more than 100,000 characters." in html
    assert '<span class="k">' not in html
    assert listing(html) == content


def test_a_file_that_no_lexer_gets_through_is_shown_at_once_and_says_why(
    member: Client, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(colouring, "_CHILD", limited_child.NAME)
    monkeypatch.setattr(colouring, "_colouring", colouring.Colouring())
    content = f"[a]\n{limited_child.SPIN}\n"
    FileFactory(repository=repository, path="app.ini", language="ini", content=content)
    started = thread_time()
    html = page(member, "app.ini")
    assert thread_time() - started < 1
    assert "Shown without colours: colouring this text takes too much time or memory." in html
    assert listing(html) == content


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        ("\n" * (SHOWN_LINES + 5), "\n" * SHOWN_LINES),
        ("x" * (SHOWN_CHARACTERS + 5), "x" * SHOWN_CHARACTERS),
    ],
    ids=["lines", "characters"],
)
def test_of_a_file_that_no_browser_would_bear_the_beginning_is_shown(
    member: Client, repository: Repository, content: str, shown: str
) -> None:
    """A megabyte of empty lines would be a page of 94 MB."""
    FileFactory(repository=repository, path="huge.py", content=content)
    html = page(member, "huge.py")
    assert "Only the beginning is shown" in html
    assert len(listing(html)) <= len(shown) + 1
    assert html.count('class="code-number"') == max(1, shown.count("\n"))


@pytest.mark.parametrize(
    ("asked", "offered"),
    [
        ("lib/signer.py", "src/kit/signer.py"),
        ("src/kit/signer.pyi", "src/kit/signer.py"),
        ("src/kit", "src/kit/signer.py"),
    ],
)
def test_an_unknown_path_is_not_found_and_near_ones_are_offered(
    member: Client, signer: File, asked: str, offered: str
) -> None:
    html = page(member, asked, status=404)
    assert "There is no such file in the index" in html
    assert f'href="/o/acme/r/kit/file/{offered}"' in html


@pytest.mark.parametrize(
    "path", ['"><script>alert(1)</script>.py', "a b/ü#?%41&.py", "line\nbreak.py", "-/${x}`.py"]
)
def test_a_hostile_name_is_a_name(member: Client, repository: Repository, path: str) -> None:
    FileFactory(repository=repository, path=path, content="x = 1\n")
    near = page(member, quote(f"nothing/{path.rpartition('/')[2]}"), status=404)
    [address] = re.findall(r'<a class="mono" href="([^"]*)">', near)
    response = member.get(unescape(address))
    assert response.status_code == 200
    html = response.content.decode()
    assert "<script>alert" not in html
    [title] = re.findall(r"<h1[^>]*>(.*?)</h1>", html, re.DOTALL)
    assert unescape(title) == path


@pytest.mark.parametrize("address", ["kit/file/a%00b", "a%00/file/b"])
def test_nothing_is_called_what_the_database_cannot_hold(member: Client, address: str) -> None:
    assert member.get(f"/o/acme/r/{address}").status_code == 404


def test_a_file_of_a_repository_that_is_not_in_sight_is_not_found(
    member: Client, signer: File
) -> None:
    Membership.objects.update(visibilities=[Visibility.PUBLIC])
    html = page(member, signer.path, status=404)
    sentence = "There is no such repository for you; the list of repositories has all that you see."
    assert sentence in html
    assert "Signer" not in html


def test_a_page_costs_few_queries(
    member: Client, signer: File, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    page(member, signer.path)
    with django_assert_max_num_queries(13):
        page(member, signer.path)
