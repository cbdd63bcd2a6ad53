"""Repositories, their tracked branch and their status."""
