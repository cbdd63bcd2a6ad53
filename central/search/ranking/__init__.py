"""The order of results: fusion, rules, scores."""
