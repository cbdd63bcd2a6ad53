"""`CodeSearchRetriever`: the codebase search for chains, as documents."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from pydantic import Field, PrivateAttr

from aeterna_code_search.integrations.langchain.codebase import Codebase, similarity_of
from indexer.client.responses import malformed_answer

_COPIED: Final = (
    "file", "project", "start_line", "end_line", "commit", "language", "name", "truncated", "url",
)  # fmt: skip


class CodeSearchRetriever(BaseRetriever):
    """The `k` most relevant chunks of the codebase of `directory`, the best first.

    A document's content is code; its metadata has the location. `projects`: see `Codebase`.
    Raises IndexerError if there is no index or service, or the request is rejected. Threads may
    share it.
    """

    k: int = Field(default=5, ge=1, le=50)
    similarity_threshold: float = Field(default=0.0, ge=0.0, le=1.0)
    max_code_length: int = Field(default=10_000, ge=100, le=10_000)  # characters of a document

    _codebase: Codebase = PrivateAttr()

    def __init__(
        self,
        *,
        directory: str | Path | None = None,
        projects: Sequence[str] | None = None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self._codebase = Codebase(directory, projects)

    def close(self) -> None:
        """Close the service; the next request opens it again."""
        self._codebase.close()

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002 (LangChain's contract)
    ) -> list[Document]:
        if not query.strip():
            return []
        outcome = self._codebase.search(
            query,
            limit=self.k,
            max_characters=self.max_code_length,
            threshold=self.similarity_threshold,
        )
        notes = {"incomplete": outcome.incomplete} if outcome.incomplete else {}
        with malformed_answer(outcome.results):
            return [
                Document(page_content=row["content"], metadata={**_metadata(row), **notes})
                for row in outcome.results
            ]


def _metadata(row: Mapping[str, Any]) -> dict[str, Any]:
    cosine = row["similarity"]
    return {
        **{name: row[name] for name in _COPIED},
        "source": f"{row['project']}/{row['file']}:{row['start_line']}",
        "type": row["chunk_type"],
        "lines": f"{row['start_line']}-{row['end_line']}",
        "similarity": None if cosine is None else round(similarity_of(cosine), 4),
    }
