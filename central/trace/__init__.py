"""Callers, callees, call graphs and impact across all visible repositories."""
