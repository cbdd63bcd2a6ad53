"""Kills and faults: a real service, its clients, and the parts that die while they work."""
