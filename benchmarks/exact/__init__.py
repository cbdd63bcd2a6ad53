"""Exact search beside zoekt: the same lines, and the time that both take."""
