"""Tickets from customers, by mail and by form."""
