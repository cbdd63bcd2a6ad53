"""The store in PostgreSQL with pgvector."""
