"""The store in a Qdrant server or cluster, and a client's own way to it."""
