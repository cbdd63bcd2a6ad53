"""Syntax of one file: parse trees, definitions, chunks, expressions and types."""
