"""The knowledge graph: precision of semantic links, and latency of questions."""
