"""Uncommitted work in the local index, as commits of its own."""
