"""Programs for people and CI; nothing here is imported by the service."""
