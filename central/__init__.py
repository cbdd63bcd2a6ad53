"""The central service: what a run reports becomes searchable here."""
