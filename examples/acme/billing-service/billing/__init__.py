"""Invoices, taxes and reminders."""
