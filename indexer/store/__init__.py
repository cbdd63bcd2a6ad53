"""Vector stores: dense vectors and BM25 term weights behind one protocol."""
