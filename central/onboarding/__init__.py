"""Backfill: central itself clones and indexes the repositories of an organisation."""
