"""Searches of commits and of the lines that they changed."""
