"""The indexer, a pure library: git, grammars, chunks, embeddings, stores and wire format."""
