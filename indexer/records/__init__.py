"""Plain records that the indexer and central share."""
