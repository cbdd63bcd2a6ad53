"""The comment on a pull request, against the stand-in of GitHub over HTTP."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from indexer.errors import ConfigurationError, ForgeError
from indexer.forge.api import GitHubApi
from indexer.forge.comments import PullRequest, marker, write_comment
from indexer.limits import COMMENT_BYTES
from tests.local_forge import LocalForge, LocalRepository
from tests.local_forge.comments import BOT, PERSON, add_comment, comments_of

PULL = PullRequest("acme/shop", 7)


@pytest.fixture
def shop(forge: LocalForge) -> LocalRepository:
    repository = forge.add("shop")
    repository.pulls.append({"number": 7, "state": "open"})
    return repository


@pytest.fixture
def api(forge: LocalForge, shop: LocalRepository) -> Iterator[GitHubApi]:
    with GitHubApi(url=forge.api_url, token=forge.job_token(shop, can_comment=True)) as opened:
        yield opened


def body(text: str, *, project: str = "shop", is_new: bool = True) -> str:
    return marker(project, is_new=is_new) + text


def shown(shop: LocalRepository) -> list[str]:
    return [one["body"].partition("\n")[2] for one in comments_of(shop, 7)]


def test_the_comment_is_updated_in_place(api: GitHubApi, shop: LocalRepository) -> None:
    write_comment(api, PULL, body("first"))
    [first] = comments_of(shop, 7)
    write_comment(api, PULL, body("second"))
    assert shown(shop) == ["second"]
    assert comments_of(shop, 7)[0]["id"] == first["id"]


def test_the_same_text_is_not_written_again(
    api: GitHubApi, forge: LocalForge, shop: LocalRepository
) -> None:
    write_comment(api, PULL, body("same"))
    before = len(forge.asked)
    write_comment(api, PULL, body("same"))
    assert [method for method, _, _ in forge.asked[before:]] == ["GET"]


@pytest.mark.parametrize("writers", [2, 5])
def test_of_comments_that_are_created_at_once_one_is_left(
    api: GitHubApi, forge: LocalForge, shop: LocalRepository, writers: int
) -> None:
    forge.writers = threading.Barrier(writers)  # each has seen that there is none
    with ThreadPoolExecutor(writers) as threads:
        texts = [f"of job {number}" for number in range(writers)]
        list(threads.map(lambda text: write_comment(api, PULL, body(text)), texts))
    assert len(shown(shop)) == 1
    assert shown(shop)[0] in texts


def test_what_killed_jobs_left_is_cleaned_up(api: GitHubApi, shop: LocalRepository) -> None:
    for text in ("one", "two", "three"):
        add_comment(shop, 7, body(text), BOT)
    write_comment(api, PULL, body("new"))
    assert shown(shop) == ["new"]


def test_a_comment_that_comes_on_two_pages_is_kept(
    api: GitHubApi, shop: LocalRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_comment(api, PULL, body("first"))
    pages = GitHubApi.pages
    monkeypatch.setattr(GitHubApi, "pages", lambda *of: [*pages(*of), *pages(*of)])
    write_comment(api, PULL, body("second"))
    assert shown(shop) == ["second"]


def test_a_pull_request_without_callers_gets_no_first_comment_but_an_update(
    api: GitHubApi, shop: LocalRepository
) -> None:
    assert write_comment(api, PULL, body("none", is_new=False)) is None
    assert shown(shop) == []
    write_comment(api, PULL, body("one caller"))
    write_comment(api, PULL, body("none", is_new=False))
    assert shown(shop) == ["none"]


def test_each_project_of_a_repository_has_its_own(api: GitHubApi, shop: LocalRepository) -> None:
    for project in ("shop", "shop --> x", "@acme"):
        write_comment(api, PULL, body(project, project=project))
    assert shown(shop) == ["shop", "shop --> x", "@acme"]
    firsts = [one["body"].partition("\n")[0] for one in comments_of(shop, 7)]
    assert all(first.count("-->") == 1 and first.endswith(" -->") for first in firsts)


def test_comments_of_people_are_left_alone_even_with_the_marker(
    api: GitHubApi, shop: LocalRepository
) -> None:
    add_comment(shop, 7, body("copied"), PERSON)
    add_comment(shop, 7, "a review", PERSON)
    add_comment(shop, 7, "of another bot\n" + body("quoted"), BOT)
    write_comment(api, PULL, body("own"))
    write_comment(api, PULL, body("own, updated"))
    assert len(shown(shop)) == 4
    assert shown(shop)[0] == "copied"
    assert shown(shop)[-1] == "own, updated"


def test_the_comment_is_found_behind_many_others(
    api: GitHubApi, forge: LocalForge, shop: LocalRepository
) -> None:
    forge.page_size = 2
    for number in range(5):
        add_comment(shop, 7, f"comment {number}", PERSON)
    write_comment(api, PULL, body("first"))
    write_comment(api, PULL, body("second"))
    assert [one["body"] for one in comments_of(shop, 7) if one["user"] == BOT] == [body("second")]


def test_a_job_without_the_permission_is_refused(forge: LocalForge, shop: LocalRepository) -> None:
    with (
        GitHubApi(url=forge.api_url, token=forge.job_token(shop)) as api,
        pytest.raises(ForgeError, match="not accessible by integration") as caught,
    ):
        write_comment(api, PULL, body("text"))
    assert caught.value.status == 403
    assert comments_of(shop, 7) == []


def test_a_persons_token_is_refused_because_its_comment_is_not_found_again(
    forge: LocalForge, shop: LocalRepository
) -> None:
    with (
        GitHubApi(url=forge.api_url, token=forge.token) as api,
        pytest.raises(ForgeError, match="not with a person's"),
    ):
        write_comment(api, PULL, body("text"))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("a text of somebody", id="no marker"),
        pytest.param(body("x").replace("aeterna", "other"), id="another marker"),
        pytest.param(body("é" * COMMENT_BYTES), id="too long"),
    ],
)
def test_nothing_but_a_report_is_written(
    api: GitHubApi, forge: LocalForge, shop: LocalRepository, text: str
) -> None:
    with pytest.raises(ConfigurationError, match="output `report`"):
        write_comment(api, PULL, text)
    assert forge.asked == []
