"""The nouns that the indexer and central share, as plain records."""
