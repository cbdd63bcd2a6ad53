"""Uncommitted work in front of central's answers: what was changed is told by the local index."""
