"""Searches that people save, share and watch."""
