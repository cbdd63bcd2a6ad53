"""The shop before the services."""
