"""The data directory, the embedded PostgreSQL and listening sockets."""
