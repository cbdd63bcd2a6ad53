"""Backfills: their lists, their queue, and the work on one repository."""
