"""Nightly figures for people who like tables."""
