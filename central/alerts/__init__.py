"""Alerts: an organisation's receiver is told of stale and failing repositories."""
