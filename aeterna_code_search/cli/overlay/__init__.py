"""An overlay of central's answers: changed files come from the local index."""
