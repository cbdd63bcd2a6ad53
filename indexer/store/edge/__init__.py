"""The embedded store: Qdrant Edge shards in a separate process."""
