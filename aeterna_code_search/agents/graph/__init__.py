"""Tools of the knowledge graph."""
