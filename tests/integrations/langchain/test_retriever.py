"""The retriever, alone and in a chain."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables import RunnableLambda, RunnablePassthrough
from pydantic import ValidationError

from aeterna_code_search.integrations.langchain import CodeSearchRetriever
from aeterna_code_search.integrations.langchain.codebase import NoIndexError
from indexer.errors import CentralUnreachableError, IndexerError
from scripts.local_git import git

MakeRetriever = Callable[..., CodeSearchRetriever]


@pytest.fixture
def make_retriever(checkout: Path) -> Iterator[MakeRetriever]:
    retrievers = []

    def make(**options: Any) -> CodeSearchRetriever:
        retriever = CodeSearchRetriever(**{"directory": checkout, **options})
        retrievers.append(retriever)
        return retriever

    yield make
    for retriever in retrievers:
        retriever.close()


def test_documents_are_code_and_say_where_it_is(
    make_retriever: MakeRetriever, checkout: Path
) -> None:
    retriever = make_retriever()
    assert isinstance(retriever, BaseRetriever)
    first, *others = retriever.invoke("how are users authenticated")
    assert first.page_content.startswith("def authenticate_user(username, password):")
    url = first.metadata.pop("url")
    similarity = first.metadata.pop("similarity")
    assert 0.3 < similarity <= 1
    assert url is None or url.endswith("auth/login.py#L4-L9")
    assert first.metadata == {
        "source": "shop/auth/login.py:4",
        "file": "auth/login.py",
        "project": "shop",
        "start_line": 4,
        "end_line": 9,
        "lines": "4-9",
        "commit": git(checkout, "rev-parse", "HEAD"),
        "language": "python",
        "type": "function",
        "name": "authenticate_user",
        "truncated": False,
    }
    assert 1 <= len(others) <= 4


def test_asynchronously_it_finds_the_same(make_retriever: MakeRetriever) -> None:
    retriever = make_retriever(k=2)
    query = "the total of an invoice"
    found = asyncio.run(retriever.ainvoke(query))
    assert len(found) == 2
    assert found == retriever.invoke(query) == retriever.batch([query, query])[1]


def test_bounds_of_length_and_similarity(make_retriever: MakeRetriever) -> None:
    (short,) = make_retriever(k=1, max_code_length=100).invoke("the total of an invoice")
    assert 50 < len(short.page_content) <= 100  # it ends with a line
    assert short.metadata["truncated"] is True
    near = make_retriever(k=50, similarity_threshold=0.4).invoke("the total of an invoice")
    every = make_retriever(k=50).invoke("the total of an invoice")
    similar = [one for one in every if one.metadata["similarity"] >= 0.4]
    assert near == similar
    assert 0 < len(near) < len(every)


@pytest.mark.parametrize("options", [{"k": 0}, {"k": 51}, {"max_code_length": 99}])
def test_wrong_bounds_are_refused(make_retriever: MakeRetriever, options: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        make_retriever(**options)


def test_in_a_chain(make_retriever: MakeRetriever) -> None:
    def as_text(documents: list[Document]) -> str:
        return "\n".join(document.metadata["source"] for document in documents)

    chain = {
        "context": make_retriever(k=1) | as_text,
        "question": RunnablePassthrough(),
    } | RunnableLambda(lambda prompt: f"{prompt['question']} {prompt['context']}")
    assert chain.invoke("Where is a session ended?").endswith("shop/auth/login.py:12")


def test_no_index_is_an_error(
    make_retriever: MakeRetriever, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(NoIndexError, match=r"^No index found at .*\. Index your codebase first"):
        make_retriever(projects=["no-such"]).invoke("x")
    monkeypatch.setenv("AETERNA_DATA_DIR", str(tmp_path / "none"))
    with pytest.raises(NoIndexError, match=f"^No index found at {tmp_path}/none"):
        make_retriever().invoke("x")


def test_a_service_that_is_away_is_an_error(
    make_retriever: MakeRetriever, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AETERNA_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AETERNA_TOKEN", "aet_some-token")
    monkeypatch.setenv("AETERNA_ORGANIZATION", "acme")
    retriever = make_retriever()
    with pytest.raises(CentralUnreachableError):
        retriever.invoke("x")
    with pytest.raises(IndexerError):
        asyncio.run(retriever.ainvoke("x"))
    assert "aet_some-token" not in repr(retriever)


def test_what_a_search_may_lack_is_said_with_each_document(make_retriever: MakeRetriever) -> None:
    (document,) = make_retriever(k=1, projects=["shop", "no-such"]).invoke("authentication")
    assert document.metadata["incomplete"].startswith("Results may be missing from no-such (")


def test_an_empty_query_finds_nothing(make_retriever: MakeRetriever) -> None:
    assert make_retriever().invoke("  ") == []
