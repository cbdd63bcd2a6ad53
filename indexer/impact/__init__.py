"""What a change breaks: edits against the index, callers of what they touch, and telling of it."""
