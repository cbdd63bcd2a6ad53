"""Points for purchases, and what they are worth."""
