"""Backup, export, retention, deletion, reconcile and migration of vectors."""
