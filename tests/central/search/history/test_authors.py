"""author: as the organisation's policy stores authors."""

import pytest

from aeterna_code_search.contract.search import SearchAnswer, SearchRequest
from central.corpus.authors import set_author_policy
from central.search.service import search
from central.tenancy.models import Organization
from indexer.records.authors import AuthorPolicy, author_digest
from tests.central.commits import commit, store_commits
from tests.central.factories import RepositoryFactory
from tests.central.search.corpus import credential_for, organization_of
from tests.central.search.history.conftest import Search

pytestmark = pytest.mark.django_db


def commits_of(answer: SearchAnswer) -> list[str]:
    return [result.change.subject for result in answer.results if result.change]


def asked_by(organization: Organization, query: str) -> SearchAnswer:
    request = SearchRequest(queries=(query,))
    return search(credential=credential_for(organization), request=request)


def test_a_part_of_an_address_is_found_where_addresses_are_stored(find: Search) -> None:
    assert commits_of(find("type:commit author:CAT@acme")) == ["Keep a pool of connections"]


def test_a_digest_is_found_by_the_whole_address_only(acme: Organization, find: Search) -> None:
    assert commits_of(find("type:commit author:cat@acme.example"))
    set_author_policy(acme, AuthorPolicy.HASHED, actor="test")
    [result] = find("type:commit author:Cat@acme.example").results
    assert result.change is not None
    assert result.change.author == author_digest(bytes(acme.author_key), "cat@acme.example")
    hint = find("type:commit author:cat@acme").hint or ""
    assert "Authors are stored as digests: write a whole address after author:." in hint
    assert commits_of(find(f"type:commit author:{result.change.author}")) == []
    set_author_policy(acme, AuthorPolicy.PLAIN, actor="test")  # what is stored are digests still
    assert commits_of(find(f"type:commit author:{result.change.author[:2]}")) == []
    assert commits_of(find("type:commit author:cat@acme.example"))
    assert "Of some commits no author is stored" not in (find("type:commit author:x@y").hint or "")
    set_author_policy(acme, AuthorPolicy.OFF, actor="test")
    hint = find("type:commit author:cat@acme.example").hint or ""
    assert "This organisation stores no authors" in hint
    set_author_policy(acme, AuthorPolicy.PLAIN, actor="test")  # of what comes from now on
    hint = find("type:commit author:cat@acme.example").hint or ""
    assert "Of some commits no author is stored" in hint


def test_another_organisation_s_digest_never_matches(acme: Organization, find: Search) -> None:
    """The same address has other digests, even where one's own was stored elsewhere."""
    set_author_policy(acme, AuthorPolicy.HASHED, actor="test")
    globex = organization_of("globex")
    set_author_policy(globex, AuthorPolicy.HASHED, actor="test")
    stolen = author_digest(bytes(acme.author_key), "cat@acme.example")
    repository = RepositoryFactory.create(organization=globex, name="kit", generation=1)
    store_commits(repository, "Theirs", commit("Theirs", at=1, author=stolen))
    assert commits_of(asked_by(globex, "type:commit author:cat@acme.example")) == []
    assert commits_of(asked_by(globex, "type:commit")) == ["Theirs"]
    assert "Theirs" not in commits_of(find("type:commit author:cat@acme.example"))


def test_addresses_that_were_deleted_are_not_found_with_a_former_policy(
    acme: Organization, find: Search
) -> None:
    assert find("type:diff author:cat@acme").results
    for policy in (AuthorPolicy.OFF, AuthorPolicy.PLAIN):  # with no search meanwhile
        set_author_policy(acme, policy, actor="test")
    assert find("type:diff author:cat@acme").results == []
