"""Detection of problems, messages about them, and the receiver."""
