"""Tools that find text and read files."""
