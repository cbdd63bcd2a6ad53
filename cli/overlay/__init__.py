"""An overlay of central's answers: changed files are answered by the local index."""
