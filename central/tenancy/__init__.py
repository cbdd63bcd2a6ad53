"""Organisations, their members and tokens, and the credentials that these give."""
