"""How fast the integrations answer: `python -m benchmarks integrations`."""
