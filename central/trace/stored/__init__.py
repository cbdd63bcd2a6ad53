"""Edges that are stored: derived from the rows of the corpus, and never the truth."""
