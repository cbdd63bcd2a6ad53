"""Organisations, tokens, and who may see what."""
