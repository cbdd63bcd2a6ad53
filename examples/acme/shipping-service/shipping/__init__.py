"""Parcels, carriers and delivery dates."""
