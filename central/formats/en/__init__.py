"""English, the service's only language."""
