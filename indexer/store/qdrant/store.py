"""A Qdrant server or cluster: the store for the largest installations and direct upload."""

import base64
import hashlib
import hmac
import json
import threading
from collections import defaultdict
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, Final
from uuid import UUID

from qdrant_client import models

from indexer.errors import CollectionMissingError, DirectNotAvailableError
from indexer.records.vectors import DirectUploadGrant, Vector
from indexer.store.base import Collection, HybridHits, HybridQuery, Point, batches
from indexer.store.qdrant import collections
from indexer.store.qdrant.address import QdrantAddress
from indexer.store.qdrant.collections import PREFIX, Names, names_of
from indexer.store.qdrant.connection import Connection
from indexer.store.qdrant.direct import WORK_SECONDS, upsert
from indexer.store.qdrant.points import (
    ServerHits,
    dense_vector,
    hits_from_response,
    point_filter,
    point_uuid,
    requests_of,
    run_of,
)
from indexer.store.schema import DENSE, READ_BATCH, organization_key

# A search is interactive and fails soon; an apply waits for a server that restarts.
_SEARCH_RETRY_SECONDS: Final = 2.0
_WORK_RETRY_SECONDS: Final = 20.0
_INDEXING_SECONDS: Final = 3600.0
_SEARCHED_AT_ONCE: Final = 16


class QdrantStore:
    """VectorStore in the server at `address`. Connects on first use. Thread-safe.

    Do not use it after a fork if it was used before. `public` is the address for clients with
    direct upload, if it differs from the service's.
    """

    def __init__(
        self, address: QdrantAddress, *, api_key: str | None, public: QdrantAddress | None = None
    ) -> None:
        self._address = address
        self._api_key = api_key
        self._public = public or address
        self._searching = Connection(
            address,
            api_key=api_key,
            timeout_seconds=address.timeout_seconds,
            retry_seconds=_SEARCH_RETRY_SECONDS,
        )
        self._working = Connection(
            address,
            api_key=api_key,
            timeout_seconds=max(WORK_SECONDS, address.timeout_seconds),
            retry_seconds=_WORK_RETRY_SECONDS,
        )
        self._known: set[Names] = set()  # created, and aliased, by this process
        self._making = threading.Lock()
        self._threads = ThreadPoolExecutor(_SEARCHED_AT_ONCE, thread_name_prefix="qdrant-search")

    def upsert(self, collection: Collection, points: Sequence[Point]) -> None:
        names = self._names(collection)
        self._make(collection, names)
        try:
            self._upsert(collection, names, points)
        except CollectionMissingError:  # dropped by another process since it was created
            self._forget(names)
            self._make(collection, names)
            self._upsert(collection, names, points)

    def delete(self, collection: Collection, ids: Sequence[UUID]) -> None:
        for batch in batches(ids, READ_BATCH):
            self._delete(collection, point_filter([collection.repository], ids=batch))

    def drop(self, collection: Collection) -> None:
        names = self._names(collection)
        self._forget(names)
        if self._address.collections == "project":
            collections.drop(self._working, names)
        else:
            self._delete(collection, point_filter([collection.repository]))
            collections.drop_if_empty(self._working, names)

    def drop_organization(self, organization: str) -> None:
        with self._making:
            self._known = set()
        collections.drop_family(self._working, f"{PREFIX}{organization_key(organization)}~")

    def search(
        self, collections: Sequence[Collection], queries: Sequence[HybridQuery]
    ) -> list[HybridHits]:
        found = [ServerHits([], []) for _ in queries]
        for answer in self._query_all(collections, queries):
            for hits, more in zip(found, answer, strict=True):
                hits.dense.extend(more.dense)
                hits.lexical.extend(more.lexical)
        return [hits.hits(query) for hits, query in zip(found, queries, strict=True)]

    def vectors(self, collection: Collection, ids: Sequence[UUID]) -> dict[UUID, Vector]:
        found = self._retrieve(collection, ids, vectors=[DENSE])
        vectors = {point_uuid(record.id): dense_vector(record) for record in found}
        return {point: vector for point, vector in vectors.items() if vector is not None}

    def existing(self, collection: Collection, ids: Sequence[UUID]) -> set[UUID]:
        return {point_uuid(record.id) for record in self._retrieve(collection, ids)}

    def points(self, collection: Collection) -> Iterator[tuple[UUID, UUID]]:
        own = point_filter([collection.repository])
        following: models.ExtendedPointId | None = None
        while True:
            records, following = self._page(collection, own, following)
            for record in records:
                yield point_uuid(record.id), run_of(record)
            if following is None:
                return

    def optimize(self) -> None:
        """Wait until the server's own compaction and indexing have finished."""
        collections.wait_until_indexed(self._working, seconds=_INDEXING_SECONDS)

    def maintain(self) -> None:
        """Do nothing: the server maintains itself during searches and writes."""

    def check(self) -> None:
        self._searching.call(lambda client: client.collection_exists("codesearch"), retry_seconds=0)

    def close(self) -> None:
        self._searching.close()
        self._working.close()
        self._threads.shutdown()

    def check_direct_upload(self, *, has_store_secret: bool) -> None:
        """Raise DirectNotAvailableError unless `grant` is possible; makes no request."""
        if reason := self._no_direct(has_store_secret=has_store_secret):
            raise DirectNotAvailableError(f"Clients cannot write to Qdrant themselves: {reason}")

    def grant(
        self, collection: Collection, *, seconds: int, has_store_secret: bool
    ) -> DirectUploadGrant:
        self.check_direct_upload(has_store_secret=has_store_secret)
        names = self._names(collection)
        self._forget(names)  # clients cannot recreate a collection that another process has dropped
        self._make(collection, names)
        access = DirectUploadGrant(url=self._public.for_clients, collection=names.physical)
        if has_store_secret or not self._api_key:
            return access
        expires_at = datetime.now(UTC) + timedelta(seconds=seconds)
        token = access_token(self._api_key, collection=names.physical, expires_at=expires_at)
        return replace(access, token=token, expires_at=expires_at)

    def _names(self, collection: Collection) -> Names:
        return names_of(collection, self._address.collections)

    def _make(self, collection: Collection, names: Names) -> None:
        if names in self._known:
            return
        with self._making:
            if names not in self._known:
                collections.make(self._working, self._address, names, collection.embedder)
                self._known.add(names)

    def _forget(self, names: Names) -> None:
        with self._making:
            self._known = {known for known in self._known if known.physical != names.physical}

    def _upsert(self, collection: Collection, names: Names, points: Sequence[Point]) -> None:
        upsert(self._working, names.physical, collection.repository, points)

    def _delete(self, collection: Collection, points: models.Filter) -> None:
        name = self._names(collection).physical
        selector = models.FilterSelector(filter=points)
        with suppress(CollectionMissingError):  # then there is nothing to delete
            self._working.call(lambda client: client.delete(name, selector, wait=True))

    def _query_all(
        self, collections: Sequence[Collection], queries: Sequence[HybridQuery]
    ) -> Iterator[list[ServerHits]]:
        """Return each physical collection's answer; queries all concurrently."""
        scopes: dict[str, list[int]] = defaultdict(list)
        for collection in collections:
            scopes[self._names(collection).physical].append(collection.repository)
        query_collection = partial(self._query_collection, queries=queries)
        if len(scopes) <= 1:
            return map(query_collection, scopes.items())
        try:
            return self._threads.map(query_collection, scopes.items())
        except RuntimeError:  # the thread pool is shut down: the store has been closed
            return map(query_collection, scopes.items())

    def _query_collection(
        self, scope: tuple[str, list[int]], queries: Sequence[HybridQuery]
    ) -> list[ServerHits]:
        """Run both parts of every query in one request to one collection."""
        name, repositories = scope
        requests = requests_of(repositories, queries)
        if not requests:
            return hits_from_response(queries, [])
        try:
            answers = self._searching.call(lambda client: client.query_batch_points(name, requests))
        except CollectionMissingError:
            return [ServerHits([], []) for _ in queries]
        return hits_from_response(queries, answers)

    def _retrieve(
        self, collection: Collection, ids: Sequence[UUID], *, vectors: list[str] | None = None
    ) -> Iterator[models.Record]:
        for batch in batches(ids, READ_BATCH):
            own = point_filter([collection.repository], ids=batch)
            yield from self._page(collection, own, None, vectors=vectors)[0]

    def _page(
        self,
        collection: Collection,
        points: models.Filter,
        start: models.ExtendedPointId | None,
        *,
        vectors: list[str] | None = None,
    ) -> tuple[list[models.Record], models.ExtendedPointId | None]:
        """Return a page of `points`, at most READ_BATCH, and the next page's start, if any."""
        name = self._names(collection).physical
        try:
            return self._working.call(
                lambda client: client.scroll(
                    name,
                    scroll_filter=points,
                    limit=READ_BATCH,
                    offset=start,
                    with_payload=["run"],
                    with_vectors=vectors or False,
                )
            )
        except CollectionMissingError:
            return [], None

    def _no_direct(self, *, has_store_secret: bool) -> str | None:
        if self._address.collections != "project":
            return (
                "the service keeps one collection per organisation "
                "(collections=organization in VECTOR_STORE_URL)."
            )
        if has_store_secret:
            return None
        if not self._api_key:
            return "the service has no QDRANT_API_KEY to sign a token with."
        if not self._address.jwt:
            return (
                "the service's VECTOR_STORE_URL does not say jwt=true, that the server checks "
                "tokens (service.jwt_rbac); an indexer with QDRANT_API_KEY needs none."
            )
        return None


def access_token(api_key: str, *, collection: str, expires_at: datetime) -> str:
    """Return a token that reads and writes `collection` and no other.

    In Qdrant that covers its points, payload indexes and snapshots, not its settings.
    """
    claims = {
        "exp": int(expires_at.timestamp()),
        "access": [{"collection": collection, "access": "rw"}],
    }
    signed = f"{_encoded({'alg': 'HS256', 'typ': 'JWT'})}.{_encoded(claims)}"
    signature = hmac.digest(api_key.encode(), signed.encode(), hashlib.sha256)
    return f"{signed}.{_base64(signature)}"


def _encoded(part: dict[str, Any]) -> str:
    return _base64(json.dumps(part, separators=(",", ":")).encode())


def _base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
