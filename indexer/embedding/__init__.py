"""Embedders: text in, unit vectors out. `open_embedder` is the one way to get one."""
