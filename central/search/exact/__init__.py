"""Exact search: literals, regular expressions and structural patterns over file content."""
