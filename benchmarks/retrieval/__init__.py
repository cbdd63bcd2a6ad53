"""How well the search finds things, on public repositories that its model was not trained on."""
