"""One attempt at a search: candidates from the stores in order, then the results to show."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from central.repositories.visibility import RepositoryInSight
from central.search.answers import Result, shown_content
from central.search.candidates import clipped, missing_cosines, symbol_tier
from central.search.filters import point_filter, row_filter
from central.search.query import MAX_RESULTS, Mode, SearchRequest
from central.search.rerank import Found, ordered, words_in
from central.search.retrieval import Asked, Plan, Tier, tiers
from central.search.rows import LiveChunk, ShownText, shown_texts
from indexer.records.vectors import EmbedderSpec
from indexer.store.base import Collection, VectorStore


class Candidates(NamedTuple):
    """`is_cut`: there are fewer than wanted because the lists may not grow any longer."""

    found: list[Found]
    is_cut: bool


class Shown(NamedTuple):
    """`has_moved`: a searched repository was re-indexed since the scope was read."""

    results: list[Result]
    has_moved: bool


@dataclass(frozen=True, slots=True)
class Execution:
    """What is asked, of which repositories (by id) and collections (by repository)."""

    request: SearchRequest
    queries: Sequence[Asked]
    repositories: Mapping[int, RepositoryInSight]
    collections: Mapping[int, Collection]
    store: VectorStore

    def candidates(self, wanted: int) -> Candidates:
        """The first `wanted` candidates (at most MAX_RESULTS), each place in a file once.

        However many are wanted, the first ones are the same. Raises StoreError.
        """
        is_cut = False
        wanted = min(wanted, MAX_RESULTS)
        found: dict[tuple[int, str, int, int], Found] = {}
        ceiling = 1.0
        for tier in self._tiers():
            self._keep_similar(tier)
            in_order = ordered(
                tier,
                mode=self.request.mode,
                queries=self.queries,
                projects=self._projects,
                ceiling=ceiling,
                explain=self.request.explain,
            )
            for item in in_order:
                row = item.row
                found.setdefault((row.repository, row.path, row.start_line, row.end_line), item)
                ceiling = item.score
            if len(found) >= wanted:
                break
            is_cut = tier.is_cut
        return Candidates(list(found.values())[:wanted], is_cut)

    def results(self, found: Sequence[Found]) -> Shown:
        """Candidates as they are shown; one whose chunk is gone by now is left out."""
        cosines = self._cosines(item.row for item in found if item.cosine is None)
        texts, generations = shown_texts(
            chunks=[item.row.id for item in found],
            repositories=list(self.repositories),
            with_file=self.request.expand > 0,
        )
        results = [
            self._result(item, cosines.get(item.row.id, item.cosine), texts[item.row.id])
            for item in found
            if item.row.id in texts
        ]
        has_moved = any(
            generations.get(item.id) != item.generation for item in self.repositories.values()
        )
        return Shown(results, has_moved)

    @property
    def _projects(self) -> dict[int, str]:
        return {item.id: item.name for item in self.repositories.values()}

    def _tiers(self) -> Iterator[Tier]:
        rows = row_filter(self.request)
        repositories = list(self.repositories)
        if self.request.mode is Mode.SYMBOL:
            return iter([symbol_tier(self.queries, repositories=repositories, rows=rows)])
        by_embedder: dict[EmbedderSpec, list[Collection]] = {}
        for collection in self.collections.values():
            by_embedder.setdefault(collection.embedder, []).append(collection)
        plan = Plan(
            mode=self.request.mode,
            queries=self.queries,
            collections=by_embedder,
            repositories=repositories,
            points=point_filter(self.request),
            rows=rows,
            min_similarity=self.request.min_similarity,
        )
        return tiers(self.store, plan)

    def _keep_similar(self, tier: Tier) -> None:
        """Drop what is less similar than asked, or cannot be compared."""
        least = self.request.min_similarity
        if least is None:
            return
        bare = [row for chunk, row in tier.rows.items() if chunk not in tier.cosines]
        tier.cosines.update(self._cosines(bare))
        tier.keep({chunk for chunk in tier.rows if tier.cosines.get(chunk, -1.0) >= least})

    def _cosines(self, rows: Iterable[LiveChunk]) -> dict[int, float]:
        return missing_cosines(self.store, rows, queries=self.queries, collections=self.collections)

    def _result(self, item: Found, cosine: float | None, shown: ShownText) -> Result:
        row, request = item.row, self.request
        repository = self.repositories[row.repository]
        content, first_line, truncated = shown_content(
            row, shown, expand=request.expand, max_content=request.max_content
        )
        return Result(
            project=repository.name,
            commit=repository.commit,
            file=row.path,
            start_line=row.start_line,
            end_line=row.end_line,
            language=row.language,
            chunk_type=row.type,
            name=row.name,
            container=row.container,
            score=round(item.score, 4),
            similarity=clipped(cosine),
            content=content,
            content_start_line=first_line,
            truncated=truncated,
            matched=self._matched(item),
            url=repository.url(row.path, row.start_line, row.end_line),
            why=item.why,
        )

    def _matched(self, item: Found) -> list[str]:
        """Of several queries, those that found it; of one, its words that occur in the chunk."""
        if len(self.queries) > 1:
            return [self.request.queries[index] for index in item.queries]
        return words_in(self.queries[0], item.row)
