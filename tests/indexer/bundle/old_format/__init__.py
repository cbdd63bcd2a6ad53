"""The format as it was read and written before, for comparison."""
