"""Search of commits and diffs: what is on top, what it costs, the time beside zoekt."""
