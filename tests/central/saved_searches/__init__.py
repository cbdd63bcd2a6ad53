"""Saved and watched searches."""
