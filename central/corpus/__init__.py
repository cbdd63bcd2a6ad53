"""What is stored of every repository: files, chunks, symbols, statistics, embeddings."""
