"""Card payments."""
