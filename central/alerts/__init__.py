"""Alerts: reports to an organisation's receiver about stale and failing repositories."""
