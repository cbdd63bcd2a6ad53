"""Answers to traces: from a credential and a request to a record with its receipt."""
