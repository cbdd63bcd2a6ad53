"""The indexer: git, grammars, chunks, embeddings, stores and the wire format. A pure library."""
