"""The embedded store: Qdrant Edge shards in a process of their own."""
