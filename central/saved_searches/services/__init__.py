"""Saved searches, and what is new of those that are watched."""
