"""Forges beside GitHub: owners there, their credentials, and accounts of people."""
