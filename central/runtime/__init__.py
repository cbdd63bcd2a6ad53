"""The data directory, the embedded PostgreSQL and listening. Imports no Django."""
