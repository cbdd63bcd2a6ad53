"""Index runs from open to applied."""
