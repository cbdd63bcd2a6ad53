"""Settings of the indexer: the environment and `.codesearch.toml`."""
