"""What is not committed yet, as commits of its own, in the local index."""
