"""The knowledge graph: how sure a semantic link is, and how fast questions are answered."""
