"""How much of what lies where, and for whom it is reserved."""
