"""Settings by environment: embedded (default), production, test; base is what they share."""
