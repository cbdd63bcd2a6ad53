"""Tools that trace a symbol."""
