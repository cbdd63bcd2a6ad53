"""ChunkHound's code search."""
