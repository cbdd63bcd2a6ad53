"""The pages of directories, and the finder."""

import hashlib
import re
from html import unescape
from urllib.parse import quote

import pytest
from django.test import Client

from central.repositories.models import Repository
from tests.central.factories import FileFactory, MembershipFactory, RepositoryFactory

pytestmark = pytest.mark.django_db

COMMIT = "c0ffee" + "0" * 34
HOSTILE = '"><script>alert(1)</script>'


@pytest.fixture
def repository() -> Repository:
    """An indexed repository of acme."""
    made: Repository = RepositoryFactory.create(
        organization__slug="acme",
        name="kit",
        generation=1,
        last_indexed_commit=COMMIT,
        web_url="https://forge.example/acme/kit",
    )
    FileFactory.create(repository=made, path="src/kit/signer.py", content="x = 1\n")
    FileFactory.create(repository=made, path="data.bin", skipped="binary", language="", size=2_048)
    return made


@pytest.fixture
def member(client: Client, repository: Repository) -> Client:
    """A signed-in member of acme."""
    client.force_login(MembershipFactory.create(organization=repository.organization).user)
    return client


def page(client: Client, address: str, status: int = 200, **headers: str) -> str:
    response = client.get(f"/o/acme/r/kit/{address}", headers=headers)
    assert response.status_code == status
    return response.content.decode()


def results(html: str) -> list[tuple[str, str]]:
    """(address, text) of what is listed."""
    found = re.findall(r'<a href="([^"]*)" data-result>(.*?)</a>', html)
    return [(unescape(address), unescape(text)) for address, text in found]


def test_the_root_has_directories_and_files_with_language_size_and_commit(member: Client) -> None:
    html = page(member, "tree")
    assert results(html) == [
        ("/o/acme/r/kit/tree/src", "src/"),
        ("/o/acme/r/kit/file/data.bin", "data.bin"),
    ]
    assert "skipped: binary" in html
    assert "2.0\xa0KB" in html
    assert f'title="{COMMIT}"' in html
    assert "1 file<" in html


def test_a_directory_leads_upwards_by_its_parts(member: Client) -> None:
    html = page(member, "tree/src/kit")
    assert results(html) == [("/o/acme/r/kit/file/src/kit/signer.py", "signer.py")]
    assert '<a href="/o/acme/r/kit/tree">files</a>' in html
    assert '<a href="/o/acme/r/kit/tree/src">src</a>' in html
    assert '<span aria-current="page">kit</span>' in html
    assert "python" in html


def test_the_address_of_a_file_among_directories_leads_to_the_file(member: Client) -> None:
    response = member.get("/o/acme/r/kit/tree/src/kit/signer.py")
    assert (response.status_code, response["Location"]) == (
        302,
        "/o/acme/r/kit/file/src/kit/signer.py",
    )


def test_an_unknown_directory_is_not_found_and_near_paths_are_offered(member: Client) -> None:
    html = page(member, "tree/lib/signer.py", status=404)
    assert 'href="/o/acme/r/kit/file/src/kit/signer.py"' in html
    page(member, "tree/a%00b", status=404)


def test_a_large_directory_has_pages(
    member: Client, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("central.web.views_files.FILES_LISTED", 1)
    html = page(member, "tree")
    assert results(html) == [("/o/acme/r/kit/tree/src", "src/")]
    [further] = re.findall(r'href="([^"]*)" rel="next"', html)
    html = page(member, f"tree{unescape(further)}")
    assert [text for _, text in results(html)] == ["data.bin"]
    assert "First page" in html
    page(member, "tree?cursor=nonsense", status=400)


def test_a_repository_without_an_index_says_so(member: Client, repository: Repository) -> None:
    RepositoryFactory.create(organization=repository.organization, name="new")
    html = member.get("/o/acme/r/new/tree").content.decode()
    assert "Nothing of this repository is indexed yet." in html


@pytest.mark.parametrize("name", [HOSTILE, "a b/ü#?%41&", "line\nbreak", "-/${x}`"])
def test_a_hostile_name_is_a_name(member: Client, repository: Repository, name: str) -> None:
    FileFactory.create(repository=repository, path=f"evil/{name}/x.py")
    html = page(member, "tree/evil")
    assert "<script>alert" not in html
    address, _ = results(html)[0]
    html = page(member, f"tree/{quote(f'evil/{name}')}")
    assert "<script>alert" not in html
    assert results(html)[-1][1] == "x.py"
    assert member.get(address).status_code == 200
    assert "<script>alert" not in page(member, f"find?q={quote(name)}")


def test_the_finder_lists_files_and_needs_no_script(member: Client) -> None:
    html = page(member, "find?q=sgnr")
    assert results(html) == [("/o/acme/r/kit/file/src/kit/signer.py", "src/kit/signer.py")]
    assert "1 file<" in html
    assert "No file of this repository" in page(member, "find?q=zzz")
    assert results(page(member, "find")) == []
    page(member, "find?q=a%00b")


def test_htmx_is_given_the_list_alone(member: Client) -> None:
    html = page(member, "find?q=sgnr", **{"HX-Request": "true"})
    assert html.lstrip().startswith('<div id="found" data-query="sgnr">')
    assert "<html" not in html


def test_what_was_asked_for_is_escaped(member: Client) -> None:
    for address in (f"find?q={quote(HOSTILE)}", f"tree/{quote(HOSTILE)}"):
        response = member.get(f"/o/acme/r/kit/{address}")
        assert "<script>alert" not in response.content.decode()


@pytest.mark.parametrize(
    "address", ["tree", "tree/src", "file/src/kit/signer.py", "raw/src/kit/signer.py"]
)
def test_a_permalink_is_of_its_commit(member: Client, repository: Repository, address: str) -> None:
    for commit in (COMMIT, COMMIT[:7]):
        now = page(member, f"{address}?commit={commit}")
        assert "not the indexed one" not in now
    old = "ab" * 20
    html = page(member, f"{address}?commit={old}")
    assert "not the indexed one" in html
    assert "x = 1" not in html
    kind, _, path = address.partition("/")
    at_forge = "tree" if kind == "tree" else "blob"
    forge = f"https://forge.example/acme/kit/{at_forge}/{old}/{path}".rstrip("/")
    assert f'<a href="{forge}"' in html
    present = f"/o/acme/r/kit/{address.replace('raw', 'file')}"
    assert f'<a href="{present}" data-with-lines>As it is indexed now</a>' in html
    for wrong in (HOSTILE, "HEAD", "C0FFEE0", "ab"):
        refused = page(member, f"{address}?commit={quote(wrong)}", status=400)
        assert "<script>alert" not in refused


def test_a_permalink_to_a_file_that_is_gone_says_so(member: Client) -> None:
    html = page(member, f"file/gone.py?commit={'ab' * 20}")
    assert "there is no such file" in html
    assert f"https://forge.example/acme/kit/blob/{'ab' * 20}/gone.py" in html


def test_raw_is_text_that_does_nothing(member: Client, repository: Repository) -> None:
    FileFactory.create(repository=repository, path="evil.html", content=HOSTILE)
    response = member.get("/o/acme/r/kit/raw/evil.html")
    assert response.content.decode() == HOSTILE
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Content-Security-Policy"] == (
        "default-src 'none'; frame-ancestors 'none'; sandbox"
    )
    assert response["Cache-Control"] == "no-store"


@pytest.mark.parametrize(
    ("content", "encoding", "charset"),
    [
        ("größe\r\n".encode(), "", "utf-8"),
        (b"\xef\xbb\xbf" + "größe\r\n".encode(), "", "utf-8"),
        (b"gr\xf6\xdfe\x80", "cp1252", "cp1252"),
        (b"\xff\xfe" + "größe\n".encode("utf-16-le"), "utf-16-le", "utf-16le"),
        ("größe\n".encode("utf-16-be"), "utf-16-be", "utf-16be"),
        ("똠\n".encode("cp949"), "cp949", "euc-kr"),
    ],
)
def test_raw_is_the_bytes_of_the_blob(
    member: Client, repository: Repository, content: bytes, encoding: str, charset: str
) -> None:
    store(repository, "old.c", content, encoding)
    response = member.get("/o/acme/r/kit/raw/old.c")
    assert response.content == content
    assert response["Content-Type"] == f"text/plain; charset={charset}"
    assert "raw/old.c" in page(member, "file/old.c")


@pytest.mark.parametrize("encoding", ["", "cp932", "of_a_later_version", "idna", "ascii"])
def test_bytes_that_the_text_does_not_tell_are_not_made_up(
    member: Client, repository: Repository, encoding: str
) -> None:
    store(repository, "old.c", b"// \x87\x90\n", encoding, text="// ≒\n")  # also 81 E0
    response = member.get("/o/acme/r/kit/raw/old.c")
    assert (response.status_code, response["Location"]) == (302, "/o/acme/r/kit/file/old.c")
    html = page(member, "file/old.c")
    assert "raw/old.c" not in html
    assert "≒" in html


def store(
    repository: Repository, path: str, content: bytes, encoding: str, text: str | None = None
) -> None:
    """A file as the indexer reads it from a blob."""
    blob = hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
    FileFactory.create(
        repository=repository,
        path=path,
        content=content.decode(encoding or "utf-8").removeprefix("\ufeff")
        if text is None
        else text,
        encoding=encoding,
        size=len(content),
        blob=blob,
    )


def test_raw_of_a_skipped_file_is_its_page(member: Client) -> None:
    response = member.get("/o/acme/r/kit/raw/data.bin")
    assert (response.status_code, response["Location"]) == (302, "/o/acme/r/kit/file/data.bin")
    assert member.get("/o/acme/r/kit/raw/nothing").status_code == 404
