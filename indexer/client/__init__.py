"""The HTTP client of the central service."""
