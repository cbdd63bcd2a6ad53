"""Uncommitted work in front of what central answers."""
