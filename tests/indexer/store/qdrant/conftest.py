"""A cluster for the tests of this folder."""

from tests.indexer.store.qdrant.cluster import qdrant_cluster, qdrant_nodes

__all__ = ["qdrant_cluster", "qdrant_nodes"]
