"""Baskets become orders, and orders have a life."""
